"""The weekday rhythm, believed only as far as it stands out of the noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Floats, Integers, divide

DAYS = 7
WEEKDAYS = np.arange(DAYS)[:, None]


@dataclass(frozen=True, slots=True)
class Weekday:
    """`effect` (measures, 7, series) in score units, `belief` B (measures, series) in 0..1."""

    effect: Floats
    belief: Floats


def indicator(days: Integers) -> Floats:
    """(7, nights): 1 where the night falls on the weekday (0 is Monday), from proleptic ordinals."""
    return np.equal((days + 6) % DAYS, WEEKDAYS).astype(np.float64)


def estimate_weekday(residual: Floats, weight: Floats, weekday: Floats) -> Weekday:
    """Shrunk weekday effects b_j = B m_j with B = clip(1 - mean se_j^2 / var(m_j), 0, 1).

    m_j is the weighted mean residual of weekday j about the mean of the m_j, se_j^2 its variance from
    sampling and from the scatter within weekdays (empirical Bayes; Morris, "Parametric empirical Bayes
    inference", JASA 78, 1983). A segment has the total's effect and, estimated in the same way, one of its
    own on top. `weight` is 1 / sampling variance, 0 for nights that are not baseline. Fewer than two
    weekdays with data: no effect.
    """
    sum_w = weekday @ weight
    weighted = weight * residual
    mean = divide(weekday @ weighted, sum_w)
    ratio = divide(weekday @ (weight * weight), sum_w)
    seen = (sum_w > 0).astype(np.float64)
    days = seen.sum(axis=1)
    # Day-to-day variance within weekdays, by moments (see variance.py).
    scatter = (weighted * residual).sum(axis=1) - (sum_w * mean * mean).sum(axis=1)
    freedom = (weight > 0).sum(axis=1) - days
    information = (sum_w - ratio).sum(axis=1)
    tau2 = np.maximum(divide(np.where(information > 0, scatter - freedom, 0.0), information), 0.0)
    error = divide(divide(seen + tau2[:, None] * ratio, sum_w).sum(axis=1), days)
    effect = np.zeros_like(mean)
    belief = np.zeros_like(days)
    for series in (slice(0, 1), slice(1, None)):
        common = effect[:, :, :1] if series.start else 0.0
        deviation = _deviation(mean[:, :, series] - common, seen[:, :, series], days[:, series])
        spread = (deviation * deviation).sum(axis=1) / np.maximum(days[:, series] - 1.0, 1.0)
        believed = (spread > error[:, series]) & (freedom[:, series] > 0)
        belief[:, series] = np.where(believed, 1.0 - divide(error[:, series], spread), 0.0)
        effect[:, :, series] = common + belief[:, None, series] * deviation
    return Weekday(effect, belief)


def _deviation(mean: Floats, seen: Floats, days: Floats) -> Floats:
    """Weekday means about their own mean, 0 for weekdays without data."""
    centre = divide((mean * seen).sum(axis=1), days)
    deviation: Floats = (mean - centre[:, None]) * seen
    return deviation
