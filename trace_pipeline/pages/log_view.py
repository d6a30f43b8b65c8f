"""What is stored of one log: what every scorer says of it, and what people say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from trace_core.annotation import Annotation
from trace_core.evaluation_log import EvaluationLog
from trace_core.scorers import Evaluation
from trace_pipeline.sqlfiles import query

_LOG_LINES = 300


@dataclass(frozen=True, slots=True)
class ScoredBy:
    """What one scorer fingerprint says about the log."""

    scorer_id: int
    scorer: str
    is_newest: bool
    input_hash: str
    evaluated_at: datetime
    segments: Mapping[str, str]
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class Label:
    """A person's verdict; `sentence_key` is None for the whole response."""

    sentence_key: str | None
    kind: str
    verdict: str
    note: str
    labelled_by: str
    labelled_at: datetime
    source: str
    input_hash: str | None


def scored_by(connection: Connection, logged_at: datetime, log_id: str) -> list[ScoredBy]:
    """Return what each scorer says about a log; nothing when none knows it."""
    place = {"logged_at": logged_at, "log_id": log_id}
    return [_scored(row) for row in connection.execute(query("page_log"), place).mappings()]


def labels_of(connection: Connection, logged_at: datetime, log_id: str) -> list[Label]:
    """Return what people say about a log."""
    place = {"logged_at": logged_at, "log_id": log_id}
    return [
        Label(
            row["sentence_key"],
            row["kind"],
            row["verdict"],
            row["note"],
            row["labelled_by"],
            row["labelled_at"],
            row["source"],
            row["input_hash"],
        )
        for row in connection.execute(query("page_log_labels"), place).mappings()
    ]


def _scored(row: Mapping[Any, Any]) -> ScoredBy:
    annotation = row["annotation"]
    evaluation = Evaluation(
        log_id=row["log_id"],
        status=row["status"],
        reason=row["reason"],
        response_kind=row["response_kind"],
        relevance=row["relevance"],
        utilization=row["utilization"],
        adherence=row["adherence"],
        completeness=row["completeness"],
        average=row["average"],
        adherence_probability=row["adherence_probability"],
        undefined=row["undefined"],
        annotation=None if annotation is None else Annotation.from_json(annotation).cleaned()[0],
        fingerprint=row["fingerprint"],
    )
    return ScoredBy(
        row["scorer_id"],
        row["scorer"],
        row["is_newest"],
        row["input_hash"],
        row["evaluated_at"],
        row["segments"],
        evaluation,
    )


def evaluation_log(scored: list[ScoredBy]) -> str:
    """Return the evaluation log of all scorers, with its header once; a very long one is cut."""
    log = EvaluationLog()
    for one in scored:
        log.add(f"scorer {one.scorer} {one.evaluation.fingerprint}")
        log.add_evaluation(one.evaluation)
    if len(log.lines) <= _LOG_LINES:
        return log.render()
    cut = EvaluationLog(log.lines[:_LOG_LINES])
    cut.add(f"... and {len(log.lines) - _LOG_LINES:,} more lines")
    return cut.render()


def find_log(
    connection: Connection, scorer_id: int, log_id: str, from_at: datetime, to_at: datetime
) -> datetime | None:
    """Return when the newest log of an id in [from_at, to_at) was given; None when there is none."""
    place = {"scorer_id": scorer_id, "log_id": log_id, "from_at": from_at, "to_at": to_at}
    return connection.execute(query("page_find_log"), place).scalar()
