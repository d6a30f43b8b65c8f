"""What became of each retrieved document of one log: was it relevant to the question, was it used?"""

import hashlib
from functools import lru_cache
from typing import Final

from trace_core.annotation import Annotation
from trace_core.keys import parse_document_key, tidy
from trace_core.records import Document, Log

#: Bits of a use.
RELEVANT: Final = 1
UTILIZED: Final = 2

_LONGEST_ID: Final = 200  # fits a database index; a longer id is named by its hash
_HASH_BYTES: Final = 8


def document_name(document: Document) -> str:
    """The document's own id; without one `text-` and 16 hex digits of its text.

    An id of over 200 characters becomes `id-` and 16 hex digits. A document has one name on every night.

    >>> document_name(Document("The warranty lasts two years."))
    'text-a29d61de2ae65c21'
    """
    if document.id is None or not document.id.strip():
        return f"text-{_digest(document.text)}"
    if len(document.id) > _LONGEST_ID:
        return f"id-{_digest(document.id)}"
    return document.id


def document_use(log: Log, annotation: Annotation) -> dict[str, int]:
    """The names of the log's documents in order, each once, with RELEVANT and UTILIZED where a sentence is.

    Keys that name no sentence of the log count for nothing.
    """
    counts = annotation.document_sentence_counts
    uses = [0] * len(log.documents)
    for bit, keys in ((RELEVANT, annotation.relevant_keys), (UTILIZED, annotation.utilized_keys)):
        for key in keys:
            document, sentence = _place(key)
            if document < len(uses) and document < len(counts) and 0 <= sentence < counts[document]:
                uses[document] |= bit
    named: dict[str, int] = {}
    for item, use in zip(log.documents, uses, strict=True):
        name = document_name(item)
        named[name] = named.get(name, 0) | use
    return named


@lru_cache(maxsize=8192)
def _place(key: str) -> tuple[int, int]:
    return parse_document_key(tidy(key)) or (0, -1)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=_HASH_BYTES).hexdigest()
