"""Sums of a sample that stands for more rows than it has: a night that was judged in part."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from trace_core.aggregates import HISTOGRAM_CELLS, Sums, histogram_cell, whole_counts

_Z: Final = 1.959964  # 95 %


@dataclass(frozen=True, slots=True)
class WeightedSums:
    """Sums in which a row counts for the `weight` rows it stands for; a row of weight 1 stands for itself.

    Idea: the rows that were seen are known, and the rows that they stand for beyond themselves are estimated
    from the rows of larger weight. Sampling adds sum(w (w - 1) (y - centre)^2) to the variance of the total,
    as under Poisson sampling with probabilities 1 / w (J. Hajek); the spread of the answers themselves comes
    on top, for a night is itself a sample of what the system does.

    seen: the rows that were scored, each once. weight, total, squares: sums of w, w y and w y^2. design ...:
    sums of w max(w - 1, 0), times y and times y^2. histogram: rows stood for, per cell.
    is_whole: the weights sum to the rows that there are, as they do over a day, so that only the spread
    around the estimated rows' own mean is uncertain. In a segment the number of rows is uncertain too.

    >>> day = WeightedSums.of([1.0, 0.0, 1.0], [1, 4, 4])
    >>> round(day.mean, 3), day.seen.n, day.weight
    (0.556, 3, 9.0)
    """

    seen: Sums = field(default_factory=Sums)
    weight: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    design: float = 0.0
    design_total: float = 0.0
    design_squares: float = 0.0
    histogram: tuple[float, ...] = (0.0,) * HISTOGRAM_CELLS
    is_whole: bool = True

    @classmethod
    def of(cls, values: Sequence[float], weights: Sequence[float], *, is_whole: bool = True) -> Self:
        """The sums of values in [0, 1] with weights above 0. ValueError for others or unequal lengths."""
        if not all(weight > 0 for weight in weights):
            raise ValueError("a weight must be above 0")
        rows = list(zip(values, weights, strict=True))
        histogram = [0.0] * HISTOGRAM_CELLS
        for value, weight in rows:
            histogram[histogram_cell(value)] += weight
        design = [(value, weight * max(weight - 1, 0)) for value, weight in rows]
        return cls(Sums.of(values), *_moments(rows), *_moments(design), tuple(histogram), is_whole)

    @classmethod
    def plain(cls, sums: Sums) -> Self:
        """Sums in which every row stands for itself."""
        counts = tuple(float(count) for count in sums.histogram)
        return cls(sums, float(sums.n), sums.total, sums.squares, histogram=counts)

    def merge(self, other: "WeightedSums") -> "WeightedSums":
        """These sums and others of other rows: of another day or segment value."""
        return WeightedSums(
            self.seen.merge(other.seen),
            self.weight + other.weight,
            self.total + other.total,
            self.squares + other.squares,
            self.design + other.design,
            self.design_total + other.design_total,
            self.design_squares + other.design_squares,
            tuple(a + b for a, b in zip(self.histogram, other.histogram, strict=True)),
            self.is_whole and other.is_whole,
        )

    @property
    def mean(self) -> float | None:
        """The mean over all rows stood for, in [0, 1]; None of no rows."""
        return min(max(self.total / self.weight, 0.0), 1.0) if self.weight else None

    @property
    def effective(self) -> float:
        """Rows of a plain sample that would say as much, at most `weight`; 0 of no rows.

        The spread of the rows over the variance of the mean. Where the estimated rows are all alike that
        says little about the next one: then their variance is at least that of a share never seen to fail
        (Laplace's rule of succession), or that of all rows if that is less. With no spread at all it is
        L. Kish's number, weight^2 / sum of w^2.
        """
        parts = _Parts.of(self)
        return parts.effective if parts else 0.0

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean, in [0, 1]; None of no rows. The view metric_trend computes the same.

        E. Wilson's interval of the estimated rows and that of a night of this size are put together as
        distances from the mean (G. Zou and A. Donner's method of variance estimates recovery), so that it
        holds for rates near one and for few judged answers. It is never narrower than Wilson's interval over
        the effective number: a few failures, each of a small weight, say little about those not seen.
        """
        parts = _Parts.of(self)
        return parts.interval() if parts else None

    def effective_sums(self) -> Sums:
        """Plain sums of `effective` rows, rounded, of this mean, spread and histogram, for the watch."""
        parts = _Parts.of(self)
        if parts is None:
            return Sums()
        n = max(1, min(round(parts.effective), round(self.weight)))
        total = min(parts.mean * n, float(n))
        squares = min(self.squares / self.weight * n, total)
        scaled = [max(0.0, count) * n / self.weight for count in self.histogram]
        return Sums(n, total, squares, whole_counts(scaled, n))


@dataclass(frozen=True, slots=True)
class _Parts:
    """Mean and spread of all rows (m, s), of the `u` rows estimated (c, sc), and what is uncertain of them.

    `moved` is the part of the estimated rows in all, `alike` L. Kish's number for them, `within` the design
    variance around `c`, `size` what their uncertain number adds. Without estimated rows `moved` is 0.
    """

    mean: float
    spread: float
    weight: float
    kish: float
    moved: float
    centre: float
    centre_spread: float
    alike: float
    within: float
    size: float

    @classmethod
    def of(cls, sums: WeightedSums) -> "_Parts | None":
        weight = sums.weight
        if not weight:
            return None
        mean = min(max(sums.total / weight, 0.0), 1.0)
        spread = max(0.0, sums.squares / weight - mean * mean)
        unseen = weight - sums.seen.n
        kish = weight * weight / (sums.design + weight)
        if unseen <= 0 or sums.design <= 0:
            within = sums.design_squares - 2 * mean * sums.design_total + mean * mean * sums.design
            return cls(mean, spread, weight, kish, 0.0, mean, spread, 1.0, max(0.0, within) / weight**2, 0.0)
        centre = min(max((sums.total - sums.seen.total) / unseen, 0.0), 1.0)
        centre_spread = max(0.0, (sums.squares - sums.seen.squares) / unseen - centre * centre)
        within = sums.design_squares - 2 * centre * sums.design_total + centre * centre * sums.design
        size = 0.0 if sums.is_whole else (mean - centre) ** 2 * sums.design / weight**2
        alike = unseen * unseen / sums.design
        within = max(0.0, within) / weight**2
        return cls(mean, spread, weight, kish, unseen / weight, centre, centre_spread, alike, within, size)

    @property
    def effective(self) -> float:
        if self.spread <= 0:
            return min(self.kish, self.weight)
        rare = 1 / (self.alike + 2)
        least = min(self.spread, rare * (1 - rare)) * self.moved**2 / self.alike
        variance = max(self.within, least) + self.size + self.spread / self.weight
        return min(self.spread / variance, self.weight)

    def interval(self) -> tuple[float, float]:
        simple = wilson(self.mean, self.spread, self.effective)
        if not self.moved:
            return simple
        known = self.centre_spread > 0 and self.within > 0
        n = self.centre_spread * self.moved**2 / self.within if known else self.alike
        ends = zip(
            wilson(self.centre, self.centre_spread, n),
            wilson(self.mean, self.spread, self.weight),
            simple,
            strict=True,
        )
        reach = []
        for part, night, all_rows in ends:
            steps = (self.moved * (part - self.centre)) ** 2 + (night - self.mean) ** 2
            reach.append(max(math.sqrt(steps + _Z**2 * self.size), abs(all_rows - self.mean)))
        return max(0.0, self.mean - reach[0]), min(1.0, self.mean + reach[1])


def wilson(mean: float, spread: float, n: float) -> tuple[float, float]:
    """E. Wilson's 95 % interval of a share; of values in [0, 1], scaled by how much less they spread.

    n: answers of a plain sample, above 0, not necessarily whole.
    """
    ratio = spread / (mean * (1 - mean)) if 0 < mean < 1 else 1.0
    z2 = _Z**2 * ratio
    centre = (mean + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * mean * (1 - mean) / n + z2 * z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def proportioned(cells: Sequence[tuple[Sums, float]]) -> list[Sums]:
    """Cells with n in proportion to the rows that each stands for, so that they merge to the right mean.

    Args:
        cells: plain or effective sums, and the rows they stand for (n itself where each row was seen).

    Returns:
        The same means, spreads and order. Their number together is that of a plain sample that would say as
        much of the merged mean, so cells of which every row was seen come back as they are.
    """
    whole = math.fsum(rows for sums, rows in cells if sums.n)
    if all(rows == sums.n for sums, rows in cells) or not whole:
        return [sums for sums, _ in cells]
    n = 1 / math.fsum((rows / whole) ** 2 / sums.n for sums, rows in cells if sums.n)
    return [_scaled(sums, n * rows / whole) if sums.n else sums for sums, rows in cells]


def _scaled(sums: Sums, n: float) -> Sums:
    count = max(1, round(n))
    factor = count / sums.n
    histogram = whole_counts([cell * factor for cell in sums.histogram], count)
    return Sums(count, sums.total * factor, sums.squares * factor, histogram)


def _moments(rows: Iterable[tuple[float, float]]) -> tuple[float, float, float]:
    kept = list(rows)
    return (
        math.fsum(weight for _, weight in kept),
        math.fsum(weight * value for value, weight in kept),
        math.fsum(weight * value * value for value, weight in kept),
    )
