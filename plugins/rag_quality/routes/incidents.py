"""Incidents: the list, and one incident with what is needed to act on it."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import pandas as pd
from fastapi import APIRouter, Request, Response
from sqlalchemy.exc import SQLAlchemyError

from rag_quality.choices import Options
from rag_quality.rendering import csv_response, figure_json, render, state_of, wants_csv
from rag_quality.routes.logs import limits_of
from rag_quality.view_state import ViewState, day_of, number_of, text_of
from trace_core.drift.wording import MEASURE_WORDS
from trace_core.errors import TraceError
from trace_pipeline.pages.errors import BadRequest, NotFound
from trace_pipeline.pages.evidence import EvidenceLog, Scope, evidence_logs, scope_of
from trace_pipeline.pages.evidence_text import with_text
from trace_pipeline.pages.incidents import (
    PAGE_ROWS,
    STATES,
    IncidentFilter,
    IncidentPage,
    IncidentRow,
    incident_trend,
    list_incidents,
    read_incident,
)
from trace_pipeline.report.figures import trend_figure
from trace_pipeline.scorers import sentence_scorer
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.source import open_source

router = APIRouter()
_CSV_ROWS = 10_000
_MOST_ID = 10**18
_METRICS = (
    "adherence",
    "completeness",
    "relevance",
    "utilization",
    "average",
    "unscored_share",
    "refusal_rate",
)


@router.get("/incidents")
def incidents(request: Request) -> Response:
    """The list, or with format=csv all that fit the filter."""
    state, settings = state_of(request), load_settings()
    about = _one_of(request, "about", _METRICS)
    kept = _one_of(request, "state", STATES)
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        wanted = IncidentFilter(
            scorer=options.scorer,
            metric=about,
            states=(kept,) if kept else ("open", "closed"),
            dimension=state.dimension,
            value=state.value,
            before=_before(request),
        )
        most = _CSV_ROWS if wants_csv(request) else PAGE_ROWS + 1
        rows = list_incidents(connection, wanted, most)
    if wants_csv(request):
        columns = [field.name for field in fields(IncidentRow)]
        return csv_response(pd.DataFrame([asdict(row) for row in rows], columns=columns), "incidents")
    own = {"about": about, "state": kept}
    last = rows[PAGE_ROWS - 1] if len(rows) > PAGE_ROWS else None
    older = (
        state.url("incidents", before=last.opened_day, before_id=last.incident_id, **own) if last else None
    )
    return render(
        request,
        "incidents.html.j2",
        state=state,
        options=options,
        rows=rows[:PAGE_ROWS],
        own=own,
        states=STATES,
        metrics=_METRICS,
        older=older,
    )


@router.get("/incidents/{number}")
def incident(request: Request, number: str) -> Response:
    """One incident; with format=csv its change report, by segment."""
    state, settings = state_of(request), load_settings()
    if not (number.isascii() and number.isdigit() and int(number[:20]) < _MOST_ID):
        raise NotFound("An incident has a number, such as 3.")
    with request.app.state.database.read() as connection:
        page = read_incident(connection, int(number))
        if page is None:
            raise NotFound(f"There is no incident {number}.")
        if wants_csv(request):
            return csv_response(_change_frame(page), f"incident-{int(number)}")
        trend = incident_trend(connection, page.row)
        scope = scope_of(page)
        logs = evidence_logs(connection, page, scope, settings.day_time_zone)
    shown, note = _texts(request, settings, page, logs)
    return render(
        request,
        "incident.html.j2",
        state=state,
        page_of=page,
        row=page.row,
        measure=MEASURE_WORDS.get(page.measure, ""),
        figure=_figure(page, trend),
        scope=scope,
        logs=shown,
        source_note=note,
        all_logs=_logs_url(state, page, scope),
        signed=_signed,
    )


def _one_of(request: Request, name: str, known: tuple[str, ...]) -> str:
    value = text_of(request.query_params, name)
    if value and value not in known:
        raise BadRequest(f"{name} must be one of {', '.join(known)}.")
    return value


def _before(request: Request) -> tuple[Any, int] | None:
    day = day_of(request.query_params, "before")
    return None if day is None else (day, number_of(request.query_params, "before_id", 0))


def _figure(page: IncidentPage, trend: pd.DataFrame) -> Any:
    if trend.empty:
        return None
    row = page.row
    mark = {"metric": row.metric, "onset_day": row.onset_day, "closed_day": row.closed_day}
    marks = pd.DataFrame([mark] if row.state != "withdrawn" else [], columns=list(mark))
    releases = [release.first_day for release in page.releases]
    return figure_json(trend_figure(trend, row.metric, marks, releases=releases))


def _texts(
    request: Request, settings: Settings, page: IncidentPage, logs: list[EvidenceLog]
) -> tuple[list[EvidenceLog], str]:
    """Return the logs with their sentences; a source that does not answer leaves them without."""
    if not logs:
        return logs, ""
    try:
        scorer, limits = sentence_scorer(page.row.scorer), limits_of(settings)
        with request.app.state.database.read_source() as connection:
            source = open_source(connection, settings.source)
            metric = page.row.metric
            return [with_text(connection, source, limits, scorer, metric, log) for log in logs], ""
    except (SQLAlchemyError, TraceError):
        return logs, "The source of the logs does not answer, so no sentence is shown."


def _logs_url(state: ViewState, page: IncidentPage, scope: Scope) -> str:
    """Return the address of the page Logs with the same nights, segment and order."""
    nights = next(n for n in (7, 30) if n >= (scope.last - scope.first).days + 1)
    if scope.first == scope.last:
        own: dict[str, Any] = {"day": scope.last}
    else:
        own = {"nights": nights, "until": scope.last}
    metric = page.row.metric
    if metric in ("completeness", "relevance", "utilization"):
        own["sort"] = metric
    if metric == "unscored_share":
        own["status"] = "any"
    if metric == "refusal_rate":
        own["kind"] = "refusal"
    here = replace(state, scorer=page.row.scorer, dimension=scope.dimension, value=scope.value)
    return here.url("logs", **own)


def _change_frame(page: IncidentPage) -> pd.DataFrame:
    names = ["value", "before_percent", "after_percent", "mix", "within", "scorer", "noise", "total"]
    if page.change is None:
        return pd.DataFrame(columns=names)
    rows = [*page.change.rows, page.change.sum]
    return pd.DataFrame(
        [[r.value, r.before, r.after, r.mix, r.within, r.scorer, r.noise, r.total] for r in rows],
        columns=names,
    )


def _signed(points: float) -> str:
    """+1.20 for 1.2, with a real minus sign; 0.00 has none."""
    sign = "+" if points > 0 else "\u2212" if points < 0 else ""
    return f"{sign}{abs(points):.2f}"
