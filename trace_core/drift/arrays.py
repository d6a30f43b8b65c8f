"""Array types of the drift watch and the one safe division.

Axes, in this order: measure (mean, and for continuous scores three shares), night (oldest first), series
(0 is the total, the others are segment values).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
SMALLEST = 1e-300


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """`numerator / denominator`, and 0 where both are 0 (there is nothing to average).

    For denominators that are never negative and are 0 only where the numerator is.
    """
    quotient: Floats = numerator / np.maximum(denominator, SMALLEST)
    return quotient
