"""The change report as a table whose rounded figures still add up, by row and by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

PARTS = ("mix", "within", "scorer", "noise")
_STEPS = 10_000  # shown to a hundredth of a point


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One value's part of a change, in points.

    `before` and `after` are its means in per cent, None without logs. `total` is the sum of the four parts as
    they are shown.
    """

    value: str
    before: float | None
    after: float | None
    mix: float
    within: float
    scorer: float
    noise: float

    @property
    def total(self) -> float:
        """The row's sum, exact in the figures shown."""
        return round(self.mix + self.within + self.scorer + self.noise, 2)


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """What a change of all traffic is made of: rows of one dimension, and their sum."""

    dimension: str
    rows: tuple[ChangeRow, ...]
    sum: ChangeRow


def change_table(change: Mapping[str, Any]) -> ChangeTable | None:
    """Return the table of a stored change report (`trace_pipeline.changes.change_of`); None without one.

    Values beyond those stored are one row, `all other values`; what the scorer did is a row of its own, for
    it is not a segment's. Figures are rounded so that every row and column adds up to the total.
    """
    if not change or any(change.get(name) is None for name in PARTS):
        return None
    sums = dict(zip(PARTS, adding_up([float(change[name]) for name in PARTS]), strict=True))
    segments: Sequence[Mapping[str, Any]] = change.get("segments") or []
    named = [(str(part["value"]), part.get("before"), part.get("after")) for part in segments]
    columns: dict[str, list[float]] = {}
    for name in ("mix", "within", "noise"):
        cells = [float(part[name]) for part in segments]
        rest = float(change[name]) - fsum(cells)
        columns[name] = adding_up([*cells, rest], sums[name])
    rows = [
        ChangeRow(value, _per_cent(before), _per_cent(after), *_cells(columns, at))
        for at, (value, before, after) in enumerate(named)
    ]
    other = ChangeRow("all other values", None, None, *_cells(columns, len(named)))
    if any((other.mix, other.within, other.noise)):
        rows.append(other)
    if sums["scorer"]:
        rows.append(ChangeRow("new scorer version", None, None, 0.0, 0.0, sums["scorer"], 0.0))
    total = ChangeRow("all traffic", None, None, sums["mix"], sums["within"], sums["scorer"], sums["noise"])
    return ChangeTable(str(change.get("dimension") or ""), tuple(rows), total)


def adding_up(parts: Sequence[float], total: float | None = None) -> list[float]:
    """Round parts (score units) to hundredths of a point so that they add up to `total` points.

    Each is rounded down or up, those with the largest remainder up (Hamilton's method). Without `total` their
    own sum is rounded and is the total.
    """
    scaled = [part * _STEPS for part in parts]
    wanted = round(fsum(scaled)) if total is None else round(total * 100)
    floors = [int(value // 1) for value in scaled]
    missing = wanted - sum(floors)
    order = sorted(range(len(parts)), key=lambda at: floors[at] - scaled[at])
    # More are missing than there are parts only if `total` is not their sum; then each takes a share.
    for turn in range(abs(missing)):
        floors[order[turn % len(order)]] += 1 if missing > 0 else -1
    return [value / 100 for value in floors]


def _cells(columns: Mapping[str, Sequence[float]], at: int) -> tuple[float, float, float, float]:
    return columns["mix"][at], columns["within"][at], 0.0, columns["noise"][at]


def _per_cent(share: Any) -> float | None:
    return None if share is None else 100 * float(share)
