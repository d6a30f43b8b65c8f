"""One night's findings: the strongest window of the total and of each tested segment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Floats, Integers
from trace_core.drift.baseline import Baseline, is_young
from trace_core.drift.history import History
from trace_core.drift.scan import Scan, is_better, scan
from trace_core.drift.segments import FIRST, SegmentTests, judge_segments
from trace_core.drift.settings import DriftSettings

TOTAL_COLUMN = slice(0, 1)
SEGMENT_COLUMNS = slice(1, None)


@dataclass(frozen=True, slots=True)
class Finding:
    """A series' strongest window: `column` and `measure` index it, `window` nights, `index` of the window,
    `error` the standard error of `difference`.
    """

    column: int
    measure: int
    window: int
    index: int
    difference: float
    error: float
    z: float
    fired: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scans and findings of a night: the total's, and the segments that fired, strongest first.

    `threshold` (measures, windows) is the |Z| that the total has to reach, `rate` the false-discovery rate
    of the segments.
    """

    baseline: Baseline
    total_scan: Scan
    segment_scan: Scan
    segment_tests: SegmentTests
    threshold: Floats
    rate: float
    total: Finding
    segments: tuple[Finding, ...]


def judge(history: History, baseline: Baseline, scannable: int, settings: DriftSettings) -> Judgement:
    """Scan the last `scannable` nights (at least 1) against the baseline."""
    longest = min(scannable, len(history) - baseline.usable)
    total_windows = _windows(settings.windows_nights, longest)
    segment_windows = _windows(settings.segment_windows_nights, longest)
    total_scan = scan(baseline, history.n, total_windows, TOTAL_COLUMN)
    segment_scan = scan(baseline, history.n, segment_windows, SEGMENT_COLUMNS)
    young = is_young(len(history), settings)
    rate = settings.young_false_discovery_rate if young else settings.segment_false_discovery_rate
    tests = judge_segments(segment_scan, baseline.adjusted.levels.n[1:], rate, settings)
    threshold = total_thresholds(total_scan, young, settings)
    strongest = strongest_total(total_scan, threshold, settings)
    fired = _fired_segments(segment_scan, tests)
    return Judgement(baseline, total_scan, segment_scan, tests, threshold, rate, strongest, fired)


def _windows(configured: tuple[int, ...], longest: int) -> Integers:
    return np.array([w for w in configured if w <= longest] or [configured[0]], dtype=np.int64)


def total_thresholds(total: Scan, young: bool, settings: DriftSettings) -> Floats:
    """The |Z| each measure and window of the total has to reach, (measures, windows).

    h by the direction of the change, and sqrt(h^2 + 2 ln measures) when several measures are scanned
    (Bonferroni's price in Z).
    """
    better = is_better(total.z, settings.direction)[:, 0]
    threshold = np.where(better, settings.better_threshold, settings.threshold)
    threshold = np.maximum(threshold, settings.young_threshold if young else 0.0)
    threshold += np.where(total.windows >= settings.long_window_nights, settings.long_window_margin, 0.0)
    needed: Floats = np.sqrt(threshold**2 + 2.0 * math.log(len(total.z)))
    return needed


def strongest_total(total: Scan, threshold: Floats, settings: DriftSettings) -> Finding:
    """Of the windows that fire the one that fits the change best, else the one with the largest |Z|."""
    z = np.abs(total.z[:, 0])
    floor = np.full((len(z), 1), settings.shape_floor)
    floor[0] = settings.floor
    fires = (z >= threshold) & (np.abs(total.difference[:, 0]) >= floor)
    measure, index = np.unravel_index(int(np.where(fires, FIRST + total.fit[:, 0], z).argmax()), z.shape)
    return _finding(total, 0, int(measure), int(index), bool(fires[measure, index]))


def _finding(scan: Scan, column: int, measure: int, index: int, fired: bool) -> Finding:
    at = (measure, max(column - 1, 0), index)
    difference, error, score = float(scan.difference[at]), float(scan.error[at]), float(scan.z[at])
    return Finding(column, measure, int(scan.windows[index]), index, difference, error, score, fired)


def _fired_segments(segment_scan: Scan, tests: SegmentTests) -> tuple[Finding, ...]:
    found = [
        _finding(segment_scan, int(tests.column[i]), int(tests.measure[i]), int(tests.window[i]), True)
        for i in np.flatnonzero(tests.fired).tolist()
    ]
    return tuple(sorted(found, key=lambda finding: -abs(finding.z)))
