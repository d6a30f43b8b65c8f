"""Day-to-day variance beyond sampling."""

from __future__ import annotations

import numpy as np

from trace_core.drift.arrays import Floats, divide


def day_variance(residual: Floats, weight: Floats, belief: Floats, weekday: Floats) -> tuple[Floats, Floats]:
    """Unclipped moment estimate of tau^2 and its information, both (measures, series).

    tau^2 = (Q - (m - 1 - 6 B)) / c with Q = sum w (r - rbar)^2, w = 1 / sampling variance and
    c = sum w - [(1 - B) sum w^2 / sum w + B sum_j (sum_j w^2 / sum_j w)], j the weekdays: the estimate of
    DerSimonian and Laird ("Meta-analysis in clinical trials", Controlled Clinical Trials 7, 1986) with the
    six degrees of freedom that the weekday effect has used. Only one night: 0 with information 0.
    """
    sum_w = weight.sum(axis=1)
    mean = divide((weight * residual).sum(axis=1), sum_w)
    scatter = (weight * residual**2).sum(axis=1) - sum_w * mean**2
    square = weight**2
    pooled = divide(square.sum(axis=1), sum_w)
    by_day = divide(weekday @ square, weekday @ weight).sum(axis=1)
    information = np.maximum(sum_w - (1.0 - belief) * pooled - belief * by_day, 0.0)
    nights = (weight > 0).sum(axis=1)
    excess = np.where(information > 0, scatter - (nights - 1.0 - 6.0 * belief), 0.0)
    return divide(excess, information), information


def shrink_segments(tau2: Floats, information: Floats, nights: Floats, prior_nights: float) -> Floats:
    """tau_s^2 of segments shrunk to their pooled value, as if by `prior_nights` nights more; never below 0.

    The pooled value weights each segment by its information, for a small segment says little about tau.
    """
    pooled = divide((tau2 * information).sum(axis=-1), information.sum(axis=-1))
    pooled = np.maximum(pooled, 0.0)[:, None]
    return np.maximum((nights * tau2 + prior_nights * pooled) / (nights + prior_nights), 0.0)
