"""The change report of an incident: what the change between its baseline and its window is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import reduce
from typing import Any

from trace_core.aggregates import Sums
from trace_core.drift import Check, DriftSettings, Night, report_change
from trace_core.weighted import proportioned

_SHOWN_SEGMENTS = 10


def change_of(nights: Sequence[Night], check: Check, settings: DriftSettings) -> Mapping[str, Any]:
    """Return the additive split of the change that `check` found on the last of `nights`.

    Keys dimension, total, mix, within, scorer, noise (score units; the four parts sum to total) and segments,
    largest first. Nights of an earlier scorer were carried over a bridge before, so the scorer's part is 0.
    The report is of all traffic, whichever segment the check is about. Empty when a period has no logs.
    """
    last = nights[-1].day
    first = last - timedelta(days=check.window_nights - 1)
    start, end = (_day(check.evidence.get(name)) for name in ("baseline_from", "baseline_to"))
    if start is None or end is None:
        return {}
    dimension = _dimension(nights[-1], settings)
    before = _merged((night for night in nights if start <= night.day <= end), dimension)
    after = _merged((night for night in nights if first <= night.day), dimension)
    try:
        report = report_change(before, after)
    except ValueError:
        return {}
    parts = [
        {
            "value": part.value,
            "before": part.before,
            "after": part.after,
            "mix": part.mix,
            "within": part.within,
            "noise": part.noise,
        }
        for part in report.segments[:_SHOWN_SEGMENTS]
    ]
    numbers = {name: getattr(report, name) for name in ("total", "mix", "within", "scorer", "noise")}
    return {"dimension": dimension, **numbers, "segments": parts}


def _dimension(night: Night, settings: DriftSettings) -> str:
    if settings.mix_dimension in night.segments:
        return settings.mix_dimension
    others = sorted(name for name in night.segments if name != settings.release_dimension)
    return others[0] if others else ""


def _merged(nights: Iterable[Night], dimension: str) -> dict[str, Sums]:
    values: list[str] = []
    cells: list[tuple[Sums, float]] = []
    for night in nights:
        for value, cell in (night.segments.get(dimension, {}) if dimension else {"": night.total}).items():
            sums = Sums(cell.n, cell.total, cell.squares, tuple(cell.histogram))
            values.append(value if dimension else "all")
            cells.append((sums, night.stands_for(dimension, value, cell)))
    found: dict[str, list[Sums]] = {}
    for value, sums in zip(values, proportioned(cells), strict=True):
        found.setdefault(value, []).append(sums)
    return {value: reduce(Sums.merge, parts) for value, parts in found.items()}


def _day(value: object) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else None
