"""Hard sets by count: how many sentences are relevant and used, then which."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_core.scorers.lexical.vocabulary import Floats

#: What an error of completeness counts against one of relevance in choosing the number of relevant sentences.
_COMPLETENESS_WEIGHT: Final = 0.1
_LEEWAY: Final = 2  # sentences by which that number may differ from its expectation
#: Part of the fingerprint.
SET_RULES: Final = f"sets-1 {_COMPLETENESS_WEIGHT} {_LEEWAY}"


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
    expected = float(relevant.sum())
    used = min(total, math.floor(float(utilized.sum()) + 0.5))
    count, both = _counts(expected, used, completeness, total)
    order = _best_first(relevant, utilized)
    in_relevant, outside = order[:count], order[count:]
    inside_used = in_relevant[_best_first(utilized[in_relevant], relevant[in_relevant])][:both]
    outside_used = outside[_best_first(utilized[outside], relevant[outside])][: used - both]
    return HardSets(
        tuple(np.sort(in_relevant).tolist()),
        tuple(np.sort(np.concatenate([inside_used, outside_used])).tolist()),
        both,
    )


def _counts(expected: float, used: int, completeness: float, total: int) -> tuple[int, int]:
    """The number of relevant sentences, and of those that are used as well, of least squared error."""
    best = (math.inf, 0, 0)
    nearest = math.floor(expected + 0.5)
    for count in range(max(0, nearest - _LEEWAY), min(total, nearest + _LEEWAY) + 1):
        both, error = 0, _COMPLETENESS_WEIGHT
        if count:
            both = math.floor(completeness * count + 0.5)
            both = max(0, used + count - total, min(both, count, used))
            error = _COMPLETENESS_WEIGHT * (both / count - completeness) ** 2
        best = min(best, (((count - expected) / total) ** 2 + error, count, both))
    return best[1], best[2]


def _best_first(first: Floats, second: Floats) -> NDArray[np.intp]:
    """Places from the largest value down; ties by the second value, then in order."""
    return np.lexsort((-second, -first))
