"""The change report: what a change between two periods is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from trace_core.aggregates import Sums
from trace_core.drift.night import Cell


@dataclass(frozen=True, slots=True)
class SegmentChange:
    """One segment value's part of a change, in score units.

    `mix` is what its change of traffic did, `within` what its change of quality did as far as it stands out
    of chance, `noise` the rest; `before` and `after` are its means (None without logs).
    """

    value: str
    before: float | None
    after: float | None
    mix: float
    within: float
    noise: float


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """total = mix + within + scorer + noise, in score units, to rounding error.

    `segments` sum to `mix`, `within` and `noise` and are ordered by |within|, then |mix|, largest first.
    """

    total: float
    mix: float
    within: float
    scorer: float
    noise: float
    segments: tuple[SegmentChange, ...]


def report_change(
    before: Mapping[str, Cell],
    after: Mapping[str, Cell],
    scorer_shift: float = 0.0,
    day_variance: float = 0.0,
) -> ChangeReport:
    """Split the change of the mean between two periods by the values of one dimension.

    With pi the traffic shares, p the means and y0 the overall mean before, value s has
    mix_s = (pi1_s - pi0_s)(p0_s - y0) and change_s = pi1_s (p1_s - p0_s - scorer_shift), which add up to
    y1 - y0 - scorer_shift (Kitagawa, "Components of a difference between two rates", JASA 50, 1955). Of
    change_s the part change_s max(0, 1 - e_s^2 / change_s^2) is believed, e_s its standard error from
    sampling and `day_variance` (positive-part James-Stein); the rest is noise. A value without logs before
    is compared with y0.

    Args:
        before, after: cells of every value of one dimension; summed over a period's nights.
        scorer_shift: change of level that a new scorer brought, from a sample scored by both.
        day_variance: variance of a segment's mean beyond sampling, tau^2 over the number of nights.

    Raises:
        ValueError: when a period has no logs.
    """
    n0, n1 = sum(cell.n for cell in before.values()), sum(cell.n for cell in after.values())
    if n0 == 0 or n1 == 0:
        raise ValueError("a change needs logs in both periods")
    y0 = math.fsum(cell.total for cell in before.values()) / n0
    y1 = math.fsum(cell.total for cell in after.values()) / n1
    parts = [
        _split_value(
            value, before.get(value, Sums()), after.get(value, Sums()), n0, n1, y0, scorer_shift, day_variance
        )
        for value in sorted({*before, *after})
    ]
    parts.sort(key=lambda part: (-abs(part.within), -abs(part.mix)))
    return ChangeReport(
        total=y1 - y0,
        mix=math.fsum(part.mix for part in parts),
        within=math.fsum(part.within for part in parts),
        scorer=scorer_shift,
        noise=math.fsum(part.noise for part in parts),
        segments=tuple(parts),
    )


def _split_value(
    value: str, old: Cell, new: Cell, n0: int, n1: int, y0: float, shift: float, day_variance: float
) -> SegmentChange:
    p0 = old.total / old.n if old.n else y0
    mix = (new.n / n1 - old.n / n0) * (p0 - y0)
    if not new.n:
        return SegmentChange(value, p0, None, mix, 0.0, 0.0)
    share, p1 = new.n / n1, new.total / new.n
    change = share * (p1 - p0 - shift)
    row = _row_variance(old, new)
    sampling = row / new.n + (row / old.n if old.n else 0.0)
    error2 = share**2 * (sampling + day_variance)
    believed = change - error2 / change if change**2 > error2 else 0.0
    return SegmentChange(value, p0 if old.n else None, p1, mix, believed, change - believed)


def _row_variance(old: Cell, new: Cell) -> float:
    """Variance of a score within the two periods, never 0 (Laplace's rule of succession)."""
    n = old.n + new.n
    spread = sum(cell.squares - cell.total**2 / cell.n for cell in (old, new) if cell.n)
    rare = 1.0 / (n + 2.0)
    return max(spread / n, rare * (1.0 - rare))
