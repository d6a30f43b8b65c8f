"""Hard sets by count: how many sentences are relevant and used, then which; of many logs together."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_core.scorers.lexical.layout import Bools, Groups
from trace_core.scorers.lexical.packed import Ints
from trace_core.scorers.lexical.vocabulary import Floats

#: What an error of completeness counts against one of relevance or utilization in choosing the counts.
_COMPLETENESS_WEIGHT: Final = 0.3
_LEEWAY: Final = 2  # sentences by which a count may differ from its expectation
#: Part of the fingerprint.
SET_RULES: Final = f"sets-2 {_COMPLETENESS_WEIGHT} {_LEEWAY}"
_UNIT: Final = 1 << 20  # probabilities are multiples of its inverse


@dataclass(frozen=True, slots=True)
class HardSets:
    """For each document sentence whether it is in a set; for each log the sizes."""

    relevant: Bools
    utilized: Bools
    relevant_count: Ints
    utilized_count: Ints
    both: Ints


def choose(relevant: Floats, utilized: Floats, completeness: Floats, log: Groups) -> HardSets:
    """For each log the sets whose three shares are nearest to their expectations.

    Args:
        relevant, utilized: probabilities of each document sentence, multiples of 2**-20.
        completeness: for each log the expected share of relevant sentences that are used.
        log: the document sentences by log.

    A threshold on single probabilities gets the shares wrong (too few sentences pass it); counts from the
    sums of probabilities get them right on average. Which sentences are taken depends on the probabilities
    alone: the most relevant ones, and of these and of the others the most used ones; ties go to the earlier.
    """
    expected = np.add.reduceat(relevant, log.start), np.add.reduceat(utilized, log.start)
    count, used, both = _counts(expected[0], expected[1], completeness, log.count)
    by_relevance = _rank(np.zeros(len(relevant), dtype=np.int64), relevant, utilized, log)
    in_relevant = by_relevance < count[log.of]
    by_use = _rank((~in_relevant).astype(np.int64), utilized, relevant, log)
    limit = np.where(in_relevant, both[log.of], count[log.of] + (used - both)[log.of])
    return HardSets(in_relevant, by_use < limit, count, used, both)


def _counts(relevant: Floats, utilized: Floats, completeness: Floats, total: Ints) -> tuple[Ints, Ints, Ints]:
    """Sizes of R, U and of their common part, of least squared error against the three expected shares.

    The sizes nearest to their own expectations often cannot hold the expected completeness: of one or two
    sentences there is no three quarters. A sentence more or less costs little, a coarse completeness much.
    Among equals the smaller sizes win.
    """
    steps = np.arange(-_LEEWAY, _LEEWAY + 1)
    total_, share = total[:, None, None], completeness[:, None, None]
    count = (np.floor(relevant + 0.5).astype(np.int64)[:, None] + steps)[:, :, None]
    used = (np.floor(utilized + 0.5).astype(np.int64)[:, None] + steps)[:, None, :]
    both = np.minimum(np.minimum(np.floor(share * count + 0.5).astype(np.int64), count), used)
    both = np.maximum(np.maximum(both, used + count - total_), 0)
    error = np.where(
        count > 0,
        _COMPLETENESS_WEIGHT * (both / np.maximum(count, 1) - share) ** 2,
        _COMPLETENESS_WEIGHT,
    )
    error = error + (
        ((count - relevant[:, None, None]) / total_) ** 2 + ((used - utilized[:, None, None]) / total_) ** 2
    )
    possible = (count >= 0) & (count <= total_) & (used >= 0) & (used <= total_)
    cells = len(steps)
    best = np.where(possible, error, np.inf).reshape(len(total), cells * cells).argmin(axis=1)
    row = np.arange(len(total))
    at, place = best // cells, best % cells
    chosen = count[row, at, 0]
    return chosen, used[row, 0, place], np.where(chosen > 0, both[row, at, place], 0)


def _rank(group: Ints, first: Floats, second: Floats, log: Groups) -> Ints:
    """For each sentence its place within its log: by group, then from the largest value down, then by the
    second value, then in order."""
    unit = 2 * _UNIT
    down = (_UNIT - first * _UNIT).astype(np.int64) * unit + (_UNIT - second * _UNIT).astype(np.int64)
    order: NDArray[np.intp] = np.argsort((log.of * 2 + group) * (unit * unit) + down, kind="stable")
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first)) - log.start[log.of]
    return rank
