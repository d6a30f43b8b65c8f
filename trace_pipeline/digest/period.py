"""The days of a digest: whole weeks, Monday to Sunday, and as many before them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from trace_pipeline.window import day_of, days_between


@dataclass(frozen=True, slots=True)
class Period:
    """Days, both ends included."""

    first_day: date
    last_day: date

    @property
    def days(self) -> list[date]:
        """Each day in order."""
        return list(days_between(self.first_day, self.last_day))

    @property
    def before(self) -> Period:
        """The period of the same length that ends where this one begins."""
        length = self.last_day - self.first_day + timedelta(days=1)
        return Period(self.first_day - length, self.last_day - length)

    def __contains__(self, day: date | None) -> bool:
        return day is not None and self.first_day <= day <= self.last_day


def last_weeks(moment: datetime, zone: str, weeks: int = 1) -> Period:
    """Return the last `weeks` whole weeks that are over at `moment` (aware), in days of `zone`."""
    today = day_of(moment, zone)
    last_sunday = today - timedelta(days=today.isoweekday())
    return Period(last_sunday - timedelta(days=7 * weeks - 1), last_sunday)
