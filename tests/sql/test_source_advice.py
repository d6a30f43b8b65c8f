"""check_source: what is wrong with a source is one sentence that names the setting."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.sql.tools import MakePipeline, a_log, execute, insert, login, url_of
from trace_core.errors import ConfigurationError
from trace_pipeline.local.postgres import Server
from trace_pipeline.migrations import head_revision
from trace_pipeline.steps.check_source import check_source

SOURCE = {"table_schema": "public", "table": "logs"}


def make_table(engine: Engine, **types: str) -> None:
    """Create public.logs with the columns of rag_log; None as a type leaves one out."""
    columns = {
        "log_id": "text primary key",
        "logged_at": "timestamptz",
        "question": "text",
        "documents": "jsonb",
        "response": "text",
        "ground_truth": "text",
        "segments": "jsonb",
        **types,
    }
    listed = ", ".join(f"{name} {type_}" for name, type_ in columns.items() if type_)
    execute(engine, f"create table public.logs ({listed})")
    if columns["logged_at"]:
        execute(engine, "create index on public.logs (logged_at)")


def refusal(make_pipeline: MakePipeline, **settings: Any) -> str:
    """Return the sentence with which a source is refused."""
    with pytest.raises(ConfigurationError) as caught:
        check_source(make_pipeline(**settings))
    return str(caught.value)


def test_the_default_source_needs_no_advice(engine: Engine, make_pipeline: MakePipeline) -> None:
    """trace.rag_log is what it should be."""
    insert(engine, a_log("a"))
    assert check_source(make_pipeline()) == []


def test_results_that_were_not_migrated(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The revision found, the one needed, and the command."""
    execute(engine, "update trace.alembic_version set version_num = '0001_initial'")
    assert refusal(make_pipeline) == (
        f"The results database is at schema revision 0001_initial, this release needs {head_revision()}: "
        "run trace-pipeline migrate."
    )
    execute(engine, "drop schema trace cascade")
    assert "is at schema revision none" in refusal(make_pipeline)


def test_a_table_that_is_not_there(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The settings of schema and table are named, with their values."""
    assert refusal(make_pipeline, source={"table": "nope"}) == (
        "Settings source.table_schema and source.table: there is no table or view 'nope' in schema 'trace' of the"
        " source database."
    )


def test_a_sequence_or_index_is_no_table(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Other relations with the name are not taken for a table."""
    execute(engine, "create sequence public.logs")
    assert "there is no table or view 'logs'" in refusal(make_pipeline, source=SOURCE)


@pytest.mark.parametrize(
    "field", ["log_id", "logged_at", "question", "documents", "response", "ground_truth", "segments"]
)
def test_a_column_that_is_not_there(engine: Engine, make_pipeline: MakePipeline, field: str) -> None:
    """The setting of the column is named, and the columns there are."""
    make_table(engine, **{field: ""})
    sentence = refusal(make_pipeline, source=SOURCE)
    assert sentence.startswith(f"Setting source.columns.{field}: 'logs' has no column '{field}'; it has ")


def test_a_segment_column_that_is_not_there(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The segment's setting is named."""
    sentence = refusal(make_pipeline, source={"segment_columns": {"plan": "plan_name"}})
    assert sentence.startswith("Setting source.segment_columns.plan: 'rag_log' has no column 'plan_name'")


@pytest.mark.parametrize(
    ("field", "type_", "remedy"),
    [
        ("log_id", "jsonb", "use a view that casts it to text"),
        ("logged_at", "date", "use a view that casts it to timestamptz"),
        ("logged_at", "bigint", "use a view that casts it to timestamptz"),
        ("question", "jsonb", "use a view that casts it to text"),
        ("documents", "bytea", "use a view that gives an array of strings"),
        ("documents", "jsonb[]", "use a view that gives an array of strings"),
        ("response", "xml", "use a view that casts it to text"),
        ("ground_truth", "integer", "use a view that casts it to text"),
        ("segments", "text", "name columns in source.segment_columns"),
    ],
)
def test_a_column_of_a_wrong_type(
    engine: Engine, make_pipeline: MakePipeline, field: str, type_: str, remedy: str
) -> None:
    """The setting, the column, its type and what to do."""
    make_table(engine, **{field: type_})
    sentence = refusal(make_pipeline, source=SOURCE)
    assert sentence.startswith(
        f"Setting source.columns.{field}: column '{field}' of 'logs' has type {type_}; "
    )
    assert remedy in sentence


def test_optional_columns_may_be_missing(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Without ground truth and segments, said so in the settings, nothing is wrong."""
    make_table(engine, ground_truth="", segments="")
    assert (
        check_source(make_pipeline(source={**SOURCE, "columns": {"ground_truth": None, "segments": ""}}))
        == []
    )


@pytest.mark.parametrize(
    "grant",
    ["grant usage on schema app to login_plain", "grant select on app.logs to login_plain", "select 1"],
    ids=["no select", "no usage", "neither"],
)
def test_a_login_that_may_not_read(engine: Engine, make_pipeline: MakePipeline, grant: str) -> None:
    """One sentence says which rights to grant on what."""
    execute(engine, "create schema app")
    execute(engine, "create table app.logs (like trace.rag_log including all)")
    with login(engine) as plain:
        execute(engine, grant)
        source = {"table_schema": "app", "table": "logs"}
        sentence = refusal(make_pipeline, source_url=url_of(plain), source=source)
    assert sentence == (
        "Settings source.table_schema and source.table: this login may not read 'logs' in schema 'app' of the source"
        " database; grant it usage on the schema and select on the table."
    )


def test_a_column_that_may_not_be_read(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Select on some of the used columns is not enough."""
    execute(engine, "create table public.logs (like trace.rag_log including all)")
    with login(engine) as plain:
        execute(engine, "grant select (log_id, logged_at, question) on public.logs to login_plain")
        assert "may not read 'logs'" in refusal(make_pipeline, source_url=url_of(plain), source=SOURCE)


def test_missing_indexes_are_advice(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Without an index on the time, or a unique one on the id, a run warns and goes on."""
    execute(engine, "create table public.logs as select * from trace.rag_log")
    first, second = check_source(make_pipeline(source=SOURCE))
    assert first.startswith("'logs' has no index that starts with 'logged_at'")
    assert second.startswith("Column 'log_id' of 'logs' has no unique index")


def test_partial_and_invalid_indexes_do_not_count(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A partial index, or a unique one over more than the id, serves neither purpose."""
    execute(engine, "create table public.logs as select * from trace.rag_log")
    execute(engine, "create index on public.logs (logged_at) where response is not null")
    execute(engine, "create unique index on public.logs (log_id, logged_at)")
    assert len(check_source(make_pipeline(source=SOURCE))) == 2


def test_rows_without_a_time_are_told_of(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Rows that belong to no day are not counted silently."""
    make_table(engine)
    execute(engine, "insert into public.logs (log_id) values ('a')")
    (sentence,) = check_source(make_pipeline(source=SOURCE))
    assert sentence.startswith("'logs' has rows whose 'logged_at' is empty")


def test_a_time_without_zone_is_told_of(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The zone it is read in, and the setting that changes it."""
    make_table(engine, logged_at="timestamp")
    (sentence,) = check_source(make_pipeline(source={**SOURCE, "time_zone": "Asia/Tokyo"}))
    assert sentence == (
        "Column 'logged_at' has no time zone and is read as Asia/Tokyo; set source.time_zone if that is not so."
    )


def test_an_encoding_without_characters_is_refused(
    server: Server, admin: Engine, make_pipeline: MakePipeline
) -> None:
    """A SQL_ASCII database has bytes, not texts."""
    with admin.connect() as connection:
        connection.execute(
            text("create database ascii template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'")
        )
        pipeline = make_pipeline(source_url=server.url("ascii"), source=SOURCE)
        try:
            make_table(pipeline.source)
            with pytest.raises(ConfigurationError, match="has the encoding SQL_ASCII"):
                check_source(pipeline)
        finally:
            pipeline.close()
            connection.execute(text("drop database ascii with (force)"))
