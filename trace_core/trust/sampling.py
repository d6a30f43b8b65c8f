"""Samples for expensive scorers: who is in, decided by the log's id alone, and means that correct for it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Final

import numpy as np

_Z: Final = 1.959964  # 95 %
_LEAST_DOUBT: Final = 0.1  # of 0.5 at most: what the cheap scorer is sure of is still looked into at times
_LEAST_PROBABILITY: Final = 1e-6


def sampling_number(log_id: str, salt: str = "") -> float:
    """A number in [0, 1) that looks random and depends on the id and the salt alone.

    A log is in a sample when its number is below its inclusion probability: a second run picks the same logs,
    and a larger probability only adds to them.

    >>> sampling_number("log-1") == sampling_number("log-1")
    True
    """
    digest = hashlib.sha256(f"{salt}\x00{log_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


@dataclass(frozen=True, slots=True)
class Room:
    """What a sample may cost: costs, one an answer if it is in the sample, and how much they may come to."""

    costs: Sequence[float]
    most: float


def inclusion_probabilities(
    chances: Sequence[float | None],
    strata: Sequence[str],
    rate: float,
    least: float = 0.0,
    rooms: Sequence[Room] = (),
) -> list[float]:
    """With which probability each answer should come into a sample that an expensive scorer judges.

    Idea: an answer that the cheap scorer takes to be adherent with probability q says the more about the
    whole the larger the spread sqrt(q (1 - q)) is (J. Neyman's rule with what the cheap scorer knows). No
    answer has less than a fifth of the largest spread, which keeps each weight 1 / probability bounded.

    Args:
        chances: the cheap scorer's adherence probabilities in [0, 1]; None, where it has none, is 0.5.
        strata: the group of each answer, in the same order.
        rate: share of all answers that is wanted, in (0, 1].
        least: answers wanted of each group, all of it if it is smaller; raises the share beyond `rate`.
        rooms: limits of what is spent on average. They win over `rate` and `least`: all probabilities are
            made smaller by the same factor.

    Returns:
        One probability in (0, 1] an answer. They depend on the answers, not on their order. With rate 1 and
        enough room each is 1.

    Raises:
        ValueError: for sequences of unequal length or a rate outside of (0, 1].

    >>> inclusion_probabilities([0.5, 0.5, 0.99, 1.0], ["a"] * 4, rate=0.5)
    [0.8333333333333334, 0.8333333333333334, 0.16666666666666669, 0.16666666666666669]
    >>> inclusion_probabilities([0.5, 1.0], ["a", "b"], rate=1, rooms=[Room([1, 1], 1)])
    [0.5, 0.5]
    """
    if len(chances) != len(strata) or any(len(room.costs) != len(chances) for room in rooms):
        raise ValueError("chances, strata and costs must be of equal length")
    if not 0 < rate <= 1:
        raise ValueError(f"the rate must be above 0 and at most 1, not {rate}")
    doubts = [max(_LEAST_DOUBT, sqrt(max(0.0, q * (1 - q)))) if q is not None else 0.5 for q in chances]
    found = _in_proportion(doubts, rate * len(doubts))
    groups: dict[str, list[int]] = {}
    for position, stratum in enumerate(strata):
        groups.setdefault(stratum, []).append(position)
    for members in groups.values():
        if fsum(found[at] for at in members) < min(least, len(members)):
            raised = _in_proportion([doubts[at] for at in members], least)
            for at, probability in zip(members, raised, strict=True):
                found[at] = probability
    spent = [(fsum(c * p for c, p in zip(room.costs, found, strict=True)), room.most) for room in rooms]
    factor = min((max(0.0, most) / cost for cost, most in spent if cost > most), default=1.0)
    return [max(_LEAST_PROBABILITY, probability * factor) for probability in found]


def _in_proportion(doubts: Sequence[float], size: float) -> list[float]:
    """Probabilities in proportion to the doubts that add up to `size`; one that would exceed 1 is 1."""
    if size >= len(doubts):
        return [1.0] * len(doubts)
    falling = sorted(doubts, reverse=True)
    rest = np.cumsum(falling[::-1])[::-1]  # what is left after the largest k were made certain
    scale = next(
        (size - k) / float(rest[k]) for k in range(len(falling)) if falling[k] * (size - k) <= rest[k]
    )
    return [min(1.0, scale * doubt) for doubt in doubts]


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """A mean over all answers, estimated from a sample of them; None with n = 0.

    low, high: 95 % interval. n: answers in the sample. effective: answers of a plain sample that would say as
    much.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    effective: float


def weighted_mean(values: Sequence[float], inclusion: Sequence[float]) -> WeightedMean:
    """J. Hajek's estimate: each value counts for the 1 / inclusion answers it stands for.

    Args:
        values: of the answers in the sample, each in [0, 1].
        inclusion: the probability with which each of them came into the sample, in (0, 1].

    Returns:
        The mean with an interval of E. Wilson's form over the effective number of answers, so that it stays
        in [0, 1] and holds for rates near one. With every probability 1 it is the plain mean.

    Raises:
        ValueError: for unequal lengths or a probability outside of (0, 1].

    Idea: answers come into the sample independently (Poisson sampling), so the linearised variance of the
    ratio is sum((1 - p) / p^2 (y - mean)^2) / (sum 1/p)^2, and the spread of the answers themselves, s^2 / N,
    comes on top, as the night itself is a sample of what the system does.

    >>> result = weighted_mean([1, 1, 0, 1], [1, 1, 0.5, 0.5])
    >>> round(result.mean, 3), result.n
    (0.667, 4)
    """
    if len(values) != len(inclusion):
        raise ValueError("values and inclusion must be of equal length")
    if not len(values):
        return WeightedMean(None, None, None, 0, 0.0)
    y, p = np.asarray(values, dtype=float), np.asarray(inclusion, dtype=float)
    if not ((p > 0) & (p <= 1)).all():
        raise ValueError("an inclusion probability must be above 0 and at most 1")
    total = float((1 / p).sum())
    mean = float((y / p).sum()) / total
    spread = float(((y - mean) ** 2 / p).sum()) / total
    design = float(((1 - p) / p**2 * (y - mean) ** 2).sum()) / total**2
    # All alike says little about the next one: all that is known then is L. Kish's number of answers.
    kish = total**2 / float((1 / p**2).sum())
    variance = design + spread / total
    effective = spread / variance if variance > 0 else kish
    low, high = _wilson(mean, spread, effective)
    return WeightedMean(mean, low, high, len(values), effective)


def _wilson(mean: float, spread: float, n: float) -> tuple[float, float]:
    """Wilson's interval for a share; for values between 0 and 1, scaled by how much less they spread."""
    ratio = spread / (mean * (1 - mean)) if 0 < mean < 1 else 1.0
    z2 = _Z**2 * ratio
    centre = (mean + z2 / (2 * n)) / (1 + z2 / n)
    half = (z2 * mean * (1 - mean) / n + z2 * z2 / (4 * n * n)) ** 0.5 / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)
