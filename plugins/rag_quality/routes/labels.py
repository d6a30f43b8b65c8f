"""Labels: what to label next, the rate that labels correct, and how far the scorer agrees with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any, Final

import pandas as pd
from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rag_quality.choices import Options
from rag_quality.queue_view import QueueView
from rag_quality.rendering import csv_response, figure_json, render, state_of, wants_csv
from rag_quality.view_state import ViewState, text_of
from rag_quality.viewer import Viewer, who
from trace_core.errors import TraceError
from trace_pipeline.pages.errors import BadRequest
from trace_pipeline.pages.source_log import questions
from trace_pipeline.report.corrected_figure import corrected_figure
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.source import open_source
from trace_pipeline.trust import (
    HEADLINE_NIGHTS,
    Correction,
    QueuedLog,
    ScorerAgreement,
    agreements,
    corrected_nights,
    corrected_range,
)
from trace_pipeline.trust.agreement import LEAST_LABELS
from trace_pipeline.trust.queue import queue_days
from trace_pipeline.window import day_bounds

router = APIRouter()
#: All scored answers of the nights are counted, some 14,000 a night in a large history.
MOST_NIGHTS: Final = 31
_EXCERPT: Final = 200
_TABLES: Final = ("queue", "nights", "agreement")


@dataclass(frozen=True, slots=True)
class Found:
    """What the page shows; agreement: None where the version has scored no labelled answer of the window."""

    queue: QueueView
    logs: list[QueuedLog]
    nights: list[Correction]
    whole: Correction | None
    agreement: ScorerAgreement | None


@router.get("/labels")
def labels(request: Request, viewer: Viewer = Depends(who)) -> Response:  # noqa: B008
    """The page, or with format=csv the table that `table` names."""
    state, settings = state_of(request), load_settings()
    table = text_of(request.query_params, "table") or "queue"
    if table not in _TABLES:
        raise BadRequest(f"table must be one of {', '.join(_TABLES)}.")
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        found = _read(connection, state, settings, options)
    if found is None or options.days is None:
        return render(request, "labels.html.j2", state=state, options=options, found=None)
    texts, note = _questions(request, settings, found.logs)
    if wants_csv(request):
        return csv_response(_frame(table, found, texts), f"labels-{table}")
    return render(
        request,
        "labels.html.j2",
        state=state,
        options=options,
        found=found,
        cut=options.days[1] - options.days[0] >= timedelta(days=MOST_NIGHTS),
        most_nights=MOST_NIGHTS,
        queue_days=queue_days(found.queue.last, found.queue.nights),
        texts=texts,
        source_note=note,
        figure=figure_json(corrected_figure(found.nights)) if found.whole else None,
        viewer=viewer,
        saved=request.query_params.get("saved") == "yes",
        least_labels=LEAST_LABELS,
    )


def _read(connection: Connection, state: ViewState, settings: Settings, options: Options) -> Found | None:
    queue = QueueView.of(connection, state, settings)
    if queue is None or options.days is None:
        return None
    last, version = queue.last, queue.version
    first = max(options.days[0], last - timedelta(days=MOST_NIGHTS - 1))
    at_hand = {"nights": queue.nights, "zone": queue.zone}
    place = connection, version.scorer, version.scorer_id
    recent = last - timedelta(days=HEADLINE_NIGHTS - 1), last
    found = agreements(
        connection,
        *_bounds(last - timedelta(days=queue.nights - 1), last, queue.zone),
        list(dict.fromkeys((*settings.segments, "language"))),
        scorer_id=version.scorer_id,
    )
    return Found(
        queue,
        queue.logs(connection),
        corrected_nights(*place, (first, last), **at_hand),  # type: ignore[arg-type]
        corrected_range(*place, recent, **at_hand),  # type: ignore[arg-type]
        found[0] if found else None,
    )


def _bounds(first: date, last: date, zone: str) -> tuple[Any, Any]:
    return day_bounds(first, zone)[0], day_bounds(last, zone)[1]


def _questions(request: Request, settings: Settings, logs: Sequence[QueuedLog]) -> tuple[dict[Any, str], str]:
    """Return the beginnings of the questions; the page stands without them."""
    try:
        with request.app.state.database.read_source() as connection:
            source = open_source(connection, settings.source)
            return questions(connection, source, [(one.logged_at, one.log_id) for one in logs], _EXCERPT), ""
    except (SQLAlchemyError, TraceError):
        return {}, "The source of the logs does not answer, so no question is shown."


def _frame(table: str, found: Found, texts: dict[Any, str]) -> pd.DataFrame:
    if table == "queue":
        return _queue_frame(found.logs, texts)
    if table == "nights":
        columns = ["day", "raw", "corrected", "low", "high", "labels", "answers", "drawn"]
        rows = [
            (c.last, c.raw, c.rate.rate, c.rate.low, c.rate.high, c.rate.labels, c.rate.scored, c.is_drawn)
            for c in found.nights
        ]
        return pd.DataFrame(rows, columns=columns)
    groups = [] if found.agreement is None else [("", "", found.agreement.result)]
    groups += [(g.dimension, g.value, g.result) for g in getattr(found.agreement, "groups", ()) if g.result]
    return pd.DataFrame(
        [{"dimension": name, "value": value, **asdict(result)} for name, value, result in groups]
    )


def _queue_frame(logs: Sequence[QueuedLog], texts: dict[Any, str]) -> pd.DataFrame:
    """Return the queue with the columns that `trace-pipeline label` reads, to be filled in."""
    columns = "log_id logged_at scorer_says question verdict note labelled_by labelled_at drawn".split()
    rows = [
        (
            one.log_id,
            one.logged_at.isoformat(),
            one.why,
            texts.get((one.logged_at, one.log_id), ""),
            *("", "", "", "", "true"),
        )
        for one in logs
    ]
    return pd.DataFrame(rows, columns=columns)
