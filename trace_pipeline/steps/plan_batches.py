"""plan_batches: part a run's days, late days and days that owe into batches of bounded number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from sqlalchemy import Connection

from trace_pipeline.batches import Batch, BatchMessage
from trace_pipeline.context import Pipeline
from trace_pipeline.judges.preparing import Costly
from trace_pipeline.source import Key, Source
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window, day_bounds, day_start

# A late day is mostly read (id and hash) and seldom scored, so its batches may be larger.
_LATE_FACTOR = 10
#: Days before the late ones that a run reads again for the judge's debts, oldest first.
DEBT_DAYS = 7
#: Logs of these days; more days are not taken up once they have so many.
DEBT_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class _Part:
    """A range of keys and how many logs are in it."""

    start: Key
    end: Key
    rows: int


def plan_batches(
    pipeline: Pipeline, window: Window, *, late_days: int, debt: bool = False
) -> list[BatchMessage]:
    """Return batches that tile the window, then the `late_days` days before it, at most `max_batches` in all.

    debt: also the days before these that hold logs which a judge's budget did not reach; oldest first, at
    most DEBT_DAYS. The window's batches come first, so that the newest logs are judged first. A batch of the
    window may plan with its part of the budget by its part of the window's logs; the others, which are mostly
    known already, by their part of all logs. Also sees to it that the results have partitions for the months.
    """
    settings = pipeline.settings
    first_day = window.first_day - timedelta(days=late_days)
    late = Key(day_start(first_day, settings.day_time_zone))
    start = Key(day_start(window.first_day, settings.day_time_zone))
    end = Key(day_start(window.last_day + timedelta(days=1), settings.day_time_zone))
    owing = _owing_days(pipeline, first_day) if debt else []
    late_most = max(1, settings.max_batches // 4) if late_days else 0
    debt_most = settings.max_batches // 4 if owing else 0
    window_most = settings.max_batches - late_most - debt_most
    late_rows = settings.batch_rows * _LATE_FACTOR
    with pipeline.read_source() as (connection, source):
        fresh = _parts(connection, source, start, end, settings.batch_rows, window_most)
        older = _parts(connection, source, late, start, late_rows, late_most) if late_days else []
        owed, forgotten = _owed_parts(pipeline, connection, source, owing, debt_most)
    with pipeline.results.begin() as connection:
        days = {"first_day": first_day - timedelta(days=1), "last_day": window.last_day + timedelta(days=1)}
        connection.execute(query("ensure_partitions"), days)
        for day in forgotten:
            _write_off(pipeline, connection, day)
    shares = [*_shares(fresh, fresh), *_shares([*older, *owed], [*fresh, *older, *owed])]
    return [
        _message(number, part, window, share)
        for number, (part, share) in enumerate(zip([*fresh, *older, *owed], shares, strict=True), start=1)
    ]


def _message(number: int, part: _Part, window: Window, share: float) -> BatchMessage:
    message = Batch(f"{number:04d}", part.start, part.end).message()
    message["night"] = window.last_day.isoformat()
    message["share"] = share
    return message


def _parts(connection: Connection, source: Source, start: Key, end: Key, rows: int, most: int) -> list[_Part]:
    """Part a range into batches of `rows` logs, larger where that would be more than `most`."""
    total = source.count(connection, start, end)
    every = max(rows, -(-total // most))
    inner = source.boundaries(connection, start, end, every) if total > every else []
    ranges = list(pairwise([start, *inner, end]))
    sizes = [every] * (len(ranges) - 1) + [total - every * (len(ranges) - 1)]
    return [_Part(low, high, size) for (low, high), size in zip(ranges, sizes, strict=True)]


def _shares(parts: Sequence[_Part], of: Iterable[_Part]) -> list[float]:
    """Return the part of each, by its logs, of all logs; an empty one counts as one log."""
    total = sum(max(1, part.rows) for part in of)
    return [max(1, part.rows) / total for part in parts]


def _costly(pipeline: Pipeline) -> list[int]:
    return [scorer_id for scorer_id, scorer in pipeline.scorer_ids.items() if isinstance(scorer, Costly)]


def _owing_days(pipeline: Pipeline, before: date) -> list[date]:
    """Return the days that hold debts of the configured scorers, oldest first."""
    zone = pipeline.settings.day_time_zone
    place = {"scorer_ids": _costly(pipeline), "zone": zone, "before": day_start(before, zone)}
    if not place["scorer_ids"]:
        return []
    with pipeline.results.begin() as connection:
        return [row.day for row in connection.execute(query("owing_days"), place)]


def _owed_parts(
    pipeline: Pipeline, connection: Connection, source: Source, days: Sequence[date], most: int
) -> tuple[list[_Part], list[date]]:
    """Return batches over the first days that owe, and days that the source has forgotten meanwhile."""
    parts: list[_Part] = []
    forgotten: list[date] = []
    taken = 0
    for day in days:
        low, high = (Key(moment) for moment in day_bounds(day, pipeline.settings.day_time_zone))
        if taken == min(DEBT_DAYS, most) or sum(part.rows for part in parts) >= DEBT_ROWS:
            break
        if not source.count(connection, low, high):
            forgotten.append(day)
            continue
        taken += 1
        rows = pipeline.settings.batch_rows * _LATE_FACTOR
        parts += _parts(connection, source, low, high, rows, max(1, most // DEBT_DAYS))
    return parts, forgotten


def _write_off(pipeline: Pipeline, connection: Connection, day: date) -> None:
    """Take the debts of a day off the list: its logs have left the source, so nobody can ask about them."""
    low, high = day_bounds(day, pipeline.settings.day_time_zone)
    place = {"scorer_ids": _costly(pipeline), "from_at": low, "to_at": high}
    connection.execute(query("write_off_debts"), place)
