"""Support entries: verdict, sources and missing words of each response sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from trace_core.annotation import SentenceSupport
from trace_core.keys import document_key, response_key
from trace_core.scorers.lexical.features import Nearest
from trace_core.scorers.lexical.layout import Layout
from trace_core.scorers.lexical.overlap import Overlap
from trace_core.scorers.lexical.vocabulary import Floats
from trace_core.words import words

MAX_SUPPORTING: Final = 3
SUPPORTING_SHARE: Final = 0.3  # of a response sentence
SUPPORTING_OF_BEST: Final = 0.6  # of what the best document sentence holds
_MAX_MISSING: Final = 8
_MAX_WORD_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class SupportFacts:
    """What is known of each response sentence of some logs, one after another.

    probabilities: of being supported. near: places in the log of the document sentences that support it, best
    first, -1 for none. totals: words looked for. missing: for each word found nowhere its place in its
    sentence; missing_ends: where those of each sentence end.
    """

    probabilities: list[float]
    near: list[list[int]]
    totals: list[int]
    missing: list[int]
    missing_ends: list[int]

    @classmethod
    def of(cls, overlap: Overlap, layout: Layout, nearest: Nearest, support: Floats) -> "SupportFacts":
        """Collect them with array operations: one sentence at a time they would cost more than the scores."""
        word, log = layout.said_word, layout.said_log
        rows = len(word.count)
        bare = np.bincount(word.of, weights=overlap.word_content, minlength=rows) == 0
        own = overlap.word_content | bare[word.of]
        missing = (own & ~overlap.word_held).nonzero()[0]
        sentence = word.of[missing]
        position = np.arange(rows) - log.start[log.of]
        shares = nearest.shares[:, log.of, position]
        places = nearest.rows[:, log.of, position] - layout.sentence_log.start[log.of]
        least = np.maximum(SUPPORTING_SHARE, SUPPORTING_OF_BEST * shares[0])
        return cls(
            support.tolist(),
            np.where(shares >= least, places, -1).T.tolist(),
            np.bincount(word.of[own], minlength=rows).tolist(),
            (missing - word.start[sentence]).tolist(),
            np.cumsum(np.bincount(sentence, minlength=rows)).tolist(),
        )

    def entries(
        self, first: int, texts: Sequence[str], keys: Sequence[str], threshold: float
    ) -> list[SentenceSupport]:
        """One entry a sentence of one log; `first` is the row of its first sentence."""
        entries = []
        at = self.missing_ends[first - 1] if first else 0
        for i, text in enumerate(texts):
            row = first + i
            end = self.missing_ends[row]
            probability = self.probabilities[row]
            sources = tuple([keys[place] for place in self.near[row] if place >= 0])
            reason = _found(self.totals[row] - end + at, self.totals[row])
            if end > at:
                reason += _missing(text, self.missing[at:end])
            entries.append(
                SentenceSupport(
                    response_key(i), probability >= threshold, round(probability, 6), sources, reason
                )
            )
            at = end
        return entries


@lru_cache(maxsize=256)
def keys_of(sizes: tuple[int, ...]) -> tuple[str, ...]:
    """The keys of all document sentences; logs of one system often have the same shape."""
    return tuple([document_key(document, s) for document, size in enumerate(sizes) for s in range(size)])


@lru_cache(maxsize=4096)
def _found(found: int, total: int) -> str:
    return (
        f"{found} of {total} content words occur in the documents" if total else "holds no word to look for"
    )


def _missing(sentence: str, places: Sequence[int]) -> str:
    said = words(sentence)
    shown = dict.fromkeys([said[at][:_MAX_WORD_SHOWN] for at in places])
    return "; missing: " + ", ".join(list(shown)[:_MAX_MISSING])
