"""What the tests on a real Postgres share: small logs, runs over days, and reading rows back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, text

from trace_pipeline.context import Pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.nightly import RunReport, run_window
from trace_pipeline.window import Window

MakePipeline = Callable[..., Pipeline]
DAY = date(2026, 10, 1)
DOCUMENT = "The warranty lasts two years. Returns are free within thirty days."
ANSWER = "The warranty lasts two years."


def noon(day: date = DAY, **shift: float) -> datetime:
    """Return noon (UTC) of a day, shifted by the given timedelta arguments."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC) + timedelta(**shift)


def a_log(log_id: str, at: datetime | None = None, **fields: Any) -> dict[str, Any]:
    """Return a readable log in rag_log's form; `fields` replace its own."""
    return {
        "log_id": log_id,
        "logged_at": at or noon(),
        "question": "How long is the warranty?",
        "documents": [DOCUMENT],
        "response": ANSWER,
        "segments": {"tenant": "acme"},
        **fields,
    }


def insert(engine: Engine, *logs: Mapping[str, Any]) -> None:
    """Write logs into trace.rag_log; one that is there is replaced."""
    for _ in load_logs(engine, logs):
        pass


def night(
    pipeline: Pipeline, day: date = DAY, *, nights: int = 1, late_days: int = 0, force: bool = False
) -> RunReport:
    """Run the nights from `day` on."""
    return run_window(
        pipeline, Window(day, day + timedelta(days=nights - 1)), late_days=late_days, force=force
    )


def execute(engine: Engine, statement: str, **values: Any) -> None:
    """Run one statement in a transaction of its own."""
    with engine.begin() as connection:
        connection.execute(text(statement), values)


def rows(engine: Engine, statement: str, **values: Any) -> list[tuple[Any, ...]]:
    """Return all rows of a query as plain tuples."""
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(statement), values)]


def outcomes(engine: Engine) -> dict[str, str]:
    """Return log id -> status, or the reason code of a quarantined one."""
    found = rows(
        engine,
        "select log_id, status from trace.evaluation union all"
        " select case occurrence when 0 then log_id else log_id || '#' || occurrence end, reason"
        " from trace.quarantine",
    )
    return dict(found)


LEDGER = (
    "select day, source_rows, scored, skipped, quarantined, failed from trace.ledger order by day, scorer_id"
)


@contextmanager
def login(engine: Engine, *roles: str) -> Iterator[Engine]:
    """Give an engine of a new login that has the given roles; the login is gone afterwards."""
    name = f"login_{'_'.join(roles) or 'plain'}"[:60]
    execute(engine, f"create role {name} login password 'secret'")
    for role in roles:
        execute(engine, f"grant {role} to {name}")
    made = connect(
        engine.url.set(username=name, password="secret").render_as_string(hide_password=False), setting="test"
    )
    try:
        yield made
    finally:
        made.dispose()
        execute(engine, f"drop owned by {name}")
        execute(engine, f"drop role {name}")


def url_of(engine: Engine) -> str:
    """Return the URL an engine was made from, with its password."""
    return engine.url.render_as_string(hide_password=False)
