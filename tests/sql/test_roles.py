"""The roles: what each may do, and that nothing more is possible."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import ProgrammingError

from tests.sql.tools import (
    DAY,
    LEDGER,
    MakePipeline,
    a_log,
    execute,
    insert,
    login,
    night,
    noon,
    rows,
    url_of,
)
from trace_pipeline.context import open_pipeline
from trace_pipeline.settings import load_settings
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.maintain import apply_retention, ensure_partitions
from trace_pipeline.steps.send_alerts import send_alerts


def relations(engine: Engine, kinds: str) -> list[str]:
    """Return the tables or views of the schema, months of evaluations left out."""
    found = rows(
        engine,
        "select relname from pg_class where relnamespace = cast('trace' as regnamespace)"
        " and strpos(:kinds, relkind) > 0 and not relispartition order by 1",
        kinds=kinds,
    )
    return [name for (name,) in found]


TABLES, VIEWS = "rp", "v"


def assert_denied(engine: Engine, statement: str) -> None:
    """Assert that Postgres refuses a statement for want of a right."""
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        execute(engine, statement)


def test_the_pipeline_role_cannot_change_the_source(engine: Engine) -> None:
    """Insert, update, delete and truncate of the logs are all refused; reading is not."""
    insert(engine, a_log("a"))
    with login(engine, "trace_pipeline") as pipeline:
        for statement in (
            "update trace.rag_log set response = ''",
            "delete from trace.rag_log",
            "truncate trace.rag_log",
            "insert into trace.rag_log (log_id, logged_at) values ('b', now())",
            "select * from trace.rag_log for update",
        ):
            assert_denied(pipeline, statement)
        assert rows(pipeline, "select count(*) from trace.rag_log") == [(1,)]


def test_the_pipeline_role_cannot_change_the_schema(engine: Engine, make_pipeline: MakePipeline) -> None:
    """It creates, alters, drops and truncates no table, nor a month of evaluations, nor the record of revisions."""
    night(make_pipeline())
    with login(engine, "trace_pipeline") as pipeline:
        assert_denied(pipeline, "create table trace.mine (a integer)")
        assert_denied(pipeline, "create function trace.f() returns integer language sql as 'select 1'")
        assert_denied(pipeline, "update trace.alembic_version set version_num = ''")
        assert_denied(pipeline, "drop table trace.evaluation_2026_10")
        for table in relations(engine, TABLES):
            assert_denied(pipeline, f"drop table trace.{table} cascade")
            assert_denied(pipeline, f"truncate trace.{table} cascade")
            assert_denied(pipeline, f"alter table trace.{table} add column a integer")


def test_the_pipeline_role_runs_whole_nights(engine: Engine, database: str) -> None:
    """A login with that role alone scores, aggregates, watches, alerts and keeps house."""
    insert(engine, a_log("a"), a_log("b", question=None))
    with login(engine, "trace_pipeline") as member:
        pipeline = open_pipeline(load_settings(retention_days=30), results_url=url_of(member))
        night(pipeline, late_days=7)
        assert rows(engine, LEDGER) == [(DAY, 2, 1, 0, 1, 0)] * len(pipeline.scorers)
        detect_drift(pipeline)
        send_alerts(pipeline, "log")
        ensure_partitions(pipeline, noon(days=400).date())
        assert "evaluation_2026_10" in apply_retention(pipeline, noon(days=200).date())
        pipeline.close()


def test_select_on_the_source_is_enough_to_read_it(
    engine: Engine, make_pipeline: MakePipeline, database: str
) -> None:
    """The source's login needs usage on its schema and select on its columns, and nothing of the results."""
    execute(engine, "create schema app")
    execute(engine, "create table app.logs as select * from trace.rag_log with no data")
    execute(
        engine,
        "insert into app.logs select log_id, logged_at, 'q', '[\"d\"]', 'r', null, '{}', '{}'"
        " from (values ('a', cast(:at as timestamptz))) as v (log_id, logged_at)",
        at=noon(),
    )
    with login(engine) as reader:
        execute(engine, "grant usage on schema app to login_plain")
        execute(
            engine,
            "grant select (log_id, logged_at, question, documents, response, ground_truth, segments)"
            " on app.logs to login_plain",
        )
        pipeline = make_pipeline(source_url=url_of(reader), source={"table_schema": "app", "table": "logs"})
        night(pipeline)
        assert_denied(reader, "select * from trace.evaluation")
        pipeline.close()
    assert rows(engine, LEDGER) == [(DAY, 1, 1, 0, 0, 0)]


def test_the_reader_role_writes_nowhere(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Every table refuses insert, update, delete and truncate, and the functions that change tables refuse too."""
    night(make_pipeline())
    with login(engine, "trace_reader") as reader:
        for table in relations(engine, TABLES):
            assert_denied(reader, f"insert into trace.{table} default values")
            assert_denied(reader, f"delete from trace.{table}")
            assert_denied(reader, f"truncate trace.{table} cascade")
            column = rows(
                engine,
                "select attname from pg_attribute where attrelid = cast(:t as regclass) and attnum > 0 order by attnum desc limit 1",
                t=f"trace.{table}",
            )[0][0]
            assert_denied(reader, f"update trace.{table} set {column} = {column}")
        assert_denied(reader, "create table trace.mine (a integer)")
        assert_denied(reader, "delete from trace.evaluation_2026_10")
        assert_denied(reader, "select trace.drop_evaluation_partitions('2099-01-01')")
        assert_denied(reader, "select trace.ensure_evaluation_partitions('2026-01-01', '2026-01-01')")


def test_the_reader_role_reads_every_view(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Pages and dashboards get what they show."""
    night(make_pipeline())
    with login(engine, "trace_reader") as reader:
        for view in relations(engine, VIEWS):
            rows(reader, f"select * from trace.{view}")
        assert rows(reader, "select count(*) from trace.night_ledger") == [(1,)]


def test_a_login_without_a_role_sees_nothing(engine: Engine) -> None:
    """Nothing of the schema is open to everybody."""
    with login(engine) as plain:
        for relation in relations(engine, TABLES + VIEWS):
            assert_denied(plain, f"select * from trace.{relation}")
        assert_denied(plain, "select trace.drop_evaluation_partitions('2099-01-01')")
