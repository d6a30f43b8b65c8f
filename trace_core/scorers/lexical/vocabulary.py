"""Words as numbers: each surface form is stemmed and weighed once, then looked up.

Word numbers depend on what was read before and never reach a result: only weights, kinds and equality do.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Final

import numpy as np
import Stemmer
from numpy.typing import NDArray

from trace_core.digests import digest
from trace_core.language import UNKNOWN
from trace_core.scorers.lexical.packed import LONGEST, Halves, Ids, Ints, PackedTable, PlainWords
from trace_core.stopwords import stop_words_of
from trace_core.words import words

#: Snowball's algorithm for a language tag; words of other languages are compared as they are.
_ALGORITHMS: Final[Mapping[str, str]] = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fi": "finnish", "fr": "french", "hi": "hindi", "hu": "hungarian", "id": "indonesian",
    "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
#: Part of the fingerprint.
STEM_RULES: Final = f"stem-1 PyStemmer-{version('PyStemmer')} " + digest(dict(_ALGORITHMS))
#: Words of all vocabularies of a scorer, some 60 MB; beyond, they are started anew.
MAX_SURFACES: Final = 300_000
_MAX_WORD: Final = 64  # characters; a longer word is known by its digest

Floats = NDArray[np.float64]


class Vocabulary(dict[str, int]):
    """Surface form -> number of its stem, with a weight and a kind for each number.

    weights: informativeness in [0, 1], a multiple of 1/256 so that sums are exact in any order; 0 for stop
    words.
    """

    def __init__(self, language: str, background: Mapping[str, float], unseen: float) -> None:
        super().__init__()
        self.language = language
        self.stop_words = stop_words_of(language)
        self._stem = _stemmer(language)
        self._background = background
        self._unseen = unseen
        self._numbers: dict[str, int] = {}
        self._packed = PackedTable()
        self.weights: Floats = np.zeros(1024)
        self.numeric: NDArray[np.bool_] = np.zeros(1024, dtype=bool)
        #: Scratch table of the current log: number -> place in its small vocabulary, -1 for all others.
        self.places: Ids = np.full(1024, -1, dtype=np.int32)

    def __missing__(self, word: str) -> int:
        if len(word) > _MAX_WORD:
            stem = hashlib.sha256(word.encode("utf-8", "replace")).hexdigest()
        else:
            stem = word if word.isdigit() else self._stem(word)
        kind = "\x00" + stem if word in self.stop_words else stem  # a stop word never meets a content word
        number = self._numbers.get(kind)
        if number is None:
            number = self._add(kind, word)
        self[word] = number
        return number

    def _add(self, kind: str, word: str) -> int:
        number = self._numbers[kind] = len(self._numbers)
        if number >= len(self.weights):
            more = len(self.weights)
            self.weights = np.concatenate([self.weights, np.zeros(more)])
            self.numeric = np.concatenate([self.numeric, np.zeros(more, dtype=bool)])
            self.places = np.concatenate([self.places, np.full(more, -1, dtype=np.int32)])
        self.weights[number] = 0.0 if kind[0] == "\x00" else self._background.get(kind, self._unseen)
        self.numeric[number] = any(map(str.isdigit, word[:_MAX_WORD]))
        return number

    def read(self, sentences: Sequence[str]) -> tuple[Ids, Ints]:
        """The numbers of all words of some sentences, one after another, and how many each sentence has."""
        text = " ".join(sentences)
        if text.isascii():
            return self._read_plain(text, sentences)
        # Sentences of other scripts are cut one by one; a letter stands in for each of their words meanwhile.
        cut = [None if sentence.isascii() else words(sentence) for sentence in sentences]
        plain = [s if own is None else "a " * len(own) for s, own in zip(sentences, cut, strict=True)]
        ids, counts = self._read_plain(" ".join(plain), plain)
        others = np.repeat([own is not None for own in cut], counts)
        ids[others] = [self[word] for own in cut if own for word in own]
        return ids, counts

    def _read_plain(self, text: str, sentences: Sequence[str]) -> tuple[Ids, Ints]:
        plain = PlainWords(text)
        first, second = plain.halves()
        ids = self._packed.find(first, second)
        ids[plain.lengths > LONGEST] = -1
        unknown = (ids < 0).nonzero()[0]
        if len(unknown):
            self._learn(plain, first, second, ids, unknown)
        ends = np.cumsum(np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)) + 1)
        return ids, np.diff(np.searchsorted(plain.starts, ends), prepend=0)

    def _learn(self, plain: PlainWords, first: Halves, second: Halves, ids: Ids, unknown: Ints) -> None:
        """Number the words at places `unknown`, and remember the short ones."""
        new: dict[str, int] = {}
        for at in unknown.tolist():
            word = plain.word(at)
            if len(word) <= LONGEST:
                new.setdefault(word, at)
            ids[at] = self[word]
        at_new = np.fromiter(new.values(), dtype=np.int64, count=len(new))
        self._packed.add(first[at_new], second[at_new], ids[at_new])


@lru_cache(maxsize=64)
def _stemmer(language: str):  # type: ignore[no-untyped-def]  # PyStemmer has no types
    """The stemming function of a language, or one that changes nothing."""
    algorithm = _ALGORITHMS.get(language)
    return Stemmer.Stemmer(algorithm, 0).stemWord if algorithm else str


def known_language(language: str) -> str:
    """`language` when it has rules of its own, else `und`: the number of vocabularies stays small."""
    return language if language in _ALGORITHMS or stop_words_of(language) else UNKNOWN
