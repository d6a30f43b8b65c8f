"""Logs as arrays of word numbers: cut one by one, numbered many together."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from trace_core.records import Document, Log
from trace_core.scorers.lexical.packed import Ids, Ints
from trace_core.scorers.lexical.vocabulary import Vocabulary
from trace_core.sentences import sentence_texts

_CACHE_WORDS: Final = 2_000_000  # words of documents kept for the next logs: 8 MB and the texts' own size
_REMEMBERED: Final = 200_000  # digests of documents seen once


class ReadText(NamedTuple):
    """The word numbers of a text and the number of words of each of its sentences."""

    ids: Ids
    sizes: Ints


@dataclass(frozen=True, slots=True)
class Reading:
    """A log in numbers. `documents` holds all documents one after another. Where there is no sentence, there
    is an empty one: nothing is shared, and no case is special."""

    question: Ids
    response: ReadText
    documents: ReadText
    document_sizes: tuple[int, ...]  # sentences of each document
    response_sentences: tuple[str, ...]


class Draft(NamedTuple):
    """A log cut into sentences. A document is read already, or sentences with the key to keep them under."""

    question: str
    response: tuple[str, ...]
    documents: list[ReadText | tuple[Sequence[str], object]]
    document_sizes: tuple[int, ...]


class DocumentCache:
    """Documents that came more than once, up to `limit` words: retrieved chunks repeat from log to log.

    A document is kept from its second time on, as most of a stream without repetition never come again.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = _CACHE_WORDS if limit is None else limit
        self._kept: OrderedDict[object, ReadText] = OrderedDict()
        self._seen: set[int] = set()
        self._words = 0

    def find(
        self, document: Document, language: str | None, vocabulary: Vocabulary
    ) -> ReadText | tuple[Sequence[str], object]:
        """A document in numbers, or its sentences and the key to keep it under (None: not to be kept)."""
        sentences = document.sentences
        key: object = (vocabulary.language, language, document.text if sentences is None else sentences)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        if sentences is None:
            sentences = sentence_texts(document.text, language)
        digest = hash(key)
        if digest in self._seen:
            return sentences, key
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen.add(digest)
        return sentences, None

    def keep(self, key: object, read: ReadText) -> None:
        """Keep a document for the next logs; the ones used longest ago make room."""
        size = len(read.ids) + 50
        if size * 8 > self._limit or key in self._kept:
            return
        self._kept[key] = ReadText(read.ids.copy(), read.sizes.copy())  # not a view of the whole batch
        self._words += size
        while self._words > self._limit:
            _, dropped = self._kept.popitem(last=False)
            self._words -= len(dropped.ids) + 50

    def clear(self) -> None:
        """Forget everything, as the vocabulary it was read with is gone."""
        self._kept.clear()
        self._words = 0


def draft_log(
    log: Log,
    response_sentences: tuple[str, ...],
    language: str | None,
    vocabulary: Vocabulary,
    cache: DocumentCache,
) -> Draft:
    """Cut all texts of a log. `language` is the tag it names, for the splitter."""
    documents = [cache.find(document, language, vocabulary) for document in log.documents]
    sizes = tuple([len(d.sizes) if isinstance(d, ReadText) else len(d[0]) for d in documents])
    return Draft(log.question, response_sentences, documents, sizes)


def read_drafts(drafts: Sequence[Draft], vocabulary: Vocabulary, cache: DocumentCache) -> list[Reading]:
    """Number the words of some logs of one vocabulary."""
    flat: list[str] = []
    for draft in drafts:
        flat.append(draft.question)
        flat += draft.response or ("",)
        for document in draft.documents:
            if not isinstance(document, ReadText):
                flat += document[0]
        if not any(draft.document_sizes):
            flat.append("")
    ids, sizes = vocabulary.read(flat)
    cutter = _Cutter(ids, sizes)
    return [_reading(draft, cutter, cache) for draft in drafts]


class _Cutter:
    """Takes the texts that were read together apart, in order."""

    def __init__(self, ids: Ids, sizes: Ints) -> None:
        self._ids = ids
        self._sizes = sizes
        self._ends = [0, *np.cumsum(sizes).tolist()]
        self._at = 0

    def take(self, sentences: int) -> ReadText:
        """The next sentences."""
        start, self._at = self._at, self._at + sentences
        words = self._ids[self._ends[start] : self._ends[self._at]]
        return ReadText(words, self._sizes[start : self._at])


def _reading(draft: Draft, cutter: _Cutter, cache: DocumentCache) -> Reading:
    question = cutter.take(1).ids
    said = draft.response or ("",)
    response = cutter.take(len(said))
    sizes = draft.document_sizes
    total = sum(sizes)
    if not total:
        documents, sizes = cutter.take(1), (1,)
    elif all(not isinstance(d, ReadText) and d[1] is None for d in draft.documents):
        documents = cutter.take(total)  # nothing to keep, nothing kept: all at once
    else:
        read = [d if isinstance(d, ReadText) else cutter.take(len(d[0])) for d in draft.documents]
        for source, text in zip(draft.documents, read, strict=True):
            if not isinstance(source, ReadText) and source[1] is not None:
                cache.keep(source[1], text)
        documents = ReadText(
            np.concatenate([text.ids for text in read]), np.concatenate([text.sizes for text in read])
        )
    return Reading(question, response, documents, sizes, said)
