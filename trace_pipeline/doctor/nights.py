"""The nights: were they scored, by which scorer, judged, and were people told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row

from trace_pipeline.context import Pipeline
from trace_pipeline.doctor.finding import Finding, advice, fault, ok
from trace_pipeline.sqlfiles import query

_PART = "nights"
_LATE_DAYS = 2  # yesterday is scored tonight; the day before must be there
_MUCH = 0.2  # of a night's logs unscored


def check(pipeline: Pipeline, now: datetime) -> Iterator[Finding]:
    """Yield findings about what runs have left behind."""
    today = now.astimezone(ZoneInfo(pipeline.settings.day_time_zone)).date()
    place = {"scorer": pipeline.settings.scorers[0], "today": today}
    with pipeline.results.connect() as connection:
        night = connection.execute(query("doctor_last_night"), place).one_or_none()
        if night is None:
            yield advice(
                _PART,
                f"The scorer {place['scorer']} has not scored a night yet.",
                "Unpause trace_score_nightly, or run trace-pipeline run --date for a first day.",
            )
            return
        findings = [
            *_night(night, today),
            *_gaps(connection, place),
            *_version(pipeline, night),
            *_watch(connection, pipeline, night),
            *_messages(connection),
        ]
    yield from findings
    if not findings:
        yield ok(_PART, f"Nights are scored and judged up to {night.day}.")


def _night(night: Row[Any], today: date) -> Iterator[Finding]:
    day, rows = night.day, night.source_rows
    if (today - day).days > _LATE_DAYS:
        yield fault(
            _PART,
            f"The last scored night is {day}; nights since then are missing.",
            "Look at the last run of trace_score_nightly: is the DAG unpaused and the scheduler up?",
        )
    if night.failed:
        yield fault(
            _PART,
            f"On {day} {night.failed:,} of {rows:,} logs failed.",
            "Read the log of the failed batch, then clear it and the tasks after it.",
        )
    lost = night.skipped + night.quarantined
    if rows and lost > _MUCH * rows:
        yield advice(
            _PART,
            f"On {day} {lost:,} of {rows:,} logs could not be scored, most often: {night.reason}.",
            "Look into trace.quarantined_log; docs/reason-codes.md says what each reason means.",
        )


def _gaps(connection: Connection, place: dict[str, object]) -> Iterator[Finding]:
    missing = connection.execute(query("doctor_missing_nights"), place).scalars().all()
    if missing:
        listed = ", ".join(str(day) for day in missing[:5]) + (" ..." if len(missing) > 5 else "")
        yield advice(
            _PART,
            f"{len(missing)} nights of the last 30 have no ledger: {listed}.",
            "Run trace_rescore over them (from_day, to_day); it takes only what has no score.",
        )
    marks = connection.execute(query("doctor_marked_days")).scalar_one()
    if marks:
        yield advice(
            _PART,
            f"{marks} days wait for their sums to be restated.",
            "The next run does it; if it stays, look why aggregate_day fails.",
        )


def _version(pipeline: Pipeline, night: Row[Any]) -> Iterator[Finding]:
    current = pipeline.scorers[0].fingerprint
    if night.fingerprint != current:
        yield advice(
            _PART,
            f"The scorer is now {current}, the last night was scored by {night.fingerprint}.",
            "Run trace_rescore with bridge before the next night, so that the trend goes on.",
        )


def _watch(connection: Connection, pipeline: Pipeline, night: Row[Any]) -> Iterator[Finding]:
    judged = connection.execute(
        query("doctor_last_verdict"), {"scorer": pipeline.settings.scorers[0]}
    ).scalar()
    day = night.day
    if judged is None or judged < day - timedelta(days=1):
        said = "no night has been judged" if judged is None else f"the last judged night is {judged}"
        yield fault(
            "watch",
            f"Nights are scored up to {day}, but {said}.",
            "Unpause trace_watch_drift and trigger it by hand: it loses nothing.",
        )


def _messages(connection: Connection) -> Iterator[Finding]:
    failed = connection.execute(query("doctor_failed_messages")).one()
    if failed.messages:
        yield fault(
            "alerts",
            f"{failed.messages} messages could not be delivered, the last: {failed.detail[:120]}.",
            "Is the service reachable from the worker, and its token valid? See docs/how-to/alerts.md.",
        )
