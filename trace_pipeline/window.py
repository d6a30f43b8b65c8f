"""Days and the window of a run: one place that decides which days a run is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from trace_core.errors import ConfigurationError

_MOST_DAYS = 3_660


@dataclass(frozen=True, slots=True)
class Window:
    """The days a run scores, both ends included."""

    first_day: date
    last_day: date

    def days(self) -> Iterator[date]:
        """Yield each day in order."""
        return days_between(self.first_day, self.last_day)


def days_between(first: date, last: date) -> Iterator[date]:
    """Yield the days from `first` to `last`, both included."""
    for offset in range((last - first).days + 1):
        yield first + timedelta(days=offset)


def day_start(day: date, zone: str) -> datetime:
    """Return the moment (UTC) at which `day` begins in `zone`."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def day_bounds(day: date, zone: str) -> tuple[datetime, datetime]:
    """Return the moments (UTC) at which `day` begins and the next day begins in `zone`."""
    return day_start(day, zone), day_start(day + timedelta(days=1), zone)


def day_of(moment: datetime, zone: str) -> date:
    """Return the day of `moment` in `zone`."""
    return moment.astimezone(ZoneInfo(zone)).date()


def resolve_window(
    zone: str,
    *,
    interval_start: datetime | None = None,
    interval_end: datetime | None = None,
    run_after: datetime | None = None,
    from_day: str | None = None,
    to_day: str | None = None,
) -> Window:
    """Return the days of a run, whatever kind of run it is.

    Explicit days win. Else the data interval is taken down to whole days (02:00 to 02:00 is the day on which
    it began). A run without interval (manual, or started by an asset) is about the last day that is complete
    at `run_after`.
    Raises ConfigurationError naming `from_day` or `to_day`.
    """
    if from_day or to_day:
        first = _day(from_day or to_day, "from_day")
        last = _day(to_day or from_day, "to_day")
    elif interval_start is not None and interval_end is not None and interval_start < interval_end:
        first = day_of(interval_start, zone)
        last = max(first, day_of(interval_end, zone) - timedelta(days=1))
    elif run_after is not None:
        first = last = day_of(run_after, zone) - timedelta(days=1)
    else:
        raise ConfigurationError("The run has neither an interval nor days: give from_day and to_day.")
    if last < first:
        raise ConfigurationError(f"from_day {first} is after to_day {last}.")
    if (last - first).days >= _MOST_DAYS:
        raise ConfigurationError(
            f"from_day {first} to to_day {last} is more than ten years: split the range."
        )
    return Window(first, last)


def _day(value: str | None, name: str) -> date:
    try:
        day = date.fromisoformat(str(value).strip())
    except ValueError as error:
        raise ConfigurationError(
            f"{name} must be a day such as 2026-11-30, not {str(value)[:40]!r}."
        ) from error
    if not 1970 <= day.year <= 9000:
        raise ConfigurationError(f"{name} {day} is out of range.")
    return day
