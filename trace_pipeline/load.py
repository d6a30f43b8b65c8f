"""Writes rows in rag_log's form into trace.rag_log by COPY; the one writer of the default source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Engine

from trace_pipeline.database import copy_rows, run_script
from trace_pipeline.sqlfiles import query, statement_of

_COLUMNS = [
    "log_id",
    "logged_at",
    "question",
    "documents",
    "response",
    "ground_truth",
    "segments",
    "metadata",
]
_CHUNK = 2_000
_CHUNK_CHARACTERS = 16_000_000  # a chunk of long logs ends earlier, or memory would grow with them


@dataclass(frozen=True, slots=True)
class Stored:
    """What a chunk of rows came to: all of them, those with a new id, those that replaced another content."""

    rows: int
    new: int
    changed: int


def load_logs(engine: Engine, rows: Iterable[Mapping[str, object]]) -> Iterator[int]:
    """Upsert rows by log_id, the last one wins, a chunk a transaction; yields the rows read so far."""
    written = 0
    for stored in store_logs(engine, rows):
        written += stored.rows
        yield written


def store_logs(engine: Engine, rows: Iterable[Mapping[str, object]]) -> Iterator[Stored]:
    """Upsert rows by log_id as `load_logs` does; yields what each chunk came to, once it is committed."""
    for chunk in _chunks(rows):
        last = {fields[0]: fields for fields in chunk}  # one statement cannot write a row twice
        with engine.begin() as connection:
            run_script(connection, statement_of("queries/stage_logs.sql"))
            copy_rows(connection, "staged_log", _COLUMNS, last.values())
            counts = connection.execute(query("merge_logs")).one()
        yield Stored(len(chunk), counts.new, counts.changed)


def _chunks(rows: Iterable[Mapping[str, object]]) -> Iterator[list[list[object]]]:
    chunk: list[list[object]] = []
    size = 0
    for row in rows:
        fields = _fields(row)
        chunk.append(fields)
        size += sum(len(field) for field in fields if isinstance(field, str))
        if len(chunk) >= _CHUNK or size >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _fields(row: Mapping[str, object]) -> list[object]:
    documents = row.get("documents")
    return [
        row["log_id"],
        row["logged_at"],
        row.get("question"),
        None if documents is None else json.dumps(documents, ensure_ascii=False),
        row.get("response"),
        row.get("ground_truth"),
        json.dumps(row["segments"] if row.get("segments") is not None else {}, ensure_ascii=False),
        json.dumps(row.get("metadata") or {}, ensure_ascii=False),
    ]
