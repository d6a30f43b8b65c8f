"""plan_batches: part a run's days, and the late days before them, into batches of bounded number."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from sqlalchemy import Connection

from trace_pipeline.batches import Batch, BatchMessage
from trace_pipeline.context import Pipeline
from trace_pipeline.source import Key, Source
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window, day_start

# A late day is mostly read (id and hash) and seldom scored, so its batches may be larger.
_LATE_FACTOR = 10


def plan_batches(pipeline: Pipeline, window: Window, *, late_days: int) -> list[BatchMessage]:
    """Return batches that tile the window and the `late_days` days before it, at most `max_batches` of them.

    Also sees to it that the months of the results' partitions exist.
    """
    settings = pipeline.settings
    first_day = window.first_day - timedelta(days=late_days)
    late = Key(day_start(first_day, settings.day_time_zone))
    start = Key(day_start(window.first_day, settings.day_time_zone))
    end = Key(day_start(window.last_day + timedelta(days=1), settings.day_time_zone))
    late_most = max(1, settings.max_batches // 4) if late_days else 0
    with pipeline.read_source() as (connection, source):
        keys = [
            start,
            *_parts(connection, source, start, end, settings.batch_rows, settings.max_batches - late_most),
        ]
        if late_days:
            parts = _parts(connection, source, late, start, settings.batch_rows * _LATE_FACTOR, late_most)
            keys = [late, *parts, *keys]
    with pipeline.results.begin() as connection:
        days = {"first_day": first_day - timedelta(days=1), "last_day": window.last_day + timedelta(days=1)}
        connection.execute(query("ensure_partitions"), days)
    ranges = pairwise([*keys, end])
    return [Batch(f"{number:04d}", low, high).message() for number, (low, high) in enumerate(ranges, start=1)]


def _parts(connection: Connection, source: Source, start: Key, end: Key, rows: int, most: int) -> list[Key]:
    """Return the inner boundaries of batches of `rows` logs, larger where that would be more than `most`."""
    total = source.count(connection, start, end)
    every = max(rows, -(-total // most))
    return source.boundaries(connection, start, end, every) if total > every else []
