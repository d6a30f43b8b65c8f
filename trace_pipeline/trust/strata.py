"""Sizes of the strata of each night: what the labelled shares are put together by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Self

from sqlalchemy import Connection

from trace_core.trust.pooled import STRATA, SURE_BAD, SURE_GOOD
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds

#: Scorers that see a sample: their answers are counted by weight, which reads the rows and not the key alone.
SAMPLING_SCORERS: Final = ("judge", "hybrid")
BOUNDS: Final[Mapping[str, float]] = {"sure_bad": SURE_BAD, "sure_good": SURE_GOOD}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Answers of some nights in each stratum; sums of weights where the scorer saw a sample.

    squares: sum of the squared weights.
    """

    answers: tuple[float, ...] = (0.0,) * len(STRATA)
    squares: float = 0.0

    def __add__(self, other: Self) -> Self:
        answers = tuple(a + b for a, b in zip(self.answers, other.answers, strict=True))
        return type(self)(answers, self.squares + other.squares)

    @property
    def total(self) -> float:
        """All answers."""
        return sum(self.answers)

    @property
    def effective(self) -> float:
        """How many answers of a plain sample say as much (L. Kish)."""
        return self.total**2 / self.squares if self.squares else 0.0

    @property
    def raw(self) -> float | None:
        """The share that the scorer calls adherent; None without answers."""
        return (self.answers[2] + self.answers[3]) / self.total if self.total else None


def read_sizes(
    connection: Connection, scorer: str, scorer_id: int, days: tuple[date, date], zone: str
) -> dict[date, Sizes]:
    """Return the sizes of each night from days[0] to days[1] that has a scored answer."""
    place = {
        "scorer_id": scorer_id,
        "from_at": day_bounds(days[0], zone)[0],
        "to_at": day_bounds(days[1], zone)[1],
        "zone": zone,
        **BOUNDS,
    }
    name = "strata_weights" if scorer in SAMPLING_SCORERS else "strata_sizes"
    found: dict[date, Sizes] = {}
    for row in connection.execute(query(name), place):
        answers = tuple(row.answers if k == row.stratum else 0.0 for k in range(len(STRATA)))
        found[row.day] = found.get(row.day, Sizes()) + Sizes(answers, row.squares)
    return found


def total_of(sizes: Iterable[Sizes]) -> Sizes:
    """Return the sum of several nights."""
    return sum(sizes, start=Sizes())
