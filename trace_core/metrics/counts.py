"""The sums the four metrics are ratios of. They add up over logs; the ratios do not."""

from collections.abc import Iterable
from dataclasses import dataclass

from trace_core.annotation import Annotation
from trace_core.keys import clean_document_keys, clean_response_keys, document_keys
from trace_core.metrics.spec import Convention, Unit


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums of one annotation in one unit.

    documents: number of documents. total: size of all document sentences. relevant, utilized, both: size of
    R, U and of their common part. response: number of response sentences. unsupported: number of unsupported
    response sentences. sizes_known: False when the unit needs sizes that the annotation does not hold.
    """

    documents: int
    total: int
    relevant: int
    utilized: int
    both: int
    response: int
    unsupported: int
    convention: Convention = "product"
    sizes_known: bool = True


def count_annotation(
    annotation: Annotation, unit: Unit = "sentence", convention: Convention = "product"
) -> Counts:
    """Count an annotation.

    `product` counts distinct existing keys; `published` counts R and U as they are listed, duplicates and
    unknown keys included, as RAGBench's label columns do. Unknown keys have no size in tokens or characters.
    Raises ValueError for an unknown unit or convention.
    """
    if unit not in ("sentence", "token", "character"):
        raise ValueError(f"unit must be sentence, token or character, not {unit!r}")
    if convention not in ("product", "published"):
        raise ValueError(f"convention must be product or published, not {convention!r}")
    relevant, utilized, unsupported = _keys(annotation, convention)
    both = frozenset(relevant) & frozenset(utilized)
    documents = len(annotation.document_sentence_counts)
    response = len(annotation.response_sentence_keys)
    if unit == "sentence":
        total = annotation.document_sentence_count
        sums = (total, len(relevant), len(utilized), len(both))
        return Counts(documents, *sums, response, unsupported, convention)
    if annotation.sizes is None:
        return Counts(documents, 0, 0, 0, 0, response, unsupported, convention, sizes_known=False)
    sizes = annotation.sizes.tokens if unit == "token" else annotation.sizes.characters
    size_of = dict(zip(document_keys(annotation.document_sentence_counts), sizes, strict=True))

    def size(keys: Iterable[str]) -> int:
        return sum(size_of.get(key, 0) for key in keys)

    sums = (sum(sizes), size(relevant), size(utilized), size(both))
    return Counts(documents, *sums, response, unsupported, convention)


def _keys(annotation: Annotation, convention: Convention) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """R and U under a convention, and the number of unsupported response sentences."""
    if convention == "published":
        return annotation.relevant_keys, annotation.utilized_keys, len(annotation.unsupported_keys)
    counts = annotation.document_sentence_counts
    relevant, _ = clean_document_keys(annotation.relevant_keys, counts)
    utilized, _ = clean_document_keys(annotation.utilized_keys, counts)
    unsupported, _ = clean_response_keys(annotation.unsupported_keys, annotation.response_sentence_keys)
    # An entry whose key is unreadable still says that something is unsupported: never read it as support.
    return relevant, utilized, len(unsupported) or min(len(annotation.unsupported_keys), 1)
