"""Heavy tails: how far a nightly residual may stray, and the normal score of a t statistic."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtr

from trace_core.drift.arrays import Floats, divide

MIN_DEGREES = 2.5
SMALLEST_TAIL = 1e-300


def excess_kurtosis(score: Floats, nights: Floats, prior: Floats, prior_nights: float) -> Floats:
    """Excess kurtosis of standardised residuals (measures, nights, series), shrunk to `prior` as if by
    `prior_nights` nights more; (measures, series), never below 0.

    The prior is 3 (tau^2 / (tau^2 + V))^2: sampling error is normal, day effects are like Laplace's.
    """
    squares = score**2
    second = divide(squares.sum(axis=1), nights)
    fourth = divide((squares**2).sum(axis=1), nights)
    kurtosis = divide(fourth, second**2) - 3.0
    return np.maximum((nights * kurtosis + prior_nights * prior) / (nights + prior_nights), 0.0)


def degrees_of_freedom(kurtosis: Floats, baseline: Floats, windows: Floats) -> Floats:
    """nu = min(baseline degrees, 4 + 6 w / kappa), (..., windows).

    A t law with nu degrees has excess kurtosis 6 / (nu - 4), and a mean of w nights has kappa / w.
    """
    tails = 4.0 + 6.0 * windows / np.maximum(kurtosis, 1e-9)[..., None]
    return np.maximum(np.minimum(baseline[..., None], tails), MIN_DEGREES)


def normal_score(t: Floats, degrees: Floats) -> Floats:
    """Z with the same tail probability under the normal law as t under Student's; finite for any t."""
    tail = np.maximum(stdtr(degrees, -np.abs(t)), SMALLEST_TAIL)
    score: Floats = np.copysign(ndtri(tail), t)
    return score
