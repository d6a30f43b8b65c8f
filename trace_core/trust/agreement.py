"""Agreement of a scorer with people: confusion, Cohen's kappa, AUROC and calibration, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import NDArray

_Z: Final = 1.959964  # 95 %
_BINS: Final = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a scorer's verdicts on adherence compare with people's. Intervals are 95 %; None where undefined.

    n: labelled answers. Counts read scorer_person: `bad_bad` is "both say not adherent".
    kappa: agreement beyond chance, in [-1, 1]. auroc: chance that a worse answer has the lower probability.
    sensitivity: share of people's bad answers that the scorer finds. specificity: share of the good ones that
    it leaves alone. brier: mean squared error of the probability. reliability: (bin low, bin high, answers,
    mean probability, share adherent) of each bin that holds answers.
    """

    n: int
    good_good: int
    good_bad: int
    bad_good: int
    bad_bad: int
    kappa: float | None
    kappa_interval: tuple[float, float] | None
    sensitivity: float | None
    sensitivity_interval: tuple[float, float] | None
    specificity: float | None
    specificity_interval: tuple[float, float] | None
    auroc: float | None
    auroc_interval: tuple[float, float] | None
    brier: float | None
    reliability: tuple[tuple[float, float, int, float, float], ...]


def agreement(
    verdicts: Sequence[bool], labels: Sequence[bool], probabilities: Sequence[float | None] = ()
) -> Agreement:
    """Compare verdicts with labels; True is adherent in both.

    Args:
        verdicts: the scorer's, one an answer.
        labels: people's, in the same order.
        probabilities: the scorer's adherence probabilities in [0, 1] in the same order, None where it has
            none; left out for scorers that have none at all.

    Returns:
        Agreement; a figure is None where it is undefined: kappa when one side always says the same, a
        share of nothing, AUROC without both kinds of answers.

    Raises:
        ValueError: for sequences of unequal length.

    >>> result = agreement([True, True, False, False], [True, True, False, True], [0.9, 0.8, 0.2, 0.4])
    >>> result.kappa, result.sensitivity, result.auroc
    (0.5, 1.0, 1.0)
    """
    if len(verdicts) != len(labels) or (probabilities and len(probabilities) != len(labels)):
        raise ValueError("verdicts, labels and probabilities must be of equal length")
    said = np.array(verdicts, dtype=bool)
    true = np.array(labels, dtype=bool)
    good_good, good_bad, bad_good, bad_bad = (
        int(np.sum((said == s) & (true == t))) for s, t in ((1, 1), (1, 0), (0, 1), (0, 0))
    )
    kappa, kappa_interval = _kappa(good_good, good_bad, bad_good, bad_bad)
    known = np.array([p is not None for p in probabilities], dtype=bool)
    values = np.array([p for p in probabilities if p is not None], dtype=float)
    judged = true[known] if len(known) else true[:0]
    auroc, auroc_interval = _auroc(values[judged], values[~judged])
    return Agreement(
        len(labels),
        good_good,
        good_bad,
        bad_good,
        bad_bad,
        kappa,
        kappa_interval,
        *_share(bad_bad, bad_bad + good_bad),
        *_share(good_good, good_good + bad_good),
        auroc,
        auroc_interval,
        float(np.mean((values - judged) ** 2)) if len(values) else None,
        tuple(_reliability(values, judged)),
    )


def _kappa(a: int, b: int, c: int, d: int) -> tuple[float | None, tuple[float, float] | None]:
    """J. Cohen 1960, with the large-sample standard error of J. Fleiss, J. Cohen and B. Everitt 1969."""
    n = a + b + c + d
    if not n:
        return None, None
    table = np.array([[a, b], [c, d]]) / n
    rows, columns = table.sum(1), table.sum(0)
    observed, chance = float(np.trace(table)), float(rows @ columns)
    if chance >= 1:
        return None, None
    kappa = (observed - chance) / (1 - chance)
    diagonal = fsum(
        table[i, i] * ((1 - chance) - (rows[i] + columns[i]) * (1 - observed)) ** 2 for i in range(2)
    )
    others = (1 - observed) ** 2 * fsum(
        table[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j
    )
    spare = (observed * chance - 2 * chance + observed) ** 2
    variance = max(0.0, float(diagonal + others - spare)) / (n * (1 - chance) ** 4)
    half = _Z * variance**0.5
    return kappa, (max(-1.0, kappa - half), min(1.0, kappa + half))


def _share(count: int, n: int) -> tuple[float | None, tuple[float, float] | None]:
    """A share with E. Wilson's interval, which stays in [0, 1] and holds for small n."""
    if not n:
        return None, None
    from scipy import stats  # here, as it takes a second: sampling, in each scoring task, needs none of it

    interval = stats.binomtest(count, n).proportion_ci(method="wilson")
    return count / n, (float(interval.low), float(interval.high))


def _auroc(
    good: NDArray[np.float64], bad: NDArray[np.float64]
) -> tuple[float | None, tuple[float, float] | None]:
    """The Mann-Whitney statistic with the interval of E. DeLong, D. DeLong and D. Clarke-Pearson 1988."""
    if not len(good) or not len(bad):
        return None, None
    from scipy import stats

    ranks = stats.rankdata(np.concatenate([good, bad]))
    of_good = (ranks[: len(good)] - stats.rankdata(good)) / len(bad)
    of_bad = 1 - (ranks[len(good) :] - stats.rankdata(bad)) / len(good)
    auroc = float(np.mean(of_good))
    if min(len(good), len(bad)) < 2:
        return auroc, None
    variance = float(np.var(of_good, ddof=1)) / len(good) + float(np.var(of_bad, ddof=1)) / len(bad)
    half = _Z * variance**0.5
    return auroc, (max(0.0, auroc - half), min(1.0, auroc + half))


def _reliability(
    values: NDArray[np.float64], true: NDArray[np.bool_]
) -> list[tuple[float, float, int, float, float]]:
    bins = np.minimum((values * _BINS).astype(int), _BINS - 1)
    found = []
    for i in range(_BINS):
        inside = bins == i
        if inside.any():
            mean, share = float(values[inside].mean()), float(true[inside].mean())
            found.append((i / _BINS, (i + 1) / _BINS, int(inside.sum()), mean, share))
    return found
