"""Sums that merge: what is stored of a day, so that batches, days and segments add up in any order."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

#: The metrics that are aggregated, in the order people read them.
METRICS: Final = ("relevance", "utilization", "adherence", "completeness", "average")
#: Cells of the histogram of a day: 0, 0.05, ... 1.
HISTOGRAM_CELLS: Final = 21


def histogram_cell(value: float) -> int:
    """The cell of a value in [0, 1]: 20 times the value, rounded half up. ValueError outside of the range."""
    if not 0.0 <= value <= 1.0:  # false for NaN as well
        raise ValueError(f"a score must lie in [0, 1], not {value!r}")
    return math.floor(20 * value + 0.5)


@dataclass(frozen=True, slots=True)
class Sums:
    """Number, sum, sum of squares and histogram of values in [0, 1].

    >>> day = Sums().add(1.0).add(0.5).merge(Sums().add(0.0))
    >>> day.n, day.total, day.mean, day.variance
    (3, 1.5, 0.5, 0.25)
    """

    n: int = 0
    total: float = 0.0
    squares: float = 0.0
    histogram: tuple[int, ...] = (0,) * HISTOGRAM_CELLS

    @classmethod
    def of(cls, values: Iterable[float]) -> Self:
        """The sums of many values. ValueError for one outside of [0, 1]."""
        kept = list(values)
        histogram = [0] * HISTOGRAM_CELLS
        for value in kept:
            histogram[histogram_cell(value)] += 1
        return cls(len(kept), math.fsum(kept), math.fsum(v * v for v in kept), tuple(histogram))

    def add(self, value: float) -> "Sums":
        """These sums and one more value. ValueError for one outside of [0, 1]."""
        return self.merge(Sums.of((value,)))

    def merge(self, other: "Sums") -> "Sums":
        """These sums and others, of a batch, a day or a segment."""
        return Sums(
            self.n + other.n,
            self.total + other.total,
            self.squares + other.squares,
            tuple(a + b for a, b in zip(self.histogram, other.histogram, strict=True)),
        )

    @property
    def mean(self) -> float | None:
        """The mean, or None of no values."""
        return self.total / self.n if self.n else None

    @property
    def variance(self) -> float | None:
        """The sample variance (divisor n - 1), or None of fewer than two values."""
        if self.n < 2:
            return None
        return max(0.0, (self.squares - self.total * self.total / self.n) / (self.n - 1))


def whole_counts(histogram: Sequence[float], n: int) -> tuple[int, ...]:
    """Counts that sum to `n`, rounded to whole rows so that they still do: largest remainders go up."""
    floors = [math.floor(value + 1e-9) for value in histogram]
    missing = n - sum(floors)
    order = sorted(range(len(histogram)), key=lambda cell: (floors[cell] - histogram[cell], cell))
    for cell in order[: max(0, missing)]:
        floors[cell] += 1
    return tuple(floors)
