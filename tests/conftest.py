"""Fixtures on a real Postgres: one embedded server a session, one database a test, cloned from a template."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text

from trace_core import DEFAULT_SCORER
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.local import postgres
from trace_pipeline.migrations import migrate
from trace_pipeline.settings import load_settings

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """An embedded Postgres that is gone after the session."""
    home = Path(tempfile.mkdtemp(prefix="trace-test-"))
    home.chmod(0o755)
    try:
        yield postgres.start(home / "postgres")
    finally:
        postgres.destroy(home / "postgres")
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def admin(server: postgres.Server) -> Iterator[Engine]:
    """A superuser's engine on the maintenance database, outside of transactions."""
    engine = create_engine(server.url(), isolation_level="AUTOCOMMIT")
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def template(server: postgres.Server, admin: Engine) -> str:
    """Name of a migrated database that others are cloned from."""
    with admin.connect() as connection:
        connection.execute(text("create database trace_template"))
    engine = connect(server.url("trace_template"), setting="test")
    migrate(engine)
    engine.dispose()
    return "trace_template"


@pytest.fixture
def empty_database(server: postgres.Server, admin: Engine) -> Iterator[str]:
    """URL of a database without anything in it."""
    yield from cloned(server, admin, "template1")


@pytest.fixture
def database(server: postgres.Server, admin: Engine, template: str) -> Iterator[str]:
    """URL (superuser) of a database with the migrated schema."""
    yield from cloned(server, admin, template)


def cloned(server: postgres.Server, admin: Engine, template: str) -> Iterator[str]:
    """Yield the URL of a copy of a database, which is gone afterwards."""
    name = f"test_{next(_numbers)}"
    with admin.connect() as connection:
        connection.execute(text(f"create database {name} template {template} strategy file_copy"))
    try:
        yield server.url(name)
    finally:
        with admin.connect() as connection:
            connection.execute(text(f"drop database {name} with (force)"))


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """A superuser's engine on the test's database."""
    made = connect(database, setting="test")
    yield made
    made.dispose()


@pytest.fixture
def make_pipeline(database: str) -> Iterator[Callable[..., Pipeline]]:
    """Return a function that opens a pipeline on the test's database with the given settings.

    Where none are named it has the default scorer alone, so that a log is one row of evaluation.
    """
    opened: list[Pipeline] = []

    def make(run_id: str = "test", source_url: str | None = None, **settings: Any) -> Pipeline:
        pipeline = open_pipeline(
            load_settings(**{"scorers": DEFAULT_SCORER, **settings}),
            results_url=database,
            source_url=source_url,
            run_id=run_id,
        )
        opened.append(pipeline)
        return pipeline

    yield make
    for pipeline in opened:
        pipeline.close()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's own TRACE_* settings out of the tests."""
    for name in list(os.environ):
        if name.startswith("TRACE_"):
            monkeypatch.delenv(name)


RESULT_TABLES: Mapping[str, str] = {
    "evaluation": """
        select s.name, s.fingerprint, e.logged_at, e.log_id, e.input_hash, e.status, e.reason,
            e.response_kind,
            e.relevance, e.utilization, e.adherence, e.completeness, e.average, e.adherence_probability,
            e.undefined, e.annotation, e.segments, e.inclusion_probability, e.document_ids, e.document_uses
        from trace.evaluation e join trace.scorer s using (scorer_id)""",
    "quarantine": """
        select log_id, logged_at, occurrence, reason, detail, input_hash, segments from trace.quarantine""",
    "ledger": """
        select s.name, s.fingerprint, l.day, l.interval_start, l.interval_end, l.source_rows, l.scored,
            l.skipped, l.quarantined, l.sampled_out, l.failed, l.reasons
        from trace.ledger l join trace.scorer s using (scorer_id)""",
    "daily_metric": """
        select s.name, s.fingerprint, d.day, d.dimension, d.value, d.metric, d.n, d.total, d.squares,
            d.histogram, d.undefined, d.unscored, d.published_n, d.published_total
        from trace.daily_metric d join trace.scorer s using (scorer_id)""",
    "daily_document": """
        select s.name, s.fingerprint, d.day, d.document_id, d.retrieved, d.relevant, d.utilized,
            d.beside_unsupported
        from trace.daily_document d join trace.scorer s using (scorer_id)""",
}


def checksum(engine: Engine) -> dict[str, tuple[int, str]]:
    """Return rows and hash of each results table, without run ids and clocks."""
    found = {}
    with engine.connect() as connection:
        for name, statement in RESULT_TABLES.items():
            row = connection.execute(
                text(
                    "select count(*),"
                    " coalesce(md5(string_agg(md5(cast(t as text)), '' order by cast(t as text))), '')"
                    f" from ({statement}) as t"
                )
            ).one()
            found[name] = (row[0], row[1])
    return found
