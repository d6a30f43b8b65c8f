"""Logistic regression with signs, weights and a penalty on errors of group shares; deterministic."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Groups:
    """Rows that belong together, one group after another: sizes, and how much the error of a share counts."""

    sizes: NDArray[np.int64]
    weight: float


def fit(
    rows: Floats,
    labels: Floats,
    weights: Floats,
    signs: list[int],
    groups: Groups | None = None,
    ridge: float = 5.0,
) -> tuple[Floats, float]:
    """Coefficients and intercept for raw features.

    A sign of 1 keeps a coefficient at or above 0. With groups, the squared error between each group's mean
    probability and its share of positive labels is minimised as well. A larger ridge keeps coefficients of
    features that say the same from drifting apart.
    """
    mean = np.average(rows, axis=0, weights=weights)
    scale = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    scale[scale < 1e-9] = 1.0
    scaled = (rows - mean) / scale
    share = weights / weights.sum()
    penalty = ridge / len(labels)
    size = rows.shape[1]

    def loss(theta: Floats) -> tuple[float, Floats]:
        logits = scaled @ theta[:size] + theta[size]
        p = 1.0 / (1.0 + np.exp(-logits))
        value = float(share @ (np.logaddexp(0.0, logits) - labels * logits))
        slope = share * (p - labels)
        if groups:
            more, more_slope = _share_error(p, labels, groups)
            value, slope = value + more, slope + more_slope
        value += penalty / 2 * float(theta[:size] @ theta[:size])
        return value, np.append(scaled.T @ slope + penalty * theta[:size], slope.sum())

    bounds = [(0.0, None) if sign > 0 else (None, None) for sign in signs] + [(None, None)]
    # Far beyond what the figures need: the optimum, rounded, must not depend on the last bits of a sum.
    found = minimize(
        loss,
        np.zeros(size + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 5000, "maxfun": 10000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30},
    )
    coefficients = found.x[:size] / scale
    return coefficients, float(found.x[size] - coefficients @ mean)


def _share_error(p: Floats, labels: Floats, groups: Groups) -> tuple[float, Floats]:
    starts = np.cumsum(groups.sizes) - groups.sizes
    error = np.add.reduceat(p - labels, starts) / groups.sizes
    slope = np.repeat(2 * error / groups.sizes / len(error), groups.sizes) * p * (1 - p)
    return groups.weight * float((error**2).mean()), groups.weight * slope
