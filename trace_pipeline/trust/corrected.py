"""The adherence rate of nights, corrected by the labels at hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from sqlalchemy import Connection

from trace_core.trust.corrected import CorrectedRate
from trace_core.trust.pooled import STRATA, Labelled, night_rate
from trace_pipeline.trust.labels import LabelledAnswer, Labels, read_labels
from trace_pipeline.trust.strata import Sizes, read_sizes, total_of
from trace_pipeline.window import day_bounds, day_of

#: With so many labels from the queue the others, which people chose to give, are left out.
LEAST_DRAWN: Final = 30
#: Nights of the rate that stands in headlines, as those of the trend.
HEADLINE_NIGHTS: Final = 7
BIASED: Final = (
    "These labels were not drawn at random: people chose what to label, so the corrected rate may be biased. "
    f"With {LEAST_DRAWN} labels from the labelling queue those alone are used."
)


@dataclass(frozen=True, slots=True)
class Correction:
    """The rate of some nights as the scorer says it and as people would.

    raw: the scorer's, None without answers. rate: the corrected one; `rate.labels` counts the labels behind
    it. is_drawn: they all came from the labelling queue.
    """

    first: date
    last: date
    raw: float | None
    rate: CorrectedRate
    is_drawn: bool

    @property
    def text(self) -> str:
        """Both rates in a sentence; empty where there is no corrected one."""
        if self.rate.rate is None or self.rate.low is None or self.rate.high is None or self.raw is None:
            return ""
        days = f"{self.last}" if self.first == self.last else f"{self.first} to {self.last}"
        return (
            f"Adherence of {days} by {self.rate.labels:,} labelled answers: {100 * self.rate.rate:.1f} % "
            f"(95 % interval {100 * self.rate.low:.1f} to {100 * self.rate.high:.1f} %); "
            f"the scorer says {100 * self.raw:.1f} %."
        )

    @property
    def note(self) -> str:
        """What a reader must know of the labels; empty when there is nothing."""
        return "" if self.is_drawn or not self.rate.labels else BIASED


def at_hand(answers: Sequence[LabelledAnswer]) -> tuple[Sequence[LabelledAnswer], bool]:
    """Return the labels that may correct a rate, and whether all of them were drawn."""
    drawn = [answer for answer in answers if answer.is_drawn]
    return (drawn, True) if len(drawn) >= LEAST_DRAWN else (answers, len(drawn) == len(answers))


def labelled_strata(answers: Iterable[LabelledAnswer]) -> list[Labelled]:
    """Return the labels of each stratum."""
    found = [Labelled(0, 0)] * len(STRATA)
    for answer in answers:
        found[answer.stratum] += Labelled(1, int(answer.true))
    return found


def correct(sizes: Sizes, answers: Sequence[LabelledAnswer], first: date, last: date) -> Correction:
    """Return the correction of nights whose strata have these sizes by the labels of a window."""
    chosen, is_drawn = at_hand(answers)
    rate = night_rate(sizes.answers, labelled_strata(chosen), sizes.effective)
    return Correction(first, last, sizes.raw, rate, is_drawn)


def labels_before(
    connection: Connection, scorer_id: int, last: date, nights: int, zone: str, first: date | None = None
) -> Labels:
    """Return the labels of the `nights` nights up to `last`, or from `first` on where that is earlier."""
    start = min(first or last, last - timedelta(days=nights - 1))
    return read_labels(connection, scorer_id, day_bounds(start, zone)[0], day_bounds(last, zone)[1])


def corrected_range(
    connection: Connection, scorer: str, scorer_id: int, days: tuple[date, date], *, nights: int, zone: str
) -> Correction | None:
    """Return the correction of a range of nights as one; None when no label can correct it.

    nights: the setting label_days. The answers are counted only where there are labels.
    """
    labels = labels_before(connection, scorer_id, days[1], nights, zone, days[0])
    if not labels.answers:
        return None
    sizes = total_of(read_sizes(connection, scorer, scorer_id, days, zone).values())
    return correct(sizes, labels.answers, *days)


def corrected_nights(
    connection: Connection, scorer: str, scorer_id: int, days: tuple[date, date], *, nights: int, zone: str
) -> list[Correction]:
    """Return the correction of each night with scored answers, oldest first, each by its own window."""
    labels = labels_before(connection, scorer_id, days[1], nights + (days[1] - days[0]).days, zone)
    dated = [(day_of(answer.logged_at, zone), answer) for answer in labels.answers]
    found = []
    for day, sizes in sorted(read_sizes(connection, scorer, scorer_id, days, zone).items()):
        start = day - timedelta(days=nights - 1)
        found.append(correct(sizes, [answer for at, answer in dated if start <= at <= day], day, day))
    return found
