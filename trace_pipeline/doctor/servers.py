"""The two database servers: do they answer, in which state, and is their clock right."""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime, timedelta

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from trace_core.errors import TraceError
from trace_pipeline.doctor.finding import Finding, advice, fault, ok
from trace_pipeline.sqlfiles import query

_OLDEST = 140_000
_CLOCK_SKEW = timedelta(minutes=5)
_REPLICA_LAG = timedelta(minutes=30)
_SETTING = {"results": "TRACE_RESULTS_URL", "source": "TRACE_SOURCE_URL"}


def check(part: str, engine: Engine, now: datetime) -> Generator[Finding, None, bool]:
    """Yield findings about one server (`part` is results or source); returns whether it can be used."""
    try:
        with engine.connect() as connection:
            server = connection.execute(query("doctor_server")).one()
    except (DBAPIError, TraceError, UnicodeError) as error:
        cause = getattr(error, "orig", None) or error
        lines = str(cause).strip().splitlines() or [type(cause).__name__]
        yield fault(
            part,
            f"The {part} database cannot be reached: {lines[0]}",
            f"Is the server up, and are host, name, user and password of {_SETTING[part]} right?",
        )
        return False
    usable = True
    if server.version < _OLDEST:
        yield fault(part, f"Postgres {server.version // 10_000} is too old.", "Use version 14 or newer.")
        usable = False
    if (part == "results" and server.encoding != "UTF8") or server.encoding == "SQL_ASCII":
        yield fault(
            part,
            f"The {part} database has the encoding {server.encoding}.",
            "Use a database with the encoding UTF8.",
        )
        usable = False
    if part == "results" and server.is_replica:
        yield fault(
            part, "The results database is a read replica.", "Name the primary server in TRACE_RESULTS_URL."
        )
        usable = False
    elif server.is_replica and server.lag is not None and server.lag > _REPLICA_LAG:
        yield advice(
            part,
            f"The source is a replica that lags {_hours(server.lag)} behind; its last logs may be missing.",
            "Move the setting schedule behind the lag, or keep late_days large enough to take them up.",
        )
    skew = abs(server.now - now)
    if skew > _CLOCK_SKEW:
        yield advice(
            part,
            f"The clock of the {part} server is {_hours(skew)} off this machine's.",
            "Let both machines follow a time server (NTP).",
        )
    if usable:
        yield ok(part, f"Postgres {server.version // 10_000} answers.")
    return usable


def _hours(span: timedelta) -> str:
    minutes = round(span.total_seconds() / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"
