"""Connections: one engine a server, made from a URL at the edge; COPY for bulk writes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError

from trace_core.errors import ConfigurationError

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def connect(url: str, *, setting: str, statement_timeout_seconds: int | None = None) -> Engine:
    """Return an engine for `url`, always with psycopg2; no connection is opened yet.

    `setting` names where the URL came from, for the message of ConfigurationError.
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
    return create_engine(
        parsed.set(drivername="postgresql+psycopg2"),
        connect_args={
            "options": options,
            "application_name": "trace_nightly",
            "connect_timeout": 15,
            "client_encoding": "utf8",  # whatever the server's
        },
        pool_size=1,
        max_overflow=2,
        pool_pre_ping=True,
    )


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
    lines = ["\t".join([_field(value) for value in row]) for row in rows]
    if not lines:
        return
    lines.append("")
    with closing(_cursor(connection)) as cursor:
        cursor.copy_expert(f"copy {table} ({', '.join(columns)}) from stdin", io.StringIO("\n".join(lines)))


def _field(value: object) -> str:
    if value is None:
        return "\\N"
    if type(value) is str:
        return value.translate(_ESCAPES)
    return str(value)


def array_literal(values: Iterable[str]) -> str:
    """Return the text form of an array of texts, as `copy_rows` takes it; each value is quoted."""
    quoted = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
    return "{" + ",".join([f'"{value}"' for value in quoted]) + "}"
