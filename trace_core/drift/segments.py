"""False-discovery control over all segment values of all dimensions of a night."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from trace_core.drift.arrays import Flags, Floats, Integers
from trace_core.drift.scan import Scan, is_better
from trace_core.drift.settings import DriftSettings

FIRST = 1e3
"""Larger than any score: puts windows that count before those that do not."""


@dataclass(frozen=True, slots=True)
class SegmentTests:
    """One test per tested segment value; all arrays (tests,).

    `column` of the series, `measure` and `window` index of its surest eligible window, `looks` the factor by
    which its p-value was corrected for windows, measures and direction, `p` so corrected, `adjusted` for the
    other segments too (Benjamini-Hochberg), `fired`.
    """

    column: Integers
    measure: Integers
    window: Integers
    looks: Floats
    p: Floats
    adjusted: Floats
    fired: Flags


def judge_segments(scan: Scan, baseline_n: Floats, rate: float, settings: DriftSettings) -> SegmentTests:
    """Test every segment with enough logs; `scan` is of the columns 1.. and `baseline_n` (segments,).

    p = 2 Phi(-|Z|) x window factor x measures (x `segment_better_factor` if it is for the better) of the
    surest window that has at least `segment_min_window_n` logs and reaches the effect floor (p = 1 where
    none reaches it), then
    Benjamini-Hochberg at `rate` ("Controlling the false discovery rate", JRSS B 57, 1995) over all segments.
    """
    enough = scan.n >= settings.segment_min_window_n
    enough &= (baseline_n >= settings.segment_min_baseline_n)[:, None]
    column = np.flatnonzero(enough.any(axis=1))
    z = np.where(enough, np.abs(scan.z), 0.0)[:, column]
    large = (np.abs(scan.difference[:, column]) >= settings.segment_floor) & (z > 0)
    factor = np.where(is_better(scan.z, settings.direction)[:, column], settings.segment_better_factor, 1.0)
    looks = factor * settings.segment_window_factor * len(scan.z)
    windows_p = np.where(large, np.minimum(2.0 * ndtr(-z) * looks, 1.0), 1.0)
    measure, window = _largest_window(np.where(large, FIRST - windows_p, z))
    rows = np.arange(len(column))
    p = windows_p[measure, rows, window]
    adjusted = false_discovery_adjust(p)
    fired = adjusted <= rate
    if fired.any():
        # Among the windows that are sure enough, the one that fits the change best tells its onset.
        able = windows_p <= p[fired].max()
        measure, window = _largest_window(np.where(able, FIRST + scan.fit[:, column], z))
    return SegmentTests(column + 1, measure, window, looks[measure, rows, window], p, adjusted, fired)


def _largest_window(values: Floats) -> tuple[Integers, Integers]:
    """Measure and window index of each segment's largest value, (segments,)."""
    measures, segments, windows = values.shape
    flat = np.moveaxis(values, 1, 0).reshape(segments, measures * windows)
    measure, window = np.divmod(flat.argmax(axis=1), windows)
    return measure, window


def false_discovery_adjust(p: Floats) -> Floats:
    """Benjamini-Hochberg adjusted p-values, p_(i) m / i made monotone from the largest down.

    The same numbers as `scipy.stats.false_discovery_control`, whose argument checks would take a third of
    the time of a night.
    """
    order = p.argsort(kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)
