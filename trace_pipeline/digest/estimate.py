"""The mean of a metric over several nights, with its interval, and the difference of two such means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from statistics import NormalDist

from trace_core.aggregates import Sums

_ENDS = Sums.of((0.0, 1.0))  # added before the spread is taken: five equal values are not beyond doubt


@dataclass(frozen=True, slots=True)
class Level:
    """A mean in [0, 1] over `n` answers (None without any) and its standard error."""

    n: int
    mean: float | None
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; all of [0, 1] without a mean."""
        if self.mean is None:
            return 0.0, 1.0
        return max(0.0, self.mean - _Z95 * self.error), min(1.0, self.mean + _Z95 * self.error)


@dataclass(frozen=True, slots=True)
class Change:
    """A difference of two means in [-1, 1] with its interval."""

    difference: float
    low: float
    high: float

    @property
    def is_certain(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


_Z95 = NormalDist().inv_cdf(0.975)


def level(nights: Iterable[Sums], day_to_day: float = 0.0) -> Level:
    """Return the level of all answers of the nights.

    `day_to_day` is the standard deviation by which nights differ beyond sampling, as the watch has learnt it;
    raising it widens the interval.
    """
    kept = [night for night in nights if night.n]
    total = reduce(Sums.merge, kept, Sums())
    if not total.n:
        return Level(0, None, 0.0)
    sampling = (total.merge(_ENDS).variance or 0.0) / total.n
    between = day_to_day**2 * sum(night.n**2 for night in kept) / total.n**2
    return Level(total.n, total.mean, sqrt(sampling + between))


def change(now: Level, before: Level, *, of_many: int = 1) -> Change | None:
    """Return the difference of two levels with its 95 % interval; None when one of them has no mean.

    `of_many` is how many differences are looked through for the largest: the more, the wider the interval.
    """
    if now.mean is None or before.mean is None:
        return None
    reach = NormalDist().inv_cdf(1 - 0.025 / of_many) * sqrt(now.error**2 + before.error**2)
    difference = now.mean - before.mean
    return Change(difference, difference - reach, difference + reach)
