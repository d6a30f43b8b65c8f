"""Day-to-day variance beyond sampling, with what is not known about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from trace_core.drift.arrays import Floats, divide

LOG_ROOT_TWO_PI = 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True, slots=True)
class Moments:
    """Unclipped moment estimate of tau^2, (measures, series) each.

    `information` is the factor c of `day_variance`, `degrees` the degrees of freedom of the scatter; its
    standard error is sqrt(2 degrees) / c when there is no day-to-day variance.
    """

    tau2: Floats
    information: Floats
    degrees: Floats


@dataclass(frozen=True, slots=True)
class DayVariance:
    """`tau2` and the degrees of freedom of the variance of a night, V + tau^2; (measures, series)."""

    tau2: Floats
    degrees: Floats


def day_variance(residual: Floats, weight: Floats, belief: Floats, weekday: Floats) -> Moments:
    """Moment estimate of tau^2.

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
    degrees = np.maximum((weight > 0).sum(axis=1) - 1.0 - 6.0 * belief, 1.0)
    excess = np.where(information > 0, scatter - degrees, 0.0)
    return Moments(divide(excess, information), information, degrees)


def shrink_segments(moments: Moments, prior_nights: float) -> Moments:
    """tau_s^2 of the segments (columns 1..) shrunk to their pooled value as if by `prior_nights` more nights.

    The pooled value weights each segment by its information, for a small segment says little about tau.
    """
    tau2, information, degrees = moments.tau2[:, 1:], moments.information[:, 1:], moments.degrees[:, 1:]
    pooled = divide((tau2 * information).sum(axis=1), information.sum(axis=1))
    pooled = np.maximum(pooled, 0.0)[:, None]
    more = 1.0 + prior_nights / degrees
    shrunk = (tau2 + (more - 1.0) * pooled) / more
    return Moments(
        np.concatenate([moments.tau2[:, :1], shrunk], axis=1),
        np.concatenate([moments.information[:, :1], information * more], axis=1),
        np.concatenate([moments.degrees[:, :1], degrees * more], axis=1),
    )


def believe(moments: Moments) -> DayVariance:
    """Posterior mean of tau^2 >= 0 under a flat prior, and the degrees of freedom of V + tau^2.

    The estimate x is about normal with standard error s = sqrt(2 / nu) (V + x), V the typical sampling
    variance, so tau^2 given x is a normal cut off at 0: its mean is x + s h(x / s), its variance
    s^2 (1 - k h - h^2) with k = x / s and h = phi / Phi. An estimate of 0 is thus not taken as proof that
    days are all alike. Satterthwaite's degrees of freedom are 2 (V + tau^2)^2 over that variance: sampling
    variance is known, only the part of tau is estimated.
    """
    x = moments.tau2
    relative = np.sqrt(2.0 / moments.degrees)
    known = moments.information > 0
    sampling = np.where(known, moments.degrees / np.where(known, moments.information, 1.0), 1.0)
    error = relative * (sampling + np.maximum(x, 0.0))
    k = divide(x, error)
    hazard = np.exp(-0.5 * k**2 - LOG_ROOT_TWO_PI - log_ndtr(k))
    tau2 = np.maximum(x + error * hazard, 0.0)
    variance = error**2 * np.maximum(1.0 - k * hazard - hazard**2, 1e-3)
    return DayVariance(tau2, divide(2.0 * (sampling + tau2) ** 2, variance))
