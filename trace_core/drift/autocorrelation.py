"""Correlation of one night with the next, and what it does to the variance of a window's mean."""

from __future__ import annotations

import numpy as np

from trace_core.drift.arrays import Floats, divide


def lag_products(score: Floats, present: Floats) -> tuple[Floats, Floats]:
    """Sum of products of consecutive nights and the sum of squares it compares with, (measures, series).

    `score` are standardised residuals (measures, nights, series), 0 where `present` (nights, series) is 0.
    """
    pairs = (present[1:] * present[:-1]).sum(axis=0)
    products = (score[:, 1:] * score[:, :-1]).sum(axis=1)
    squares = (score**2).sum(axis=1) * divide(pairs, present.sum(axis=0))
    return products, squares


def shrink_correlation(products: Floats, squares: Floats, nights: float, largest: float) -> Floats:
    """rho = products / squares, corrected for its bias and shrunk to 0.

    The lag-1 correlation of m nights is too low by about (1 + 3 rho) / m (Marriott and Pope, "Bias in the
    estimation of autocorrelations", Biometrika 41, 1954) and has variance 1 / m, hence
    clip(rho + (1 + 3 rho) / m, 0, largest) and then rho^3 / (rho^2 + 1 / m). Negative values count as 0.
    """
    m = max(nights, 1.0)
    rho = divide(products, squares)
    rho = np.clip(rho + (1.0 + 3.0 * rho) / m, 0.0, largest)
    shrunk: Floats = rho**3 / (rho**2 + 1.0 / m)
    return shrunk


def day_correlation(rho: Floats, day_share: Floats, largest: float) -> Floats:
    """phi = rho / share: sampling errors of two nights are independent, so a correlation rho of the nightly
    means is one of phi of the day effects, whose part of the variance is `day_share`.
    """
    return np.minimum(divide(rho, day_share), largest)


def variance_inflation(phi: Floats, day_share: Floats, windows: Floats) -> Floats:
    """VIF_w = 1 + share 2 sum_(i<w) (1 - i/w) phi^i, the variance of a mean of w nights relative to that of
    independent ones when the day effects are an AR(1) and sampling errors are not; (..., windows).

    In closed form 1 + share ((1 + phi) / (1 - phi) - 2 phi (1 - phi^w) / (w (1 - phi)^2) - 1).
    """
    r, share = phi[..., None], day_share[..., None]
    correlated = (1 + r) / (1 - r) - 2 * r * (1 - r**windows) / (windows * (1 - r) ** 2)
    inflation: Floats = 1 + share * (correlated - 1)
    return inflation
