"""Two limits that no night can beat: the scorers alone, and moving the same bytes by COPY."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Engine, text

from trace_core import BadInput, Log, get_scorer, parse_log
from trace_pipeline.window import day_bounds

_ALONE_LOGS = 10_000  # a process
_CHUNK = 200  # as score_batch reads them
_COPIED_LOGS = 100_000
_FIELDS = ("log_id", "logged_at", "question", "documents", "response", "ground_truth", "segments")
_TEXTS = "log_id, logged_at, question, documents::text, response, ground_truth, segments::text"
_NIGHT = "from trace.rag_log where logged_at >= :low and logged_at < :high order by logged_at, log_id"


@dataclass(frozen=True)
class Limit:
    """Logs, the seconds they took, and CPU seconds (0 where not measured)."""

    logs: int
    seconds: float
    cpu: float = 0.0
    megabytes: float = 0.0

    @property
    def rate(self) -> float:
        """Logs per second."""
        return self.logs / self.seconds


def scorers_alone(engine: Engine, names: Sequence[str], day: date, cores: int) -> Limit:
    """Parse and score logs of the night from memory in `cores` processes at once, nothing read or written."""
    low, high = day_bounds(day, "UTC")
    with engine.connect() as connection:
        statement = text(f"select {_TEXTS} {_NIGHT} limit {_ALONE_LOGS * cores}")
        found = connection.execute(statement, {"low": low, "high": high}).all()
    rows = [dict(zip(_FIELDS, row, strict=True)) for row in found]
    # Each gets a stretch of the night, as a batch is one.
    parts = [rows[len(rows) * at // cores : len(rows) * (at + 1) // cores] for at in range(cores)]
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(cores), context.Queue()
    workers = [
        context.Process(target=_score_part, args=(part, list(names), barrier, answers)) for part in parts
    ]
    for worker in workers:
        worker.start()
    took = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    return Limit(len(rows), max(wall for wall, _ in took), sum(cpu for _, cpu in took))


def _score_part(rows: list[dict[str, Any]], names: list[str], barrier: Any, answers: Any) -> None:
    scorers = [get_scorer(name) for name in names]
    barrier.wait()
    began, cpu = time.perf_counter(), time.process_time()
    for start in range(0, len(rows), _CHUNK):
        logs = list(_parsed(rows[start : start + _CHUNK]))
        for scorer in scorers:
            for _ in scorer.score_many(logs):
                pass
    answers.put((time.perf_counter() - began, time.process_time() - cpu))


def _parsed(rows: Sequence[dict[str, Any]]) -> Sequence[Log]:
    parsed = []
    for row in rows:
        try:
            parsed.append(parse_log(row))
        except BadInput:
            continue
    return parsed


def copied(engine: Engine, day: date) -> Limit:
    """COPY logs of the night out of the server, and their evaluations out and into a table like theirs.

    Only the COPY of the logs out and that of the evaluations in are timed: a night reads the one and writes
    the other.
    """
    low, high = day_bounds(day, "UTC")
    connection = engine.raw_connection()
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute(
                "select count(*), coalesce(max(logged_at), %s) from (select logged_at from trace.rag_log "
                f"where logged_at >= %s and logged_at < %s order by logged_at limit {_COPIED_LOGS}) as l",
                (high, low, high),
            )
            logs, last = cursor.fetchone()
            place = cursor.mogrify("logged_at >= %s and logged_at <= %s", (low, last)).decode()
            with tempfile.TemporaryFile() as texts, tempfile.TemporaryFile() as results:
                began = time.perf_counter()
                cursor.copy_expert(
                    f"copy (select {_TEXTS} from trace.rag_log where {place}) to stdout", texts
                )
                out = time.perf_counter() - began
                cursor.copy_expert(f"copy (select * from trace.evaluation where {place}) to stdout", results)
                results.seek(0)
                cursor.execute("create table trace.copied (like trace.evaluation including all)")
                began = time.perf_counter()
                cursor.copy_expert("copy trace.copied from stdin", results)
                into = time.perf_counter() - began
                size = (texts.tell() + results.tell()) / 1e6
        connection.rollback()
    finally:
        connection.close()
    return Limit(logs, out + into, megabytes=size)
