"""What the page *Runs* shows: the ledger, what could not be read, and the evaluation log of a night."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pandas as pd
from sqlalchemy import Connection

from trace_core.annotation import Annotation
from trace_core.evaluation_log import EvaluationLog
from trace_core.reasons import describe
from trace_core.scorers.base import Evaluation
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds

PAGE_ROWS = 50
_LOG_ROWS = 10
_COUNTS = ("scored", "skipped", "quarantined", "sampled_out", "failed")


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """Logs of some nights that could not be read for one reason."""

    reason: str
    sentence: str
    logs: int
    first_seen: datetime
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class QuarantinedRow:
    """A log that could not be read; `detail` names the place, never the text."""

    log_id: str
    logged_at: datetime
    reason: str
    detail: str
    segments: Any
    first_seen: datetime
    last_seen: datetime


def balanced(row: Any) -> bool:
    """Tell whether the counts of a ledger line sum to its source rows."""
    return int(row["source_rows"]) == sum(int(row[name]) for name in _COUNTS)


def read_reasons(connection: Connection, days: tuple[date, date], zone: str) -> list[ReasonRow]:
    """Return the reasons of the nights' quarantine, the most frequent first."""
    place = _bounds(days, zone)
    return [
        ReasonRow(row.reason, describe(row.reason), row.logs, row.first_seen, row.last_seen)
        for row in connection.execute(query("page_quarantine_reasons"), place)
    ]


def read_quarantined(
    connection: Connection,
    days: tuple[date, date],
    zone: str,
    reason: str = "",
    before: tuple[datetime, str] | None = None,
    most: int = PAGE_ROWS,
) -> list[QuarantinedRow]:
    """Return at most `most` logs that could not be read, the latest first; `before` is the last row shown."""
    moment, log_id = before or (None, None)
    place = _bounds(days, zone) | {"reason": reason, "before_at": moment, "before_id": log_id, "most": most}
    return [QuarantinedRow(*row) for row in connection.execute(query("page_quarantined"), place)]


def read_evaluation_log(connection: Connection, scorer: str, day: date, zone: str) -> str | None:
    """Return the evaluation log of a night's worst answers, with its header once; None without any."""
    version = connection.execute(query("page_night_scorer"), {"scorer": scorer, "day": day}).scalar()
    if version is None:
        return None
    place = _bounds((day, day), zone) | {"scorer_id": version, "most": _LOG_ROWS}
    found = EvaluationLog()
    for row in connection.execute(query("page_evaluation_sample"), place).mappings():
        fields = dict(row)
        annotation = fields.pop("annotation")
        found.add_evaluation(
            Evaluation(**fields, annotation=Annotation.from_json(annotation) if annotation else None)
        )
    return found.render() if found.lines else None


def ledger_table(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    """Return ledger lines, the latest first, each with `balanced` and its reasons, most frequent first."""
    rows = []
    for row in ledger.sort_values("day", ascending=False).to_dict("records"):
        reasons = sorted((row["reasons"] or {}).items(), key=lambda item: (-int(item[1]), item[0]))
        rows.append(
            {
                **{str(name): value for name, value in row.items()},
                "balanced": balanced(row),
                "reasons": reasons,
            }
        )
    return rows


def _bounds(days: tuple[date, date], zone: str) -> dict[str, object]:
    return {"from_at": day_bounds(days[0], zone)[0], "to_at": day_bounds(days[1], zone)[1]}
