"""The exact split of a night's change into mix and within-segment change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Floats, Integers
from trace_core.drift.levels import Levels


@dataclass(frozen=True, slots=True)
class Split:
    """Within-segment residuals and their sampling precision.

    `residual` (measures, nights, series): for the total W_t, for a segment its mean minus its level.
    `precision` the same shape: 1 / sampling variance of each residual, 0 where there are no logs.
    `mix` (measures, nights): M_t of the total. `baseline_variance` (measures,): what the uncertain levels
    add to W_t at tonight's traffic.
    """

    residual: Floats
    precision: Floats
    mix: Floats
    baseline_variance: Floats


def split_nights(
    n: Floats, traffic: Floats, total: Floats, levels: Levels, reference: Floats, mix_columns: Integers
) -> Split:
    """Split each night's total by the traffic of the mix dimension.

    `n` (nights, series) is what the sums are of and how much is known, `traffic` the logs that this stands
    for (the same unless a night was judged in part), `reference` (series,) the baseline's traffic.

    With pi the traffic shares: ybar_t - ybar_ref = W_t + M_t,
    W_t = ybar_t - sum_s pi_ts p_s (within) and M_t = sum_s (pi_ts - pi_ref,s) p_s (mix), which is
    Kitagawa's standardisation ("Components of a difference between two rates", JASA 50, 1955). Logs outside
    every known value of the dimension count at the overall level. The sampling variance of W_t is
    V_t = sum_s pi_ts v_s / n_t.
    """
    mean = total / np.maximum(n, 1.0)
    residual = mean - levels.level[:, None, :]
    precision = n / levels.variance[:, None, :]
    if len(mix_columns) == 0:
        residual[:, :, 0] = mean[:, :, 0] - levels.mean[:, None]
        return Split(residual, precision, np.zeros(residual.shape[:2]), levels.variance[:, 0] / levels.n[0])
    share, usual = _shares(traffic, reference, mix_columns)
    level = np.concatenate([levels.level[:, mix_columns], levels.mean[:, None]], axis=1)
    row_variance = np.concatenate([levels.variance[:, mix_columns], levels.variance[:, :1]], axis=1)
    standard = level @ share.T
    residual[:, :, 0] = mean[:, :, 0] - standard
    precision[:, :, 0] = n[:, 0] / (row_variance @ share.T)
    known = np.append(levels.n[mix_columns], levels.n[0])
    uncertain = (share[-1] ** 2 * row_variance / np.maximum(known, 1.0)).sum(axis=1)
    return Split(residual, precision, standard - (level @ usual)[:, None], uncertain)


def _shares(n: Floats, n_ref: Floats, columns: Integers) -> tuple[Floats, Floats]:
    """Traffic shares per night and of the baseline; the last column is the rest without a value."""
    values = n[:, columns]
    rest = np.maximum(n[:, 0] - values.sum(axis=1), 0.0)
    share = np.column_stack([values, rest]) / n[:, :1]
    known = n_ref[columns]
    reference = np.append(known, max(n_ref[0] - known.sum(), 0.0)) / n_ref[0]
    return share, reference / reference.sum()
