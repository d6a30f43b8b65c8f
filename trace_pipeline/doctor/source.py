"""The source: everything `check_source` refuses or advises, and when the last log came."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy.exc import DBAPIError

from trace_core.errors import TraceError
from trace_pipeline.context import Pipeline
from trace_pipeline.doctor.finding import Finding, advice, fault, ok
from trace_pipeline.steps.check_source import examine_source

_PART = "source"
_AHEAD = timedelta(hours=1)
_SILENT = timedelta(days=2)


def check(pipeline: Pipeline, now: datetime) -> Iterator[Finding]:
    """Yield findings about the source table."""
    try:
        for sentence in examine_source(pipeline):
            # Each sentence of advice says after its first clause what to do.
            text, _, remedy = sentence.partition(": ") if ": " in sentence else sentence.partition("; ")
            yield advice(_PART, text.rstrip(".") + ".", remedy[:1].upper() + remedy[1:])
        with pipeline.read_source() as (connection, source):
            newest = source.newest(connection)
    except TraceError as error:
        yield fault(_PART, str(error), "Correct the setting it names, or the table.")
        return
    except DBAPIError as error:
        line = (str(error.orig).strip().splitlines() or ["unknown"])[0]
        yield fault(_PART, f"The source table cannot be read: {line}", "May the login of the source read it?")
        return
    if newest is None:
        yield advice(_PART, "The source table is empty.", "Does the RAG service write its logs here?")
    elif newest > now + _AHEAD:
        yield advice(
            _PART,
            f"The newest log is of {newest:%Y-%m-%d %H:%M} UTC, in the future.",
            "Correct the clock of the service that logs, or source.time_zone.",
        )
    elif newest < now - _SILENT:
        yield advice(
            _PART,
            f"The newest log is of {newest:%Y-%m-%d %H:%M} UTC.",
            "Does the RAG service still write its logs to this table?",
        )
    else:
        yield ok(_PART, f"The table can be read; its newest log is of {newest:%Y-%m-%d %H:%M} UTC.")
