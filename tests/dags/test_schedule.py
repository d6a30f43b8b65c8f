"""The days of scheduled runs: whatever the cron expression and the zone, no day is left out."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from trace_pipeline.window import resolve_window

pytestmark = pytest.mark.airflow


def days_of(
    monkeypatch: pytest.MonkeyPatch, schedule: str, zone: str, first: date, last: date
) -> Counter[date]:
    """Return how often each day between two days is in the window of a scheduled run."""
    import pendulum
    from airflow.serialization.encoders import coerce_to_core_timetable
    from airflow.timetables.base import DataInterval, TimeRestriction
    from trace_airflow.defaults import nightly_timetable

    monkeypatch.setenv("TRACE_SCHEDULE", schedule)
    monkeypatch.setenv("TRACE_DAY_TIME_ZONE", zone)
    timetable = coerce_to_core_timetable(nightly_timetable())
    start = pendulum.datetime(first.year, first.month, first.day).subtract(days=40)
    limits: Any = TimeRestriction(earliest=start, latest=None, catchup=True)
    counted: Counter[date] = Counter()
    interval = None
    while interval is None or interval.start.date() <= last:
        info = timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=limits)
        assert info is not None
        assert info.data_interval is not None
        # As the scheduler has it: read back from its database, in pendulum's type.
        interval = DataInterval(*(pendulum.instance(moment) for moment in info.data_interval))
        window = resolve_window(zone, interval_start=interval.start, interval_end=interval.end)
        counted.update(window.days())
    return Counter({day: n for day, n in counted.items() if first <= day <= last})


@pytest.mark.parametrize(
    "zone", ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "America/Sao_Paulo"]
)
@pytest.mark.parametrize("schedule", ["0 2 * * *", "30 0 * * *", "0 23 * * *", "0 0 * * *"])
def test_a_daily_run_is_about_each_day_once(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch, schedule: str, zone: str
) -> None:
    """Also on the days that are an hour shorter or longer, and on those without the hour of the schedule."""
    first, last = date(2026, 3, 1), date(2026, 11, 20)
    counted = days_of(monkeypatch, schedule, zone, first, last)
    assert len(counted) == (last - first).days + 1
    assert set(counted.values()) == {1}


@pytest.mark.parametrize("schedule", ["0 * * * *", "0 3 * * 1", "0 3 1 * *"])
def test_other_rhythms_leave_no_day_out(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch, schedule: str
) -> None:
    """An hourly run scores the running day again and again, a weekly one seven days, a monthly one all."""
    first, last = date(2026, 3, 20), date(2026, 5, 2)
    counted = days_of(monkeypatch, schedule, "Europe/Berlin", first, last)
    assert len(counted) == (last - first).days + 1
