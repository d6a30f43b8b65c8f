"""aggregate_day: restate the sums and the ledger of each day that a run touched."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import Connection

from trace_core.errors import TemporaryFault
from trace_pipeline.batches import Batch, BatchMessage, BatchResult
from trace_pipeline.context import Pipeline
from trace_pipeline.source import Key
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window, day_bounds, day_of, days_between

log = logging.getLogger(__name__)

OUTCOMES = ("scored", "skipped", "quarantined", "sampled_out", "failed")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the batches of a run say of the source."""

    read: Counter[str]
    missing: list[Batch]

    def is_whole(self, start: Key, end: Key) -> bool:
        """Tell whether no batch of this range failed."""
        return not any(batch.start < end and start < batch.end for batch in self.missing)


def aggregate_day(
    pipeline: Pipeline,
    window: Window,
    batches: Sequence[BatchMessage],
    results: Sequence[BatchResult],
    *,
    late_days: int,
) -> list[str]:
    """Restate the window's days, and those days that the run read besides whose evaluations changed.

    `batches` is the plan, `results` what came back; a batch without a result has failed, and its logs without
    an outcome are counted as failed. Returns the restated days (ISO), sorted.
    """
    done = {result["batch_id"] for result in results}
    read: Counter[str] = Counter()
    for result in results:
        read.update(result["read"])
    missing = [Batch.from_message(message) for message in batches if message["batch_id"] not in done]
    reading = _Reading(read, missing)
    days = _days_of(pipeline, window, batches, late_days)
    restated: set[date] = set()
    for scorer_id in pipeline.scorer_ids:
        with pipeline.results.begin() as connection:
            connection.execute(query("lock_series"), {"series": f"sums {scorer_id}"})
            place = {"scorer_id": scorer_id, "days": days}
            due = {row.day for row in connection.execute(query("take_marked_days"), place)}
            due.update(window.days())
            due.update(day for day in days if not _is_whole(pipeline, reading, day))
            for day in sorted(due):
                if _restate(pipeline, connection, scorer_id, day, reading):
                    restated.add(day)
    return [day.isoformat() for day in sorted(restated)]


def _days_of(
    pipeline: Pipeline, window: Window, batches: Sequence[BatchMessage], late_days: int
) -> list[date]:
    """Return the days that the run has read as a whole: the window, the late ones, and those with debts."""
    first_day = window.first_day - timedelta(days=late_days)
    starts = (Batch.from_message(message).start.logged_at for message in batches)
    older = {day_of(moment, pipeline.settings.day_time_zone) for moment in starts}
    return sorted({*older, *days_between(first_day, window.last_day)})


def _is_whole(pipeline: Pipeline, reading: _Reading, day: date) -> bool:
    start, end = day_bounds(day, pipeline.settings.day_time_zone)
    return reading.is_whole(Key(start), Key(end))


def _restate(
    pipeline: Pipeline, connection: Connection, scorer_id: int, day: date, reading: _Reading
) -> bool:
    """Write the sums and the ledger line of one day; False when the source has forgotten the whole day."""
    settings = pipeline.settings
    start, end = day_bounds(day, settings.day_time_zone)
    place = {"scorer_id": scorer_id, "from_at": start, "to_at": end}
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for row in connection.execute(query("count_outcomes"), place):
        outcomes[row.outcome] += row.n
        if row.reason is not None:
            reasons[row.reason] += row.n
    source_rows = _source_rows(pipeline, day, outcomes.total(), reading)
    if source_rows is None:
        log.warning("%s: the source has no logs of this day any more; its results are left as they are.", day)
        return False
    lost = source_rows - outcomes.total()
    if lost > 0:
        outcomes["failed"] += lost
        reasons["batch_failed"] += lost
    sums = {"day": day, "dimensions": list(settings.segments), "keep": settings.segment_values}
    connection.execute(query("aggregate_day"), {**place, **sums, "run_id": pipeline.run_id})
    connection.execute(query("aggregate_documents"), {**place, "day": day, "run_id": pipeline.run_id})
    line = {name: outcomes[name] for name in OUTCOMES}
    ledger = {"day": day, "interval_start": start, "interval_end": end, "source_rows": source_rows, **line}
    ledger |= {"reasons": json.dumps(dict(sorted(reasons.items()))), "run_id": pipeline.run_id}
    connection.execute(query("write_ledger"), {"scorer_id": scorer_id, **ledger})
    return True


def _source_rows(pipeline: Pipeline, day: date, outcomes: int, reading: _Reading) -> int | None:
    """Return how many logs of the day this run answers for; None when the source has forgotten the day."""
    start, end = (Key(moment) for moment in day_bounds(day, pipeline.settings.day_time_zone))
    read = reading.read[day.isoformat()]
    if reading.is_whole(start, end):
        if read == outcomes:
            return read
        if read == 0:
            return None
    with pipeline.read_source() as (connection, source):
        now = source.count(connection, start, end)
    if not reading.is_whole(start, end):
        return max(now, outcomes)
    if now == read:
        raise TemporaryFault(
            f"{day}: {read:,} logs were read but {outcomes:,} have an outcome. Either the scorer's code "
            "changed while the run was under way, or something is wrong: run the day again."
        )
    # Another run wrote outcomes of this day meanwhile, for logs that came or went since this run read it.
    log.warning("%s: %s logs were read, %s have an outcome, %s are there now.", day, read, outcomes, now)
    return outcomes
