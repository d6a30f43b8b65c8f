"""The scan: the mean residual of the last w nights against the baseline's, for several w at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Flags, Floats, Integers, divide
from trace_core.drift.autocorrelation import variance_inflation
from trace_core.drift.baseline import Baseline
from trace_core.drift.history import BETTER
from trace_core.drift.tails import degrees_of_freedom, normal_score
from trace_core.drift.weekday import DAYS

MIN_ROW_VARIANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Scan:
    """Statistics per measure, series and window, (measures, series, windows).

    `difference` D_w in score units, `error` its standard error, `z` its normal score, `degrees` of the t
    law; `n` (series, windows) logs. Windows without logs have z = 0. `fit` is |D| over the standard error
    at the baseline's level: the window where it is largest tells best when a change began.
    """

    windows: Integers
    difference: Floats
    error: Floats
    z: Floats
    degrees: Floats
    n: Floats
    fit: Floats


def scan(baseline: Baseline, n: Floats, windows: Integers, series: slice) -> Scan:
    """Score the last w nights of the columns `series` for each w in `windows` (rising).

    D_w = weighted mean of r over the window minus the baseline's, weights 1 / sigma_t^2;
    se^2 = VIF_w / sum sigma_t^-2 + variance of the reference; Z is the normal score of D / se under
    Student's law with nu = min(baseline degrees, 4 + 6 w / kappa). A scan over windows finds large changes
    as fast as a Shewhart chart and small ones as fast as the CUSUM tuned to them (Lai, "Sequential
    changepoint detection in quality control and dynamical systems", JRSS B 57, 1995).
    """
    adjusted = baseline.adjusted
    pick = windows - 1
    recent = (slice(None), slice(-int(windows[-1]), None), series)
    precision = adjusted.precision[recent][:, ::-1]
    sum_w = _per_window(precision, pick)
    sums = _per_window(precision * adjusted.residual[recent][:, ::-1], pick)
    logs = n[recent[1:]][::-1].cumsum(axis=0)[pick].T
    difference = divide(sums, sum_w) - baseline.mean[:, series, None]
    day = divide(_per_window(precision**2, pick), sum_w) * adjusted.days.tau2[:, series, None]
    lengths = windows.astype(np.float64)
    spread = divide(
        variance_inflation(baseline.phi[:, series], baseline.day_share[:, series], lengths), sum_w
    )
    reference = _reference_variance(baseline, lengths, series)
    error = np.sqrt(spread * _tilt(baseline, difference, 1.0 - day, series) + reference)
    degrees = degrees_of_freedom(baseline.kappa[:, series], baseline.degrees[:, series], lengths)
    known = (logs > 0) & (adjusted.levels.n[series] > 0)[:, None]
    difference = np.where(known, difference, 0.0)
    z = normal_score(divide(difference, error), degrees)
    fit = np.abs(divide(difference, np.sqrt(spread + reference)))
    return Scan(windows, difference, error, z, degrees, logs, fit)


def is_better(z: Floats, direction: int) -> Flags:
    """Whether each score (measures, series, windows) is a change for the better, `direction` the metric's."""
    better: Flags = z * (direction * BETTER[: len(z), None, None]) > 0
    return better


def _per_window(values: Floats, pick: Integers) -> Floats:
    """Sums over the windows of values (measures, nights back, series); (measures, series, windows)."""
    return np.swapaxes(values.cumsum(axis=1)[:, pick], 1, 2)


def _reference_variance(baseline: Baseline, windows: Floats, series: slice) -> Floats:
    """Variance of what a window is compared with: the baseline's mean plus the window's weekday effects.

    A weekday's effect, believed to the degree B, has the variance B 7 / m of a night's; the mean of w < 7
    different ones has the part (7 - w) / (7 w) of that, whole weeks have none. Never less than what the
    uncertain levels of the segments add.
    """
    weekdays = np.maximum(DAYS - windows, 0.0) / windows
    variance = baseline.mean_variance[:, series, None] * (
        1.0 + baseline.adjusted.belief[:, series, None] * weekdays
    )
    return np.maximum(variance, baseline.level_variance[:, series, None])


def _tilt(baseline: Baseline, difference: Floats, sampling: Floats, series: slice) -> Floats:
    """Factor on a window's variance for 0/1 scores: the row variance a third of the way to what was seen.

    p (1 - p) grows as p leaves the end of its range, so the variance at the baseline's level makes a few
    failures of a nearly perfect segment a sensation. Taken at p + D / 3 the squared score agrees with the
    likelihood ratio to third order. `sampling` is the part of the variance that is sampling.
    """
    levels = baseline.adjusted.levels
    row, slope = levels.variance[:, series, None], levels.slope[:, series, None]
    third = difference / 3.0
    tilted = np.maximum(row + slope * third - third**2, MIN_ROW_VARIANCE)
    return 1.0 + np.where(slope != 0.0, sampling * (tilted / row - 1.0), 0.0)
