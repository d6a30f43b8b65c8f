"""Migrations: every way to the newest revision ends at the same schema."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine

from tests.sql.catalogue import catalogue
from tests.sql.tools import DAY, execute, login, noon, rows
from trace_core.errors import ConfigurationError
from trace_pipeline import migrations
from trace_pipeline.database import connect
from trace_pipeline.migrations import current_revision, head_revision, migrate
from trace_pipeline.sqlfiles import names

REVISIONS = names("migrations")


@pytest.fixture
def empty(empty_database: str) -> Iterator[Engine]:
    """An engine on a database without anything in it."""
    engine = connect(empty_database, setting="test")
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def expected(template: str, server: object) -> dict[str, list[tuple[object, ...]]]:
    """What a migration from empty builds."""
    engine = connect(server.url(template), setting="test")  # type: ignore[attr-defined]
    try:
        return catalogue(engine)
    finally:
        engine.dispose()


def fill(engine: Engine) -> None:
    """Write a row into each table that the first revision has."""
    execute(
        engine,
        "insert into trace.rag_log (log_id, logged_at, question, documents, response)"
        " values ('a', :at, 'q', '[\"d\"]', 'r')",
        at=noon(),
    )
    execute(engine, "insert into trace.scorer (name, fingerprint, parameters) values ('s', 'f', '{}')")
    execute(
        engine,
        "insert into trace.ledger (scorer_id, day, interval_start, interval_end, source_rows, scored, skipped,"
        " quarantined, sampled_out, failed, run_id)"
        " values (1, :day, :at, now(), 1, 0, 0, 1, 0, 0, 'r')",
        day=DAY,
        at=noon(),
    )
    execute(
        engine,
        "insert into trace.quarantine (log_id, logged_at, reason, detail, input_hash, run_id)"
        " values ('a', :at, 'missing_question', '', '', 'r')",
        at=noon(),
    )
    execute(engine, "insert into trace.day_to_restate values (1, :day)", day=DAY)


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_earlier_revision_with_rows_becomes_the_same_schema(
    empty: Engine, expected: dict[str, object], revision: str
) -> None:
    """An upgrade keeps the rows and ends at what a new database has."""
    migrate(empty, revision=revision)
    fill(empty)
    done = migrate(empty)
    assert catalogue(empty) == expected
    assert rows(empty, "select count(*) from trace.ledger") == [(1,)]
    assert head_revision() in done[0]


def test_migrating_twice_changes_nothing(engine: Engine, expected: dict[str, object]) -> None:
    """The second call says that the schema is unchanged, and it is."""
    assert "(unchanged)" in migrate(engine)[0]
    assert catalogue(engine) == expected


def test_what_others_built_on_a_view_survives_an_unchanged_schema(engine: Engine) -> None:
    """A view of the user's own, and their grant, are still there after a second call."""
    execute(engine, "create view public.mine as select day, mean from trace.metric_trend")
    execute(engine, "grant select on trace.metric_trend to public")
    migrate(engine)
    assert rows(engine, "select count(*) from public.mine") == [(0,)]
    assert rows(
        engine, "select 1 from pg_class where relname = 'metric_trend' and relacl::text like '%,=r/%'"
    )


def test_a_view_in_the_way_of_an_upgrade_is_named(empty: Engine) -> None:
    """Something of the user's own on a view that a revision changes is one sentence, and nothing was done."""
    migrate(empty)
    execute(empty, "create view public.mine as select day, mean from trace.metric_trend")
    execute(empty, "update trace.alembic_version set version_num = :before", before=REVISIONS[-2])
    with pytest.raises(ConfigurationError, match="stands on a view"):
        migrate(empty)
    assert rows(empty, "select count(*) from trace.metric_trend") == [(0,)]


def test_calls_at_the_same_time_wait_for_each_other(empty_database: str, expected: dict[str, object]) -> None:
    """Four callers at once: one builds, the others find it unchanged."""
    engines = [connect(empty_database, setting="test") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(migrate, engines))
    assert sorted("(unchanged)" in sentences[0] for sentences in done) == [False, True, True, True]
    assert catalogue(engines[0]) == expected
    for engine in engines:
        engine.dispose()


def test_a_login_that_may_not_create_roles_is_told_who_may(
    empty: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema is built by the database's owner; only the roles are left to an administrator."""
    monkeypatch.setattr(migrations, "_ROLES", ("trace_owner", "trace_pipeline", "trace_absent"))
    with login(empty) as owner:
        name = empty.url.database
        execute(empty, f'grant create on database "{name}" to login_plain')
        sentences = migrate(owner)
        assert "Let an administrator run sql/roles.sql" in sentences[-1]
        assert rows(owner, "select count(*) from trace.ledger") == [(0,)]
        execute(empty, f'revoke create on database "{name}" from login_plain')
        assert "(unchanged)" in migrate(owner)[0]


def test_a_login_without_rights_is_one_sentence(empty: Engine) -> None:
    """A login that may not create a schema is told which login to use."""
    with login(empty) as plain, pytest.raises(ConfigurationError, match="may not lay the schema trace"):
        migrate(plain)


def test_a_server_that_is_too_old_is_one_sentence(empty: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version found and the version needed are named; nothing is created."""
    monkeypatch.setattr(migrations, "_OLDEST_SERVER", 990_000)
    with pytest.raises(ConfigurationError, match="is too old: version 99 or newer is needed"):
        migrate(empty)
    with empty.connect() as connection:
        assert current_revision(connection) is None


def test_other_schemas_are_left_alone(empty: Engine) -> None:
    """A table of the user's own in another schema is still there, and it alone."""
    execute(empty, "create table public.theirs (a integer)")
    migrate(empty)
    assert rows(empty, "select tablename from pg_tables where schemaname = 'public'") == [("theirs",)]
