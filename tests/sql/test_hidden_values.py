"""What a database error or a debug log says: never a value of a row or a parameter."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import psycopg2
import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from tests.sql.tools import MakePipeline, a_log, execute, insert, night, url_of
from trace_pipeline.database import connect, copy_rows
from trace_pipeline.pages.database import _engine as pages_engine

SECRET = "anna.mueller@example.org"

#: Each fails with a message that, as the server and the libraries write it, holds the parameter.
FAILING = {
    "a wrong value": "select cast(:value as integer)",
    "a wrong time": "select cast(:value as timestamptz)",
    "wrong JSON": "select cast(:value as jsonb)",
    "a syntax error beside it": "select :value from from x",
    "a column that is not there": "select nothing_like_that from (select :value as a) as x",
    "a unique key": "insert into held (name) values (:value), (:value)",
    "a check": "insert into held (name, size) values (:value, -1)",
    "a missing value": "insert into held (name, size) values (:value, null)",
    "an exception of a function": "select shout(:value)",
    "a value of another type": "select held.size + :value from held",
}


@pytest.fixture
def held(engine: Engine) -> Engine:
    """A table with constraints, and a function that quotes what it is given."""
    execute(engine, "create table held (name text unique, size integer not null default 1 check (size > 0))")
    execute(
        engine,
        "create function shout(words text) returns text language plpgsql"
        " as 'begin raise exception ''cannot take %'', words; end'",
    )
    return engine


def told(error: BaseException) -> str:
    """Return all that a log would show of an error, its causes included."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(error)


@pytest.mark.parametrize("what", FAILING)
def test_an_error_names_no_value(what: str, held: Engine) -> None:
    """Neither SQLAlchemy's words nor the server's detail, context and line; the kind of error stays."""
    with held.begin() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text(FAILING[what]), {"value": SECRET})
    assert SECRET[:12] not in told(caught.value)
    assert type(caught.value.orig).__name__ in told(caught.value)


@pytest.mark.parametrize("what", FAILING)
def test_without_our_engine_the_value_would_be_told(what: str, held: Engine) -> None:
    """The proof that the cases above are cases."""
    with (
        psycopg2.connect(url_of(held).replace("+psycopg2", "")) as connection,
        pytest.raises(psycopg2.Error) as caught,
        connection.cursor() as cursor,
    ):
        cursor.execute(FAILING[what].replace(":value", "%(value)s"), {"value": SECRET})
    connection.close()
    assert SECRET[:12] in told(caught.value)


@pytest.mark.parametrize(
    "row", [(SECRET, SECRET), (SECRET, "-1"), (SECRET,), (SECRET, "1", "2"), (SECRET, None)]
)
def test_a_copy_that_fails_names_no_value(row: tuple[Any, ...], held: Engine) -> None:
    """COPY tells the line it could not read."""
    with held.begin() as connection, pytest.raises(psycopg2.Error) as caught:
        copy_rows(connection, "held", ("name", "size"), [row])
    assert SECRET[:12] not in told(caught.value)


def test_the_pages_engine_hides_values_too(held: Engine) -> None:
    """The pages run in Airflow's API server, whose log others read."""
    engine = pages_engine(url_of(held))
    with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text(FAILING["a wrong value"]), {"value": SECRET})
    engine.dispose()
    assert SECRET[:12] not in told(caught.value)


def test_no_level_of_logging_shows_rows(
    engine: Engine, make_pipeline: MakePipeline, caplog: pytest.LogCaptureFixture
) -> None:
    """At its debug level SQLAlchemy writes parameters and rows; of our engines it writes neither."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "sqlalchemy.engine")
    fresh = connect(url_of(engine), setting="test")
    insert(fresh, a_log("log", question=f"Who is {SECRET}?", response=f"It is {SECRET}."))
    with fresh.connect() as connection:
        assert connection.scalar(text("select question from trace.rag_log")) == f"Who is {SECRET}?"
    fresh.dispose()
    pipeline = make_pipeline()
    night(pipeline)
    assert not any(SECRET[:12] in record.getMessage() for record in caplog.records)


def test_a_view_that_cannot_cast_ends_the_run_without_the_text(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """The source may be the user's view; what its cast chokes on is the text of a log."""
    insert(engine, a_log("log", question=SECRET))
    execute(
        engine,
        "create view logs as select log_id, logged_at, cast(cast(question as integer) as text) as question,"
        " documents, response, ground_truth, segments from trace.rag_log",
    )
    pipeline = make_pipeline(source={"table_schema": "public", "table": "logs"})
    with pytest.raises(Exception) as caught:
        night(pipeline)
    assert SECRET[:12] not in told(caught.value) and "integer" in str(caught.value)
