"""Word order: which neighbours in the response are neighbours in a document.

Neighbours may stand in two sentences of a document, so that a copy is found whatever the splitter made of it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_core.scorers.lexical.packed import Ints
from trace_core.scorers.lexical.vocabulary import Floats

#: Content words of a document may stand this far apart, counted in content words, and still be neighbours.
REACH: Final = 3


@dataclass(frozen=True, slots=True)
class Streams:
    """The words of the response (`said_at`) and of the documents (`found_at`, -1 for words the log's own
    vocabulary of `size` words does not hold), with the sentence and, for documents, the document each
    stands in."""

    said_at: Ints
    said_row: Ints
    found_at: Ints
    found_row: Ints
    found_document: Ints
    size: int

    def pairs(self, said_sizes: Ints, found_sizes: Ints, covered: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Shares of neighbouring words of each response sentence, and of each document sentence, found there.

        A sentence of one word is found when the word is.
        """
        at, document = self.found_at, self.found_document
        known = ((at[:-1] >= 0) & (at[1:] >= 0) & (document[:-1] == document[1:])).nonzero()[0]
        found = at[known] * self.size + at[known + 1]
        inside = (self.said_row[:-1] == self.said_row[1:]).nonzero()[0]
        said = self.said_at[inside] * self.size + self.said_at[inside + 1]
        rows = len(said_sizes)
        matched = np.bincount(self.said_row[inside], weights=_is_in(said, found), minlength=rows)
        share = matched / np.maximum(said_sizes - 1, 1)
        single = said_sizes == 1
        if single.any():
            words = np.bincount(self.said_row, weights=covered[self.said_at], minlength=rows)
            share = np.where(single, words, share)
        back = np.bincount(self.found_row[known], weights=_is_in(found, said), minlength=len(found_sizes))
        return share, back / np.maximum(found_sizes - 1, 1)

    def content_pairs(
        self, said_content: NDArray[np.bool_], found_content: NDArray[np.bool_], otherwise: Floats
    ) -> Floats:
        """The share of neighbouring content words of each response sentence that are near neighbours in a
        document.

        `otherwise` is the value of sentences with fewer than two content words.
        """
        keep = (found_content).nonzero()[0]
        at, document = self.found_at[keep], self.found_document[keep]
        found = []
        for reach in range(1, REACH + 1):
            a, b = at[:-reach], at[reach:]
            near = ((a >= 0) & (b >= 0) & (document[:-reach] == document[reach:])).nonzero()[0]
            found.append(a[near] * self.size + b[near])
        own = (said_content[self.said_at]).nonzero()[0]
        row, said_at = self.said_row[own], self.said_at[own]
        inside = (row[:-1] == row[1:]).nonzero()[0]
        said = said_at[inside] * self.size + said_at[inside + 1]
        rows = len(otherwise)
        count = np.bincount(row[inside], minlength=rows)
        matched = np.bincount(row[inside], weights=_is_in(said, np.concatenate(found)), minlength=rows)
        return np.where(count > 0, matched / np.maximum(count, 1), otherwise)


def _is_in(values: Ints, among: Ints) -> Floats:
    """1.0 where a value is among others."""
    if not len(among) or not len(values):
        return np.zeros(len(values))
    ordered = np.sort(among)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    result: Floats = (ordered[at] == values).astype(np.float64)
    return result
