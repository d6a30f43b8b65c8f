"""Writes rows in rag_log's form into trace.rag_log by COPY; the one writer of the default source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

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


def load_logs(engine: Engine, rows: Iterable[Mapping[str, object]]) -> Iterator[int]:
    """Upsert rows by log_id, the last one wins, a chunk a transaction; yields the rows read so far."""
    waiting = iter(rows)
    written = 0
    while chunk := [_fields(row) for row in islice(waiting, _CHUNK)]:
        last = {fields[0]: fields for fields in chunk}  # one statement cannot write a row twice
        with engine.begin() as connection:
            run_script(connection, statement_of("queries/stage_logs.sql"))
            copy_rows(connection, "staged_log", _COLUMNS, last.values())
            connection.execute(query("merge_logs"))
        written += len(chunk)
        yield written


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
