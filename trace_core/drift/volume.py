"""Is the traffic there at all: the number of scored logs against the same weekday of earlier weeks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Literal

VolumeState = Literal["learning", "ok", "no_data", "low"]
USUAL_WEEKS = 8
"""Weeks back that tell the usual volume of a weekday."""
MIN_NIGHTS = 3
"""Fewer nights of the weekday than this tell nothing."""
LOW_FRACTION = 0.5
"""Below this fraction of the usual volume the night is low."""
LOW_DEVIATIONS = 4.0
"""A small usual volume must also be missed by this many Poisson deviations."""


@dataclass(frozen=True, slots=True)
class VolumeCheck:
    """`expected` logs are the median of the weekday (None while learning)."""

    day: date
    n: int
    expected: float | None
    state: VolumeState
    text: str


def judge_volume(history: Sequence[tuple[date, int]], day: date, n: int) -> VolumeCheck:
    """Judge the number of logs of a night; `history` gives (day, logs) of earlier nights in any order.

    >>> mondays = [(date(2026, 6, d), 400) for d in (1, 8, 15)]
    >>> judge_volume(mondays, date(2026, 6, 22), 150).text
    '150 logs on 2026-06-22, usually 400 on this weekday: half the usual traffic or less.'
    """
    same = [
        count
        for past, count in history
        if count and past < day and (day - past).days <= 7 * USUAL_WEEKS and past.weekday() == day.weekday()
    ]
    expected = float(median(same)) if len(same) >= MIN_NIGHTS else None
    usually = "" if expected is None else f", usually {expected:.0f} on this weekday"
    if n == 0:
        return VolumeCheck(day, n, expected, "no_data", f"No logs on {day.isoformat()}{usually}.")
    text = f"{n} logs on {day.isoformat()}{usually}"
    if expected is None:
        return VolumeCheck(day, n, expected, "learning", f"{text}; the usual volume is not known yet.")
    if n < LOW_FRACTION * expected and expected - n > LOW_DEVIATIONS * math.sqrt(expected):
        return VolumeCheck(day, n, expected, "low", f"{text}: half the usual traffic or less.")
    return VolumeCheck(day, n, expected, "ok", f"{text}.")
