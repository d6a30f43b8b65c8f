"""Seeded nights for the tests of the drift watch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta

import numpy as np

from trace_core.aggregates import Sums
from trace_core.drift import DriftSettings, Night, Verdict, make_detector

FIRST = date(2026, 1, 5)  # a Monday

Level = Callable[[int, str], float]
"""Night number and segment value -> probability that an answer is grounded."""


def passed(n: int, k: int) -> Sums:
    """`n` scores of which `k` are 1.0 and the others 0.0."""
    return Sums(n, float(k), float(k), (n - k, *[0] * 19, k))


def add_up(cells: Iterable[Sums]) -> Sums:
    total = Sums()
    for cell in cells:
        total = total.merge(cell)
    return total


def make_nights(
    count: int,
    level: Level,
    volumes: Mapping[str, float] | Callable[[int], Mapping[str, float]],
    seed: int = 1,
    dimension: str = "tenant",
    fingerprint: Callable[[int], str] = lambda _: "f1",
) -> list[Night]:
    """`count` nights of 0/1 scores with Poisson volumes per value of one dimension."""
    rng = np.random.default_rng(seed)
    nights = []
    for t in range(count):
        cells = {}
        for value, volume in (volumes(t) if callable(volumes) else volumes).items():
            n = int(rng.poisson(volume))
            if n:
                cells[value] = passed(n, int(rng.binomial(n, level(t, value))))
        segments = {dimension: cells} if cells else {}
        nights.append(Night(FIRST + timedelta(t), fingerprint(t), add_up(cells.values()), segments))
    return nights


def watch(
    nights: Iterable[Night], metric: str = "adherence", settings: DriftSettings | None = None
) -> list[Verdict]:
    """Show the nights to a new detector."""
    detector = make_detector(metric, settings)
    return [detector.observe(night) for night in nights]


def pages(verdicts: Iterable[Verdict]) -> list[int]:
    """Numbers of the nights that page."""
    return [i for i, verdict in enumerate(verdicts) if verdict.page]


def events(verdicts: Iterable[Verdict]) -> list[tuple[int, str]]:
    """Numbers of the nights with an event, and the event."""
    return [(i, verdict.event) for i, verdict in enumerate(verdicts) if verdict.event]
