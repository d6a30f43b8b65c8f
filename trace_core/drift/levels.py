"""Levels and row variances of the baseline, shrunk where a segment has few logs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Floats, divide


@dataclass(frozen=True, slots=True)
class Levels:
    """What the baseline knows of each series; arrays are (measures, series) unless said otherwise.

    `n` (series,) logs, `level` shrunk mean, `variance` of one row within its series (always above 0),
    `slope` the derivative of that variance by the mean, `mean` (measures,) of the total, unshrunk.
    """

    n: Floats
    level: Floats
    variance: Floats
    slope: Floats
    mean: Floats


def estimate_levels(n: Floats, total: Floats, squares: Floats, accepted: Floats, prior_logs: float) -> Levels:
    """Levels of the accepted nights.

    p_s = (sum_s + k mu) / (n_s + k), an empirical Bayes estimate with k prior logs at the overall mean mu
    (Efron and Morris, "Stein's estimation rule and its competitors", JASA 68, 1973). The variance of a row
    is shrunk the same way and has the floor of a share that was never seen to fail in n rows:
    q (1 - q) with q = 1 / (n + 2) (Laplace's rule of succession), so that a metric that is all 1.0 or all
    0.0 divides by nothing and one odd row is no miracle.
    """
    n_ref = accepted @ n
    total_ref = accepted @ total
    squares_ref = accepted @ squares
    mean = total_ref[:, 0] / n_ref[0]
    level = (total_ref + prior_logs * mean[:, None]) / (n_ref + prior_logs)
    own = divide(total_ref**2, n_ref)
    overall = (squares_ref[:, :1] - own[:, :1]) / n_ref[0]
    spread = np.maximum(squares_ref - own, 0.0)
    variance = (spread + prior_logs * np.maximum(overall, 0.0)) / (n_ref + prior_logs)
    rare = 1.0 / (n_ref + 2.0)
    variance = np.maximum(variance, rare * (1.0 - rare))
    return Levels(n_ref, level, variance, _variance_slope(level, total_ref, squares_ref), mean)


def _variance_slope(level: Floats, total_ref: Floats, squares_ref: Floats) -> Floats:
    """dv/dp = 1 - 2 p of 0/1 scores (their squares sum to the same as they do); 0 of others."""
    binary = np.abs(total_ref[:, :1] - squares_ref[:, :1]) <= 1e-9 * np.maximum(total_ref[:, :1], 1.0)
    return np.where(binary, 1.0 - 2.0 * level, 0.0)
