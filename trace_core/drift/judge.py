"""One night's findings: the strongest window of the total and of each tested segment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Integers
from trace_core.drift.baseline import Baseline
from trace_core.drift.history import History
from trace_core.drift.scan import Scan, scan
from trace_core.drift.segments import FIRST, SegmentTests, judge_segments
from trace_core.drift.settings import DriftSettings

TOTAL_COLUMN = slice(0, 1)
SEGMENT_COLUMNS = slice(1, None)


@dataclass(frozen=True, slots=True)
class Finding:
    """A series' strongest window: `column` and `measure` index it, `window` nights, `index` of the window."""

    column: int
    measure: int
    window: int
    index: int
    difference: float
    z: float
    fired: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scans and findings of a night; `findings` are the total and then the segments that fired."""

    baseline: Baseline
    total_scan: Scan
    segment_scan: Scan
    segment_tests: SegmentTests
    total: Finding
    segments: tuple[Finding, ...]


def judge(history: History, baseline: Baseline, scannable: int, settings: DriftSettings) -> Judgement:
    """Scan the last `scannable` nights (at least 1) against the baseline."""
    longest = min(scannable, len(history) - baseline.usable)
    total_windows = _windows(settings.windows_nights, longest)
    segment_windows = _windows(settings.segment_windows_nights, longest)
    total_scan = scan(baseline, history.n, total_windows, TOTAL_COLUMN)
    segment_scan = scan(baseline, history.n, segment_windows, SEGMENT_COLUMNS)
    tests = judge_segments(segment_scan, baseline.adjusted.levels.n[1:], settings)
    strongest, fired = strongest_total(total_scan, settings), _fired_segments(segment_scan, tests)
    return Judgement(baseline, total_scan, segment_scan, tests, strongest, fired)


def _windows(configured: tuple[int, ...], longest: int) -> Integers:
    return np.array([w for w in configured if w <= longest] or [configured[0]], dtype=np.int64)


def total_threshold(measures: int, settings: DriftSettings) -> float:
    """h, or sqrt(h^2 + 2 ln measures) when several measures are scanned (Bonferroni's price in Z)."""
    return math.sqrt(settings.threshold**2 + 2.0 * math.log(measures))


def strongest_total(total: Scan, settings: DriftSettings) -> Finding:
    """Of the windows that fire the one that fits the change best, else the one with the largest |Z|."""
    z = np.abs(total.z[:, 0])
    floor = np.full((len(z), 1), settings.shape_floor)
    floor[0] = settings.floor
    threshold = total_threshold(len(z), settings)
    fires = (z >= threshold) & (np.abs(total.difference[:, 0]) >= floor)
    measure, index = np.unravel_index(int(np.where(fires, FIRST + total.fit[:, 0], z).argmax()), z.shape)
    difference, score = float(total.difference[measure, 0, index]), float(total.z[measure, 0, index])
    window, fired = int(total.windows[index]), bool(fires[measure, index])
    return Finding(0, int(measure), window, int(index), difference, score, fired)


def _fired_segments(segment_scan: Scan, tests: SegmentTests) -> tuple[Finding, ...]:
    found = []
    for i in np.flatnonzero(tests.fired).tolist():
        column, measure, index = int(tests.column[i]), int(tests.measure[i]), int(tests.window[i])
        at = (measure, column - 1, index)
        window, difference = int(segment_scan.windows[index]), float(segment_scan.difference[at])
        found.append(Finding(column, measure, window, index, difference, float(segment_scan.z[at]), True))
    return tuple(sorted(found, key=lambda finding: -abs(finding.z)))
