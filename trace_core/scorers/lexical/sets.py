"""Hard sets by count: how many sentences are relevant and used, then which."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_core.scorers.lexical.vocabulary import Floats

#: What an error of completeness counts against one of relevance or utilization in choosing the counts.
_COMPLETENESS_WEIGHT: Final = 0.3
_LEEWAY: Final = 2  # sentences by which a count may differ from its expectation
#: Part of the fingerprint.
SET_RULES: Final = f"sets-2 {_COMPLETENESS_WEIGHT} {_LEEWAY}"


@dataclass(frozen=True, slots=True)
class HardSets:
    """Places of document sentences, in order."""

    relevant: tuple[int, ...]
    utilized: tuple[int, ...]
    both: int


def choose(relevant: Floats, utilized: Floats, completeness: float) -> HardSets:
    """The sets whose three shares are nearest to their expectations.

    Args:
        relevant, utilized: probabilities of each document sentence, multiples of a power of two.
        completeness: the expected share of relevant sentences that are used.

    A threshold on single probabilities gets the shares wrong (too few sentences pass it); counts from the
    sums of probabilities get them right on average. Which sentences are taken depends on the probabilities
    alone.
    """
    total = len(relevant)
    count, used, both = _counts(float(relevant.sum()), float(utilized.sum()), completeness, total)
    order = _best_first(relevant, utilized)
    in_relevant, outside = order[:count], order[count:]
    inside_used = in_relevant[_best_first(utilized[in_relevant], relevant[in_relevant])][:both]
    outside_used = outside[_best_first(utilized[outside], relevant[outside])][: used - both]
    return HardSets(
        tuple(np.sort(in_relevant).tolist()),
        tuple(np.sort(np.concatenate([inside_used, outside_used])).tolist()),
        both,
    )


def _counts(relevant: float, utilized: float, completeness: float, total: int) -> tuple[int, int, int]:
    """Sizes of R, U and of their common part, of least squared error against the three expected shares.

    The sizes nearest to their own expectations often cannot hold the expected completeness: of one or two
    sentences there is no three quarters. A sentence more or less costs little, a coarse completeness much.
    """
    best = (math.inf, 0, 0, 0)
    for count in _near(relevant, total):
        for used in _near(utilized, total):
            both, error = 0, _COMPLETENESS_WEIGHT
            if count:
                both = math.floor(completeness * count + 0.5)
                both = max(0, used + count - total, min(both, count, used))
                error = _COMPLETENESS_WEIGHT * (both / count - completeness) ** 2
            error += ((count - relevant) / total) ** 2 + ((used - utilized) / total) ** 2
            best = min(best, (error, count, used, both))
    return best[1:]


def _near(expected: float, total: int) -> range:
    nearest = math.floor(expected + 0.5)
    return range(max(0, nearest - _LEEWAY), min(total, nearest + _LEEWAY) + 1)


def _best_first(first: Floats, second: Floats) -> NDArray[np.intp]:
    """Places from the largest value down; ties by the second value, then in order."""
    return np.lexsort((-second, -first))
