"""Connections: one engine a server, made from a URL at the edge; COPY for bulk writes."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

import psycopg2
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError

from trace_core.errors import ConfigurationError
from trace_pipeline.database_faults import tell_faults, told

#: JSON with every character as itself. One encoder for all: `json.dumps` with options makes one a call.
json_text = json.JSONEncoder(ensure_ascii=False).encode
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def connect(
    url: str,
    *,
    setting: str,
    statement_timeout_seconds: int | None = None,
    lock_timeout_seconds: int | None = None,
) -> Engine:
    """Return an engine for `url`, always with psycopg2; no connection is opened yet.

    `setting` names where the URL came from, for the message of ConfigurationError. With a timeout, a
    statement that takes longer, or waits longer for a lock, raises TemporaryFault in a sentence, and so does
    what else a retry may cure (`database_faults`).
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise ConfigurationError(
            f"{setting} is not a database URL (postgresql://user:password@host/name)."
        ) from None
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise ConfigurationError(
            f"{setting} must be a postgresql:// URL, not {parsed.get_backend_name()}://."
        )
    options = "-c timezone=UTC"
    if statement_timeout_seconds:
        options += f" -c statement_timeout={statement_timeout_seconds}s"
    if lock_timeout_seconds:
        options += f" -c lock_timeout={lock_timeout_seconds}s"
    engine = make_engine(parsed, "trace_nightly", options, connect_timeout=15, pool_size=1, max_overflow=2)
    if statement_timeout_seconds:
        tell_faults(engine, setting)
    return engine


def make_engine(url: URL, name: str, options: str, *, connect_timeout: int, **pool: Any) -> Engine:
    """Return an engine whose errors and log lines hold no values of rows or parameters, at any level.

    name: the application's, for the server and for this engine's logger. pool: options of the pool.
    """
    # At its debug level SQLAlchemy writes every row that is read.
    logging.getLogger(f"sqlalchemy.engine.Engine.{name}").setLevel(logging.WARNING)
    engine = create_engine(
        url.set(drivername="postgresql+psycopg2"),
        connect_args={
            "options": options,
            "application_name": name,
            "connect_timeout": connect_timeout,
            "client_encoding": "utf8",  # whatever the server's
        },
        pool_pre_ping=True,
        hide_parameters=True,
        logging_name=name,
        **pool,
    )
    event.listen(engine, "handle_error", _hide_values)
    return engine


def _hide_values(context: ExceptionContext) -> None:
    """Cut a server's message to what names no value; SQLAlchemy has copied it into its own already."""
    error = context.original_exception
    if isinstance(error, psycopg2.Error):
        _cut(error)
        if context.sqlalchemy_exception is not None:
            kind = type(error)
            context.sqlalchemy_exception.args = (f"({kind.__module__}.{kind.__name__}) {error}",)


_VALUES: Final = re.compile('".*"', re.DOTALL)


def _cut(error: psycopg2.Error) -> None:
    """Leave of an error its first sentence, without the values that a wrong value's sentence quotes.

    Gone are DETAIL ("Failing row contains ..."), CONTEXT ("COPY ..., line 1, column ...") and the LINE of the
    statement, in which psycopg2 has written the parameters.
    """
    primary = error.diag.message_primary
    if not primary:
        return  # not of a statement, such as a connection that was refused
    code = error.pgcode or ""
    if code.startswith("22"):
        primary = _VALUES.sub('"..."', primary)
    elif code == "P0001" and not primary.startswith("trace."):
        primary = "a function of the database raised an exception (its words are not shown)"
    error.args = (primary,)


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """Open a read-only transaction that sees one state of the database from its first read to its last."""
    with engine.connect() as connection:
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        yield connection.execution_options(**options)


def run_script(connection: Connection, script: str) -> None:
    """Run a whole file of statements; colons and percent signs in it stand for themselves."""
    connection.exec_driver_sql(script, execution_options={"no_parameters": True})


def _cursor(connection: Connection) -> Any:
    return connection.connection.cursor()


def copy_rows(
    connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Append `rows` to `table` by COPY. `table` and `columns` are names of this project's own tables.

    Values are None or have a text form that Postgres reads back (str, int, float, datetime, bool); the caller
    has made them free of NUL and lone surrogates.
    """
    lines = [
        "\t".join(["\\N" if v is None else _text(v) if type(v) is str else str(v) for v in row])
        for row in rows
    ]
    if not lines:
        return
    lines.append("")
    with closing(_cursor(connection)) as cursor:
        try:
            cursor.copy_expert(
                f"copy {table} ({', '.join(columns)}) from stdin", io.StringIO("\n".join(lines))
            )
        except psycopg2.Error as error:  # a plain cursor: SQLAlchemy hears nothing of it
            _cut(error)
            if (fault := told(connection, error)) is not None:
                raise fault from None
            raise


def _text(value: str) -> str:
    # Four searches are many times cheaper than a translation, and nearly no text needs one.
    if "\\" in value or "\t" in value or "\n" in value or "\r" in value:
        return value.translate(_ESCAPES)
    return value


def array_literal(values: Iterable[str]) -> str:
    """Return the text form of an array of texts, as `copy_rows` takes it; each value is quoted."""
    quoted = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
    return "{" + ",".join([f'"{value}"' for value in quoted]) + "}"
