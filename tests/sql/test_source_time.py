"""Time in the source: zones, nights on which the clock jumps, many logs at one moment."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine

from tests.sql.tools import DAY, LEDGER, MakePipeline, execute, night, noon, outcomes, rows

ZONELESS = {"table_schema": "public", "table": "logs", "time_zone": "Europe/Berlin"}


def make_table(engine: Engine, *times: str) -> None:
    """Create public.logs, whose times have no zone, with a log at each of the given local times."""
    execute(engine, "create table public.logs (like trace.rag_log including all)")
    execute(engine, "alter table public.logs alter logged_at type timestamp")
    for number, time in enumerate(times):
        execute(
            engine,
            "insert into public.logs (log_id, logged_at, question, documents, response)"
            " values (:id, cast(:time as timestamp), 'q', '[\"d.\"]', 'r')",
            id=f"log-{number:02d}",
            time=time,
        )


@pytest.mark.parametrize("batch_rows", [1, 3, 100])
@pytest.mark.parametrize(
    ("day", "times"),
    [
        # 25 hours: 02:30 happens twice.
        ("2026-10-25", "00:00 00:30 01:59 02:00 02:30 02:59 03:00 12:00 23:59:59.999999"),
        # 23 hours: 02:00 to 02:59 do not happen, but rows of another zone may say so.
        ("2026-03-29", "00:00 01:59 02:00 02:30 02:59 03:00 03:10 03:30 23:59:59.999999"),
        # A day that most years do not have.
        ("2028-02-29", "00:00 12:00 23:59:59.999999"),
    ],
    ids=["autumn", "spring", "leap day"],
)
def test_nights_on_which_the_clock_jumps(
    engine: Engine, make_pipeline: MakePipeline, day: str, times: str, batch_rows: int
) -> None:
    """Every row of the local day is in that day's ledger, once, whatever the batches; the second run finds all known."""
    local = [f"{day} {time}" for time in times.split()]
    after = date.fromisoformat(day).toordinal() + 1
    make_table(engine, *local, f"{date.fromordinal(after)} 00:00", f"{date.fromordinal(after - 2)} 23:59")
    pipeline = make_pipeline(
        source=ZONELESS, day_time_zone="Europe/Berlin", batch_rows=batch_rows, max_batches=50
    )
    night(pipeline, date.fromisoformat(day))
    assert rows(engine, LEDGER) == [(date.fromisoformat(day), len(local), len(local), 0, 0, 0)]
    assert night(pipeline, date.fromisoformat(day)).changed == 0
    assert len(outcomes(engine)) == len(local)


@pytest.mark.parametrize("batch_rows", [1, 100])
def test_days_of_another_zone_than_the_source(
    engine: Engine, make_pipeline: MakePipeline, batch_rows: int
) -> None:
    """Days in UTC over local times of Berlin, across the jump: two nights account for all rows of both."""
    make_table(
        engine,
        *(f"2026-10-25 {hour:02d}:{minute:02d}" for hour in range(5) for minute in (0, 30)),
        "2026-10-26 00:59",
        "2026-10-26 01:00",
    )
    pipeline = make_pipeline(source=ZONELESS, batch_rows=batch_rows, max_batches=100)
    night(pipeline, date(2026, 10, 24), nights=3)
    counts = rows(engine, "select day, source_rows from trace.ledger order by day")
    # 00:00 to 01:30 in summer time are the day before in UTC; 02:00 is read as winter time, 01:00 UTC.
    assert counts == [(date(2026, 10, 24), 4), (date(2026, 10, 25), 7), (date(2026, 10, 26), 1)]
    assert night(pipeline, date(2026, 10, 24), nights=3, late_days=3).changed == 0


def test_a_day_belongs_to_its_zone(engine: Engine, make_pipeline: MakePipeline) -> None:
    """With day_time_zone = Asia/Tokyo a log of 15:00 UTC is the next day's first."""
    for log_id, hour in (("last", 14), ("first", 15)):
        execute(
            engine,
            "insert into trace.rag_log (log_id, logged_at, question, documents, response)"
            " values (:id, :at, 'q', '[\"d\"]', 'r')",
            id=log_id,
            at=noon().replace(hour=hour, tzinfo=ZoneInfo("UTC")),
        )
    night(make_pipeline(day_time_zone="Asia/Tokyo"), DAY, nights=2)
    assert [row[1] for row in rows(engine, LEDGER)] == [1, 1]


@pytest.mark.parametrize(("batch_rows", "batches"), [(7, 200), (1, 40), (1, 2), (1000, 2)])
def test_many_logs_at_one_moment_are_parted_by_id(
    engine: Engine, make_pipeline: MakePipeline, batch_rows: int, batches: int
) -> None:
    """Date-only timestamps: hundreds of logs share a moment, and batches of any size hold each once."""
    execute(
        engine,
        "insert into trace.rag_log (log_id, logged_at, question, documents, response)"
        " select case n % 3 when 0 then 'ä' when 1 then 'Z' else 'a' end || n, cast(:day as date), 'q',"
        " '[\"d\"]', 'r' from generate_series(1, 120) as n",
        day=DAY,
    )
    pipeline = make_pipeline(batch_rows=batch_rows, max_batches=batches)
    night(pipeline)
    assert rows(engine, LEDGER) == [(DAY, 120, 120, 0, 0, 0)]
    assert night(make_pipeline(batch_rows=50), late_days=1).changed == 0


def test_ends_of_time_belong_to_no_day(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Infinite and absurd times are outside of every night and stop none."""
    for number, time in enumerate(("infinity", "-infinity", "4000-01-01 BC", "200000-01-01")):
        execute(
            engine,
            "insert into trace.rag_log (log_id, logged_at) values (:id, cast(:time as timestamptz))",
            id=str(number),
            time=time,
        )
    night(make_pipeline(), late_days=7)
    assert rows(engine, LEDGER) == [(DAY, 0, 0, 0, 0, 0)]
