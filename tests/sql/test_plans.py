"""Plans: the statements that read much use the index, and touch the months they are about."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from tests.conftest import cloned
from tests.sql.tools import execute, noon
from trace_pipeline.database import connect
from trace_pipeline.local.postgres import Server
from trace_pipeline.settings import load_settings
from trace_pipeline.source import Key, open_source
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds

FIRST, LAST = date(2026, 8, 1), date(2026, 10, 28)
DAY = date(2026, 9, 15)


@pytest.fixture(scope="module")
def large(server: Server, admin: Engine, template: str) -> Iterator[Engine]:
    """Fifty thousand logs over three months, and as many evaluations; no test changes them."""
    for url in cloned(server, admin, template):
        engine = connect(url, setting="test")
        fill(engine)
        yield engine
        engine.dispose()


def fill(engine: Engine) -> None:
    """Write the logs and evaluations."""
    execute(
        engine,
        "insert into trace.rag_log (log_id, logged_at, question, documents, response)"
        " select 'log-' || n, cast(:first as timestamptz) + n * interval '150 seconds', 'q', '[]', 'r'"
        " from generate_series(1, 50000) as n",
        first=FIRST,
    )
    execute(engine, "select trace.ensure_evaluation_partitions(:first, :last)", first=FIRST, last=LAST)
    execute(engine, "insert into trace.scorer (name, fingerprint, parameters) values ('s', 'f', '{}')")
    execute(
        engine,
        "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, adherence, run_id)"
        " select 1, logged_at, log_id, '', 'scored', 1, '' from trace.rag_log",
    )
    execute(
        engine,
        "insert into trace.quarantine (log_id, logged_at, reason, detail, input_hash, run_id)"
        " select log_id, logged_at, 'missing_question', '', '', '' from trace.rag_log limit 5000",
    )
    execute(engine, "analyze")


class Plans:
    """Explains every statement that a connection runs."""

    def __init__(self, connection: Connection) -> None:
        self.found: list[str] = []
        event.listen(connection, "before_cursor_execute", self._explain)

    def _explain(self, connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.lstrip().lower().startswith(("select", "with", "insert", "delete", "--")):
            with connection.connection.cursor() as other:
                other.execute(f"explain {statement}", parameters)
                self.found.append("\n".join(row[0] for row in other.fetchall()))

    def last(self) -> str:
        """Return the plan of the last statement."""
        return self.found[-1]


@pytest.fixture
def plans(large: Engine) -> Iterator[tuple[Connection, Plans]]:
    """A connection whose statements are explained."""
    with large.connect() as connection:
        yield connection, Plans(connection)


@pytest.mark.parametrize("what", ["count", "boundaries", "entries", "texts"])
def test_reading_a_batch_uses_the_index_on_the_time(plans: tuple[Connection, Plans], what: str) -> None:
    """Of fifty thousand logs a batch reads its own by rag_log_logged_at; no statement scans the table."""
    connection, explained = plans
    source = open_source(connection, load_settings().source)
    start, end = (Key(moment) for moment in day_bounds(DAY, "UTC"))
    if what == "count":
        assert source.count(connection, start, end) == 576
    elif what == "boundaries":
        assert len(source.boundaries(connection, start, end, 100)) == 5
    elif what == "entries":
        assert len(list(source.entries(connection, start, Key(noon(DAY), "x")))) == 289
    else:
        entries = list(source.entries(connection, start, Key(start.logged_at + timedelta(hours=1))))
        assert len(source.texts(connection, entries)) == len(entries) == 24
    assert "rag_log_logged_at" in explained.last()
    assert "Seq Scan" not in explained.last()


def test_a_source_without_zone_uses_its_index_too(large: Engine) -> None:
    """The condition on the column itself is there beside the exact one on the moment."""
    execute(
        large,
        "create table public.logs as select *, logged_at at time zone 'UTC' as local from trace.rag_log",
    )
    execute(large, "create index logs_local on public.logs (local)")
    execute(large, "analyze public.logs")
    source = {
        "table_schema": "public",
        "table": "logs",
        "columns": {"logged_at": "local"},
        "time_zone": "Asia/Tokyo",
    }
    with large.connect() as connection:
        explained = Plans(connection)
        logs = open_source(connection, load_settings(source=source).source)
        start, end = (Key(moment) for moment in day_bounds(DAY, "UTC"))
        assert logs.count(connection, start, end) == 576
    assert "logs_local" in explained.last()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("known_hashes", {"scorer_ids": [1]}),
        ("count_outcomes", {"scorer_id": 1}),
        ("aggregate_day", {"scorer_id": 1, "day": DAY, "dimensions": ["tenant"], "keep": 50, "run_id": "r"}),
        (
            "worst_logs",
            {
                "scorer": "s",
                "fingerprint": "f",
                "metric": "adherence",
                "dimension": "",
                "value": "",
                "most": 3,
            },
        ),
    ],
)
def test_reading_evaluations_touches_only_their_month(
    plans: tuple[Connection, Plans], name: str, place: dict[str, Any]
) -> None:
    """A day in September is read from September's partition alone."""
    connection, explained = plans
    start, end = day_bounds(DAY, "UTC")
    connection.execute(query(name), {**place, "from_at": start, "to_at": end})
    assert "evaluation_2026_09" in explained.last()
    assert "evaluation_2026_08" not in explained.last()
    assert "evaluation_2026_10" not in explained.last()
    connection.rollback()


def test_the_quarantine_is_read_by_time(plans: tuple[Connection, Plans]) -> None:
    """A batch looks up its own quarantined rows by the key."""
    connection, explained = plans
    start, end = day_bounds(FIRST, "UTC")
    connection.execute(query("known_quarantine"), {"from_at": start, "to_at": end})
    assert "quarantine_pkey" in explained.last()
