"""Some logs laid out side by side, so that one array operation serves them all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_core.scorers.lexical.packed import Ids, Ints
from trace_core.scorers.lexical.reading import Reading
from trace_core.scorers.lexical.vocabulary import Floats

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows in consecutive groups: for each row its group, for each group its first row and its number of
    rows."""

    of: Ints
    start: Ints
    count: Ints

    @classmethod
    def sized(cls, counts: Sequence[int] | Ints) -> "Groups":
        """Groups of these sizes."""
        count = np.asarray(counts, dtype=np.int64)
        return cls(np.repeat(np.arange(len(count)), count), np.cumsum(count) - count, count)

    def top(self, values: Floats) -> Floats:
        """The largest value of each group; groups must not be empty."""
        result: Floats = np.maximum.reduceat(values, self.start, axis=0)
        return result

    def mean(self, values: Floats) -> Floats:
        """The mean of each group; groups must not be empty."""
        sums: Floats = np.add.reduceat(values, self.start) / self.count
        return sums

    def rank(self, values: Floats) -> Floats:
        """For each row the share of its group's rows with a larger value: 0 for the best."""
        keys = 4.0 * self.of - values
        larger = np.searchsorted(np.sort(keys), keys, side="left") - self.start[self.of]
        result: Floats = larger / self.count[self.of]
        return result

    def before(self, values: Floats, by: int) -> Floats:
        """The value of the row before (1) or after (-1) in the same group, 0 at its edge."""
        result = np.zeros(len(values))
        if by > 0:
            result[1:] = values[:-1]
            result[self.start] = 0.0
        else:
            result[:-1] = values[1:]
            result[self.start + self.count - 1] = 0.0
        return result


@dataclass(frozen=True, slots=True)
class Layout:
    """The readings of some logs, one after another.

    said, found, asked: word numbers of responses, documents and questions. *_word: which sentence (for
    questions: which log) each word stands in, with the sentence sizes. said_log, sentence_log: response and
    document sentences by log. sentence_document: document sentences by document; document_log: documents by
    log. Documents without sentences are left out; every log has a response sentence and a document
    sentence, if only an empty one.
    """

    readings: tuple[Reading, ...]
    said: Ids
    found: Ids
    asked: Ids
    said_word: Groups
    found_word: Groups
    asked_word: Groups
    said_log: Groups
    sentence_log: Groups
    sentence_document: Groups
    document_log: Groups


def lay_out(readings: Sequence[Reading]) -> Layout:
    """Put readings side by side."""
    filled = [[n for n in reading.document_sizes if n] for reading in readings]
    return Layout(
        tuple(readings),
        np.concatenate([reading.response.ids for reading in readings]),
        np.concatenate([reading.documents.ids for reading in readings]),
        np.concatenate([reading.question for reading in readings]),
        Groups.sized(np.concatenate([reading.response.sizes for reading in readings])),
        Groups.sized(np.concatenate([reading.documents.sizes for reading in readings])),
        Groups.sized([len(reading.question) for reading in readings]),
        Groups.sized([len(reading.response.sizes) for reading in readings]),
        Groups.sized([len(reading.documents.sizes) for reading in readings]),
        Groups.sized([n for sizes in filled for n in sizes]),
        Groups.sized([len(sizes) for sizes in filled]),
    )
