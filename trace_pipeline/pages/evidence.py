"""The logs that show an incident best: which they are, before their text is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from trace_core.annotation import Annotation
from trace_pipeline.pages.incidents import IncidentPage
from trace_pipeline.pages.log_filter import MISSING
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds

LOGS = 5
_NIGHTS = 7
_CARRIES = 0.5  # of the change: a segment that carries less does not narrow the logs


@dataclass(frozen=True, slots=True)
class Scope:
    """Which logs are shown: those of `first` to `last` (both included), of a segment unless it is empty."""

    first: date
    last: date
    dimension: str
    value: str


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence to read: its key, its text (cut) and the scorer's reason."""

    key: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class EvidenceLog:
    """A log with its sentences. `missing` says why there is no text.

    `kind` says what the sentences are: unsupported, left_out (relevant, but not used) or response. `score` in
    [0, 1] is the incident's metric, None when it has no value; `more` counts the sentences of this kind
    beyond those shown.
    """

    scorer_id: int
    logged_at: datetime
    log_id: str
    input_hash: str
    score: float | None
    reason: str | None
    segments: Mapping[str, Any]
    annotation: Annotation | None
    kind: str = ""
    question: str = ""
    sentences: tuple[ShownSentence, ...] = ()
    more: int = 0
    missing: str = ""


def scope_of(page: IncidentPage) -> Scope:
    """Return which logs show the incident: the last nights of its window, of its segment.

    When all traffic changed and one segment carries half of that or more, the logs are that segment's.
    """
    first, last = page.evidence_nights
    first = max(first, last - timedelta(days=_NIGHTS - 1))
    if page.row.dimension:
        return Scope(first, last, page.row.dimension, page.row.value)
    top = page.segments[0] if page.segments else None
    if top is None or top.contribution is None or top.contribution / (page.row.size or 1) < _CARRIES:
        return Scope(first, last, "", "")
    return Scope(first, last, top.dimension, top.value)


def evidence_logs(
    connection: Connection, page: IncidentPage, scope: Scope, zone: str, most: int = LOGS
) -> list[EvidenceLog]:
    """Return the worst logs of the scope, still without text; none when its scorer is not known."""
    version = {"scorer": page.row.scorer, "fingerprint": page.fingerprint}
    scorer_id = connection.scalar(query("page_scorer_id"), version)
    if scorer_id is None:
        return []
    missing = scope.dimension if scope.value == MISSING else ""
    segment = json.dumps({scope.dimension: scope.value}) if scope.dimension and not missing else ""
    place = {
        "scorer_id": scorer_id,
        "metric": page.row.metric,
        "segment": segment,
        "missing": missing,
        "from_at": day_bounds(scope.first, zone)[0],
        "to_at": day_bounds(scope.last, zone)[1],
        "most": most,
    }
    return [_bare(row) for row in connection.execute(query("page_incident_logs"), place).mappings()]


def _bare(row: Mapping[Any, Any]) -> EvidenceLog:
    annotation = row["annotation"]
    return EvidenceLog(
        scorer_id=row["scorer_id"],
        logged_at=row["logged_at"],
        log_id=row["log_id"],
        input_hash=row["input_hash"],
        score=row["score"],
        reason=row["reason"],
        segments=row["segments"],
        annotation=None if annotation is None else Annotation.from_json(annotation),
    )
