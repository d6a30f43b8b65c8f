"""The drift watch on driftbench: `make_detector` for its single-series interface."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

from trace_core.aggregates import HISTOGRAM_CELLS, Sums
from trace_core.drift import Night
from trace_core.drift import make_detector as make_watch

FIRST_MONDAY = date(2024, 1, 1)


class Adapter:
    """Feeds one simulated series, night by night, to the detector that the nightly run uses."""

    def __init__(self, spec: Any) -> None:
        self.watch = make_watch(spec.metric, evidence=False)
        self.cells = np.floor(20 * np.asarray(spec.grid) + 0.5).astype(int)

    def step(self, day: Any) -> bool:
        """Whether a person is paged tonight."""
        histogram = np.zeros((len(day.n) + 1, HISTOGRAM_CELLS), dtype=int)
        histogram[1:, self.cells] = day.hist
        histogram[0] = histogram[1:].sum(axis=0)
        rows = histogram.tolist()
        segments = {
            str(i): Sums(int(n), total, squares, tuple(rows[i + 1]))
            for i, (n, total, squares) in enumerate(
                zip(day.n.tolist(), day.s.tolist(), day.ss.tolist(), strict=True)
            )
            if n
        }
        total = Sums(int(day.n.sum()), float(day.s.sum()), float(day.ss.sum()), tuple(rows[0]))
        when = FIRST_MONDAY + timedelta(days=int(day.t))
        return self.watch.observe(Night(when, str(day.version), total, {"tenant": segments})).page


def make_detector(spec: Any) -> Adapter:
    """A driftbench factory: one detector per series."""
    return Adapter(spec)


make_detector.single = True  # type: ignore[attr-defined]
