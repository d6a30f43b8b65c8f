"""A log as arrays of word numbers, every text cut and looked up once."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_core.records import Document, Log
from trace_core.scorers.lexical.vocabulary import Ids, Vocabulary
from trace_core.sentences import sentence_texts
from trace_core.words import words

_CACHE_WORDS: Final = 2_000_000  # words of documents kept for the next logs: 8 MB and the texts' own size

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReadText:
    """The word numbers of a text and the number of words of each of its sentences."""

    ids: Ids
    sizes: Counts


def read_sentences(sentences: Sequence[str], vocabulary: Vocabulary) -> ReadText:
    """Number the words of sentences."""
    cut = [words(sentence) for sentence in sentences]
    flat = [word for sentence in cut for word in sentence]
    return ReadText(
        vocabulary.ids(flat),
        np.array([len(sentence) for sentence in cut], dtype=np.int64),
    )


_EMPTY: Final = ReadText(np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Reading:
    """A log in numbers. `documents` holds all documents one after another."""

    question: Ids
    response: ReadText
    documents: ReadText
    document_sizes: tuple[int, ...]  # sentences of each document
    response_sentences: tuple[str, ...]

    def filled(self) -> "Reading":
        """This reading with an empty sentence where there is none: nothing is shared, and no case is
        special."""
        result = self
        if not len(self.response.sizes):
            result = replace(result, response=_EMPTY, response_sentences=("",))
        if not len(self.documents.sizes):
            result = replace(result, documents=_EMPTY, document_sizes=(1,))
        return result


class DocumentCache:
    """The documents read last, up to `limit` words: retrieved chunks repeat from log to log."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = _CACHE_WORDS if limit is None else limit
        self._kept: OrderedDict[object, ReadText] = OrderedDict()
        self._words = 0

    def read(self, document: Document, language: str | None, vocabulary: Vocabulary) -> ReadText:
        """A document in numbers."""
        content = document.text if document.sentences is None else document.sentences
        key = (vocabulary.language, language, content)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        sentences = document.sentences
        if sentences is None:
            sentences = sentence_texts(document.text, language)
        read = read_sentences(sentences, vocabulary)
        self._keep(key, read)
        return read

    def _keep(self, key: object, read: ReadText) -> None:
        size = len(read.ids) + 50
        if size * 8 > self._limit:
            return
        self._kept[key] = read
        self._words += size
        while self._words > self._limit:
            _, dropped = self._kept.popitem(last=False)
            self._words -= len(dropped.ids) + 50

    def clear(self) -> None:
        """Forget everything, as the vocabulary it was read with is gone."""
        self._kept.clear()
        self._words = 0


def read_log(
    log: Log,
    response_sentences: tuple[str, ...],
    language: str | None,
    vocabulary: Vocabulary,
    cache: DocumentCache,
) -> Reading:
    """Number all texts of a log. `language` is the tag it names, for the splitter."""
    read = [cache.read(document, language, vocabulary) for document in log.documents]
    empty = np.zeros(0, dtype=np.int32)
    return Reading(
        vocabulary.ids(words(log.question)),
        read_sentences(response_sentences, vocabulary),
        ReadText(
            np.concatenate([part.ids for part in read]) if read else empty,
            np.concatenate([part.sizes for part in read]) if read else empty.astype(np.int64),
        ),
        tuple(len(part.sizes) for part in read),
        response_sentences,
    )
