"""What a scorer decides about a log, sentence by sentence, in RAGBench's form of sentence keys."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from trace_core.keys import clean_document_keys, clean_response_keys, document_keys


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """One response sentence: is it supported, by which document sentences, and why it is thought so.

    probability: of being supported, in [0, 1], or None when the scorer gives none.
    reason: one plain clause; it may name missing words and nothing else of the log.
    """

    key: str
    supported: bool
    probability: float | None = None
    supporting_keys: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SentenceSizes:
    """Sizes of all document sentences in key order, for metrics by token or character."""

    tokens: tuple[int, ...]
    characters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """The sets every TRACe metric is counted from.

    document_sentence_counts: number of sentences of each document.
    response_sentence_keys: keys of the response's sentences.
    relevant_keys, utilized_keys: document keys as given, duplicates and unknown keys included.
    unsupported_keys: response keys as given.
    support: one entry a response sentence, where the scorer gives them.
    """

    document_sentence_counts: tuple[int, ...]
    response_sentence_keys: tuple[str, ...]
    relevant_keys: tuple[str, ...] = ()
    utilized_keys: tuple[str, ...] = ()
    unsupported_keys: tuple[str, ...] = ()
    support: tuple[SentenceSupport, ...] = ()
    sizes: SentenceSizes | None = None

    @property
    def document_sentence_count(self) -> int:
        """The number of sentences of all documents."""
        return sum(self.document_sentence_counts)

    @property
    def document_sentence_keys(self) -> tuple[str, ...]:
        """The keys of all document sentences."""
        return document_keys(self.document_sentence_counts)

    def cleaned(self) -> "tuple[Annotation, Mapping[str, int]]":
        """The annotation with distinct, existing keys only, and the number of entries dropped by field.

        Trailing punctuation is removed, so `0b.` becomes `0b`; pseudo-keys such as `general` are dropped.
        """
        counts = self.document_sentence_counts
        relevant, relevant_dropped = clean_document_keys(self.relevant_keys, counts)
        utilized, utilized_dropped = clean_document_keys(self.utilized_keys, counts)
        unsupported, unsupported_dropped = clean_response_keys(
            self.unsupported_keys, self.response_sentence_keys
        )
        support_dropped = 0
        support = []
        for entry in self.support:
            kept, dropped = clean_document_keys(entry.supporting_keys, counts)
            support_dropped += dropped
            support.append(replace(entry, supporting_keys=kept))
        clean = replace(
            self,
            relevant_keys=relevant,
            utilized_keys=utilized,
            unsupported_keys=unsupported,
            support=tuple(support),
        )
        return clean, {
            "relevant_keys": relevant_dropped,
            "utilized_keys": utilized_dropped,
            "unsupported_keys": unsupported_dropped,
            "supporting_keys": support_dropped,
        }

    @classmethod
    def from_ragbench(cls, row: Mapping[str, Any]) -> Self:
        """Read a row with RAGBench's columns; missing lists are read as empty ones, keys are kept raw."""
        documents: Sequence[Sequence[Sequence[str]]] = row.get("documents_sentences") or ()
        texts = [sentence[1] for document in documents for sentence in document]
        return cls(
            document_sentence_counts=tuple(len(document) for document in documents),
            response_sentence_keys=tuple(str(s[0]) for s in row.get("response_sentences") or ()),
            relevant_keys=_keys(row.get("all_relevant_sentence_keys")),
            utilized_keys=_keys(row.get("all_utilized_sentence_keys")),
            unsupported_keys=_keys(row.get("unsupported_response_sentence_keys")),
            support=tuple(_support(entry) for entry in row.get("sentence_support_information") or ()),
            sizes=SentenceSizes(tuple(len(t.split()) for t in texts), tuple(len(t) for t in texts)),
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON object under RAGBench's key names, with the counts the metrics need."""
        result: dict[str, Any] = {
            "document_sentence_counts": list(self.document_sentence_counts),
            "response_sentence_keys": list(self.response_sentence_keys),
            "all_relevant_sentence_keys": list(self.relevant_keys),
            "all_utilized_sentence_keys": list(self.utilized_keys),
            "unsupported_response_sentence_keys": list(self.unsupported_keys),
            "sentence_support_information": [_support_json(entry) for entry in self.support],
        }
        if self.sizes is not None:
            result["document_sentence_tokens"] = list(self.sizes.tokens)
            result["document_sentence_characters"] = list(self.sizes.characters)
        return result

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        sizes = None
        if "document_sentence_tokens" in value:
            sizes = SentenceSizes(
                tuple(value["document_sentence_tokens"]), tuple(value["document_sentence_characters"])
            )
        return cls(
            document_sentence_counts=tuple(value["document_sentence_counts"]),
            response_sentence_keys=tuple(value["response_sentence_keys"]),
            relevant_keys=_keys(value.get("all_relevant_sentence_keys")),
            utilized_keys=_keys(value.get("all_utilized_sentence_keys")),
            unsupported_keys=_keys(value.get("unsupported_response_sentence_keys")),
            support=tuple(_support(entry) for entry in value.get("sentence_support_information") or ()),
            sizes=sizes,
        )


def _keys(value: Iterable[object] | None) -> tuple[str, ...]:
    return tuple(str(key) for key in value or ())


def _support(entry: Mapping[str, Any]) -> SentenceSupport:
    return SentenceSupport(
        key=str(entry.get("response_sentence_key", "")),
        supported=bool(entry.get("fully_supported")),
        probability=entry.get("probability"),
        supporting_keys=_keys(entry.get("supporting_sentence_keys")),
        reason=str(entry.get("explanation") or ""),
    )


def _support_json(entry: SentenceSupport) -> dict[str, Any]:
    result: dict[str, Any] = {
        "response_sentence_key": entry.key,
        "fully_supported": entry.supported,
        "supporting_sentence_keys": list(entry.supporting_keys),
        "explanation": entry.reason,
    }
    if entry.probability is not None:
        result["probability"] = entry.probability
    return result
