"""One metric of the anchors tonight against the anchors' own earlier nights, in numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from trace_core.drift.arrays import Floats, Integers

Known = npt.NDArray[np.bool_]

CHANGED: Final = 0.25
"""An anchor that is farther than this from its usual value has changed its verdict."""
PRIOR_RATE: Final = 0.05
"""Flips of a verdict a night before anything is known, so also about the variance of a verdict."""
PRIOR_DEGREES: Final = 60.0
"""Anchor-nights that the prior weighs as much as."""
_PRIOR_NIGHTS: Final = 10.0
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class Comparison:
    """`z` is of the change of the mean, `changed_z` of the number of changed anchors, `excess` its share."""

    n: int
    nights: float
    observed: float
    expected: float
    half: float
    z: float
    changed_z: float
    excess: float
    changed: tuple[str, ...]

    @property
    def difference(self) -> float:
        return self.observed - self.expected


def compare(baseline: Sequence[Mapping[str, float]], tonight: Mapping[str, float]) -> Comparison | None:
    """Compare a metric's values with those of earlier nights; None without an anchor common to both."""
    names = sorted(name for name in tonight if any(name in values for values in baseline))
    if not names:
        return None
    x = np.array([[values.get(name, math.nan) for name in names] for values in baseline], dtype=np.float64)
    now = np.array([tonight[name] for name in names], dtype=np.float64)
    known = ~np.isnan(x)
    x = np.where(known, x, 0.0)
    k = known.sum(axis=0).astype(np.float64)
    usual = x.sum(axis=0) / k
    residual = np.where(known, x - usual, 0.0)
    d = now - usual
    m = len(names)
    v = (float((residual**2).sum()) + PRIOR_DEGREES * PRIOR_RATE) / (float((k - 1).sum()) + PRIOR_DEGREES)
    by_night = known.sum(axis=1)
    some = by_night > 0
    variance = v * float((1.0 + 1.0 / k).sum())
    variance *= _beyond(residual.sum(axis=1)[some] ** 2 / (v * by_night[some]))
    is_changed = np.abs(d) > CHANGED
    usual_rate, beyond = _usual_changes(residual, known, k, by_night)
    count, rate = float(is_changed.sum()), usual_rate * m
    order = np.argsort(-np.abs(d), kind="stable")
    spread = max(float(((d - d.mean()) ** 2).sum()), variance)
    return Comparison(
        n=m,
        nights=float(k.mean()),
        observed=float(now.mean()),
        expected=float(usual.mean()),
        half=_NORMAL_95 * math.sqrt(spread) / m,
        z=bennett_z(float(d.sum()), variance),
        changed_z=bennett_z(count - rate, rate * beyond) if count > rate else 0.0,
        excess=(count - rate) / m,
        changed=tuple(names[i] for i in order.tolist() if is_changed[i]),
    )


def _usual_changes(residual: Floats, known: Known, k: Floats, by_night: Integers) -> tuple[float, float]:
    """Return the share of changed anchors on a usual night, and what nights vary beyond chance.

    Each night is held against the mean of the others, as tonight is.
    """
    others = np.where(k > 1, k / np.maximum(k - 1, 1), 0.0)
    counted = known & (k > 1)
    changed = (np.abs(residual * others) > CHANGED) & counted
    rate = (float(changed.sum()) + PRIOR_DEGREES * PRIOR_RATE) / (float(counted.sum()) + PRIOR_DEGREES)
    some = by_night > 0
    expected = rate * by_night[some]
    return rate, _beyond((changed.sum(axis=1)[some] - expected) ** 2 / expected)


def _beyond(ratios: Floats) -> float:
    """The factor by which whole nights vary more than their anchors would make them, shrunk to 1."""
    return max(1.0, (_PRIOR_NIGHTS + float(ratios.sum())) / (_PRIOR_NIGHTS + max(len(ratios) - 1, 0)))


def bennett_z(total: float, variance: float) -> float:
    """The deviate whose normal exponent is Bennett's bound for a sum of terms of at most 1.

    >>> round(bennett_z(1.0, 1e6), 6), round(bennett_z(-6.0, 0.6), 2)
    (0.001, -4.43)
    """
    u = abs(total) / variance
    exponent = (1.0 + u) * math.log1p(u) - u
    return math.copysign(math.sqrt(2.0 * variance * max(exponent, 0.0)), total)
