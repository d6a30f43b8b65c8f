"""check_source: is the source table what the settings say, and will reading it be cheap and safe."""

from __future__ import annotations

import logging

from sqlalchemy import Connection, text

from trace_core.errors import ConfigurationError
from trace_pipeline.context import Pipeline
from trace_pipeline.migrations import current_revision, head_revision
from trace_pipeline.source import Source
from trace_pipeline.sqlfiles import query
from trace_pipeline.telemetry.endpoint import endpoint_of

log = logging.getLogger(__name__)

_TEXT = ("text", "character varying", "character", "citext", "name")
_JSON = ("json", "jsonb")
_TYPES = {
    "log_id": (*_TEXT, "uuid", "integer", "bigint", "smallint", "numeric"),
    "logged_at": ("timestamp with time zone", "timestamp without time zone"),
    "question": _TEXT,
    "documents": (*_JSON, *_TEXT, "text[]", "character varying[]"),
    "response": _TEXT,
    "ground_truth": _TEXT,
    "segments": _JSON,
}
_REMEDY = {
    "logged_at": "use a view that casts it to timestamptz",
    "documents": "use a view that gives an array of strings, or of objects with a text field, as jsonb",
    "segments": "use a view that gives a jsonb object, or name columns in source.segment_columns",
}


def check_source(pipeline: Pipeline) -> list[str]:
    """Validate columns, types, time zone, encoding and index of the source, and the schema of the results.

    Returns sentences of advice (they are logged as warnings). Raises ConfigurationError with one sentence
    that says what to change.
    """
    # An unknown scorer, and an endpoint outside of the air gap, are refused before anything is planned.
    _ = pipeline.scorers, endpoint_of(pipeline.settings)
    _check_results(pipeline)
    advice = examine_source(pipeline)
    for sentence in advice:
        log.warning(sentence)
    return advice


def examine_source(pipeline: Pipeline) -> list[str]:
    """Validate the source alone; returns sentences of advice, raises ConfigurationError as `check_source`."""
    with pipeline.read_source() as (connection, source):
        _check_encoding(connection)
        _check_types(source)
        _check_readable(connection, source)
        return [*_zone_advice(source), *_index_advice(connection, source)]


def _check_results(pipeline: Pipeline) -> None:
    with pipeline.results.connect() as connection:
        encoding = connection.scalar(text("show server_encoding"))
        found = current_revision(connection)
    if encoding != "UTF8":
        raise ConfigurationError(
            f"The results database has the encoding {encoding}, which cannot hold every id and segment: "
            "use a database with the encoding UTF8."
        )
    needed = head_revision()
    if found != needed:
        raise ConfigurationError(
            f"The results database is at schema revision {found or 'none'}, this release needs {needed}: "
            "run trace-pipeline migrate."
        )


def _check_encoding(connection: Connection) -> None:
    encoding = connection.scalar(text("show server_encoding"))
    if encoding == "SQL_ASCII":
        raise ConfigurationError(
            "The source database has the encoding SQL_ASCII, so its texts have no defined characters: "
            "copy the logs into a UTF8 database, or use a view there."
        )


def _check_types(source: Source) -> None:
    for field, allowed in _TYPES.items():
        name = getattr(source.settings.columns, field)
        if name is None or source.types[name] in allowed:
            continue
        remedy = _REMEDY.get(field, f"use a view that casts it to {allowed[0]}")
        raise ConfigurationError(
            f"Setting source.columns.{field}: column {name!r} of {source.settings.table!r} has type "
            f"{source.types[name]}; {remedy}."
        )


def _check_readable(connection: Connection, source: Source) -> None:
    settings = source.settings
    place = {"table_schema": settings.table_schema, "table": settings.table}
    if not connection.scalar(query("may_read"), {**place, "columns": source.column_names}):
        raise ConfigurationError(
            f"Settings source.table_schema and source.table: this login may not read {settings.table!r} in "
            f"schema {settings.table_schema!r} of the source database; grant it usage on the schema and "
            "select on the table."
        )


def _zone_advice(source: Source) -> list[str]:
    if not source.zoneless:
        return []
    column, zone = source.settings.columns.logged_at, source.settings.time_zone
    return [
        f"Column {column!r} has no time zone and is read as {zone}; set source.time_zone if that is not so."
    ]


def _index_advice(connection: Connection, source: Source) -> list[str]:
    settings = source.settings
    place = {"table_schema": settings.table_schema, "table": settings.table}
    rows = connection.execute(query("source_indexes"), place).all()
    if not any(row.is_table for row in rows):
        return []  # a view: its tables' indexes decide, and only its owner knows which
    table, moment, ident = settings.table, settings.columns.logged_at, settings.columns.log_id
    advice = []
    if not any(row.leading_column == moment for row in rows):
        advice.append(
            f"{table!r} has no index that starts with {moment!r}, so each night reads all of it: "
            "create an index on that column."
        )
    elif source.has_timeless(connection):
        advice.append(
            f"{table!r} has rows whose {moment!r} is empty; they belong to no day and are not counted: "
            "give that column a value."
        )
    if not any(row.is_unique and row.leading_column == ident for row in rows):
        advice.append(
            f"Column {ident!r} of {table!r} has no unique index: of rows that share id and time one is "
            "scored, and the others are quarantined as duplicate_log_id."
        )
    return advice
