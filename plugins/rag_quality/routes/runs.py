"""Runs: where the logs of each night went, what could not be read, and the evaluation log."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import pandas as pd
from fastapi import APIRouter, Request, Response

from rag_quality.choices import Options
from rag_quality.rendering import csv_response, render, state_of, wants_csv
from rag_quality.view_state import day_of, text_of
from trace_pipeline.anchor.state import read_state
from trace_pipeline.pages.errors import BadRequest
from trace_pipeline.pages.overview import read_ledger
from trace_pipeline.pages.runs import (
    PAGE_ROWS,
    ledger_table,
    read_evaluation_log,
    read_quarantined,
    read_reasons,
)
from trace_pipeline.settings import load_settings

router = APIRouter()
_CSV_ROWS = 10_000


@router.get("/runs")
def runs(request: Request) -> Response:
    """The ledger, the reasons of the quarantine and a night's evaluation log; as CSV, ledger or reasons."""
    state, settings = state_of(request), load_settings()
    zone = settings.day_time_zone
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        if options.days is None:
            return render(request, "runs.html.j2", state=state, options=options, ledger=None)
        ledger = read_ledger(connection, options.scorer, options.days)
        reasons = read_reasons(connection, options.days, zone)
        if wants_csv(request):
            if text_of(request.query_params, "table") == "reasons":
                columns = ["reason", "sentence", "logs", "first_seen", "last_seen"]
                return csv_response(
                    pd.DataFrame([asdict(row) for row in reasons], columns=columns), "reasons"
                )
            return csv_response(ledger, "ledger")
        night = day_of(request.query_params, "night") or (ledger["day"].max() if len(ledger) else None)
        log = read_evaluation_log(connection, options.scorer, night, zone) if night else None
        anchors = read_state(connection, options.scorer)
    return render(
        request,
        "runs.html.j2",
        state=state,
        options=options,
        ledger=ledger_table(ledger),
        reasons=reasons,
        night=night,
        evaluation_log=log,
        anchors=anchors,
    )


@router.get("/quarantine")
def quarantine(request: Request) -> Response:
    """The logs that could not be read, one page; as CSV, the next ten thousand."""
    state, settings = state_of(request), load_settings()
    reason = text_of(request.query_params, "reason")
    before = _before(text_of(request.query_params, "before"), text_of(request.query_params, "before_id"))
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        rows = []
        if options.days is not None:
            rows = read_quarantined(
                connection,
                options.days,
                settings.day_time_zone,
                reason,
                before,
                _CSV_ROWS if wants_csv(request) else PAGE_ROWS + 1,
            )
    if wants_csv(request):
        columns = ["log_id", "logged_at", "reason", "detail", "segments", "first_seen", "last_seen"]
        frame = pd.DataFrame([[getattr(row, name) for name in columns] for row in rows], columns=columns)
        return csv_response(frame, "quarantine")
    last = rows[PAGE_ROWS - 1] if len(rows) > PAGE_ROWS else None
    return render(
        request,
        "quarantine.html.j2",
        state=state,
        options=options,
        rows=rows[:PAGE_ROWS],
        reason=reason,
        older=state.url("quarantine", reason=reason, before=last.logged_at.isoformat(), before_id=last.log_id)
        if last
        else None,
    )


def _before(moment: str, log_id: str) -> tuple[datetime, str] | None:
    if not moment:
        return None
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        raise BadRequest("before must be a moment such as 2026-11-30T12:00:00+00:00.") from None
    if found.tzinfo is None:
        raise BadRequest("before must have a time zone.")
    return found, log_id
