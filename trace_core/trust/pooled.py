"""A night's adherence rate corrected by labels of several nights.

Idea: a night has thousands of answers and hardly a label, a month has some. Answers are parted into strata
by what the scorer says of them; what people say of a stratum is learnt from the labels of all the nights, and
each night's rate puts these shares together by its own sizes of the strata.

    rate = sum over strata of w_k * x_k / n_k        w_k of the night, x_k of n_k labels of the window

The interval is that of `corrected_rate`, with the night's own number of answers. What it rests on beyond
that: an answer that the scorer rates so is as often right tonight as in the rest of the window. When quality
moves, that holds for a good scorer only: the rate then follows the truth, but not all the way
(docs/metrics/corrected.md has the figures).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trace_core.trust.corrected import CorrectedRate, rate_and_interval

#: The strata, from the least to the most trusted; each beside the other one of its verdict.
STRATA: Final = (
    "not adherent, surely",
    "not adherent, perhaps",
    "adherent, perhaps",
    "adherent, surely",
)
#: Below this probability a verdict of "not adherent" counts as sure, from that one on "adherent" does.
SURE_BAD: Final = 0.6
SURE_GOOD: Final = 0.9


def stratum_of(adherent: bool, probability: float | None) -> int:
    """Return the place in STRATA of an answer. Without a probability a verdict counts as sure.

    >>> STRATA[stratum_of(True, 0.85)]
    'adherent, perhaps'
    """
    if adherent:
        return 3 if probability is None or probability >= SURE_GOOD else 2
    return 0 if probability is None or probability < SURE_BAD else 1


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels of a stratum: how many, and how many of them say adherent."""

    n: int
    adherent: int

    def __post_init__(self) -> None:
        if not 0 <= self.adherent <= self.n:
            raise ValueError(f"labels need 0 <= adherent <= n, not {self}")

    def __add__(self, other: "Labelled") -> "Labelled":
        return Labelled(self.n + other.n, self.adherent + other.adherent)


def groups_of(sizes: Sequence[float], labels: Sequence[Labelled]) -> list[list[int]]:
    """Return the strata to be taken together, so that each group that holds an answer has a label.

    A stratum without label goes to the other one of its verdict, and where that has none either to the
    nearest one. Empty strata are left out. Without any label there is one group.

    >>> groups_of([10, 5, 20, 900], [Labelled(4, 1), Labelled(0, 0), Labelled(9, 8), Labelled(0, 0)])
    [[0, 1], [2, 3]]
    """
    groups = [[at] for at, size in enumerate(sizes) if size > 0 or labels[at].n]
    while len(groups) > 1:
        bare = next((at for at, group in enumerate(groups) if not any(labels[k].n for k in group)), None)
        if bare is None:
            break
        near = [at for at in (bare - 1, bare + 1) if 0 <= at < len(groups)]
        same = [at for at in near if groups[at][0] // 2 == groups[bare][0] // 2]
        other = (same or near)[0]
        first = min(bare, other)
        groups[first : first + 2] = [groups[first] + groups[first + 1]]
    return [group for group in groups if sum(sizes[k] for k in group) > 0]


def night_rate(
    sizes: Sequence[float], labels: Sequence[Labelled], answers: float, confidence: float = 0.95
) -> CorrectedRate:
    """Put the labelled shares of a window together by the sizes of a night's strata.

    Args:
        sizes: answers of the night in each stratum; sums of weights where the scorer saw a sample.
        labels: of the window, in each stratum.
        answers: how many answers of a plain sample say as much about the sizes: their number, or with weights
            (sum of weights)^2 / sum of squared weights.
        confidence: of the interval, in (0, 1).

    Returns:
        The rate with its interval; None with the reason `no_scored_answer` or `no_label`. `labels` counts
        those of the window, also of strata that the night has no answer in.

    Raises:
        ValueError: for a confidence outside of (0, 1), or unequal lengths.

    >>> month = [Labelled(60, 12), Labelled(20, 12), Labelled(40, 35), Labelled(80, 78)]
    >>> result = night_rate([150, 50, 300, 1500], month, answers=2000)
    >>> [round(value, 3) for value in (result.low, result.rate, result.high)]
    [0.85, 0.892, 0.919]
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    if len(sizes) != len(labels):
        raise ValueError("sizes and labels must be of equal length")
    total, given = sum(sizes), sum(label.n for label in labels)
    scored = round(total)
    if not total > 0:
        return CorrectedRate(None, None, None, given, 0, "no_scored_answer")
    if not given:
        return CorrectedRate(None, None, None, 0, scored, "no_label")
    groups = groups_of(sizes, labels)
    weights = [sum(sizes[k] for k in group) / total for group in groups]
    counts = [sum((labels[k] for k in group), Labelled(0, 0)) for group in groups]
    pairs = [(count.n, count.adherent) for count in counts]
    return CorrectedRate(*rate_and_interval(weights, pairs, answers, confidence), given, scored)
