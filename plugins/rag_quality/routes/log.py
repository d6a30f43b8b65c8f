"""Log: one answer with its sentences marked, what scorers and people say of it, and the forms for labels."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rag_quality.choices import Options
from rag_quality.csrf import form_token
from rag_quality.rendering import csv_response, render, state_of, wants_csv
from rag_quality.routes.logs import limits_of
from rag_quality.view_state import ViewState, day_of, number_of, text_of
from rag_quality.viewer import Viewer, who
from trace_core.errors import TraceError
from trace_core.metrics.readings import read_value
from trace_core.reasons import describe
from trace_pipeline.pages.errors import BadRequest, NotFound
from trace_pipeline.pages.labels import VERDICTS
from trace_pipeline.pages.log_text import DOCUMENTS, LogText, read_part, read_text
from trace_pipeline.pages.log_view import ScoredBy, evaluation_log, find_log, labels_of, scored_by
from trace_pipeline.pages.marked import MarkedText
from trace_pipeline.pages.versions import chosen, versions_of
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.source import open_source
from trace_pipeline.window import day_bounds

router = APIRouter()


@router.get("/log")
def log(request: Request, viewer: Viewer = Depends(who)) -> Response:  # noqa: B008
    """The page; with part= a stretch of one of its texts; with format=csv its scores."""
    state, settings = state_of(request), load_settings()
    log_id = text_of(request.query_params, "log")
    with request.app.state.database.read() as connection:
        moment = _moment(request, connection, state, settings, log_id)
        scored = scored_by(connection, moment, log_id)
        labels = labels_of(connection, moment, log_id)
    if not scored:
        raise NotFound("No scorer knows this log: it may be older than retention_days, or in the quarantine.")
    if wants_csv(request):
        return csv_response(_frame(scored), "log")
    wanted = number_of(request.query_params, "by", 0)
    by = _by(scored, wanted, state.scorer or settings.scorers[0])
    own = {"log": log_id, "at": moment.isoformat(), "by": by.scorer_id}
    part = text_of(request.query_params, "part")
    if part:
        shown = _part(request, settings, by, moment, part)
        return render(request, "log_part.html.j2", state=state, own=own, part=part, shown=shown)
    return render(
        request,
        "log.html.j2",
        state=state,
        own=own,
        moment=moment,
        scored=scored,
        by=by,
        text=_text(request, settings, by, moment),
        first_document=number_of(request.query_params, "documents", 0),
        documents_a_page=DOCUMENTS,
        labels=labels,
        evaluation_log=evaluation_log(scored),
        viewer=viewer,
        token=form_token(request, viewer.name) if viewer.may_label else "",
        verdicts=VERDICTS,
        saved=request.query_params.get("saved") == "yes",
        queue=request.query_params.get("queue") == "yes",
        read_value=read_value,
        describe=describe,
    )


def _by(scored: list[ScoredBy], wanted: int, primary: str) -> ScoredBy:
    """Return whose marks are shown: the version asked for, else the newest of the primary scorer."""
    asked = [one for one in scored if one.scorer_id == wanted]
    return [*asked, *(one for one in scored if one.scorer == primary), *scored][0]


def _moment(
    request: Request, connection: Connection, state: ViewState, settings: Settings, log_id: str
) -> datetime:
    """Return when the log was given: as the address says, else found in the address's nights."""
    if not log_id:
        raise BadRequest("The address names no log.")
    given = text_of(request.query_params, "at")
    if given:
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            raise BadRequest("at must be a time such as 2026-11-30T14:05:00+00:00.") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    options = Options.read(connection, state, settings)
    night = day_of(request.query_params, "day")
    days = (night, night) if night else options.days
    if days is None:
        raise NotFound("No night has been scored yet.")
    version = chosen(versions_of(connection, options.scorer), "", days[1])
    zone = settings.day_time_zone
    found = find_log(
        connection, version.scorer_id, log_id, day_bounds(days[0], zone)[0], day_bounds(days[1], zone)[1]
    )
    if found is None:
        raise NotFound(f"There is no such log between {days[0]} and {days[1]}.")
    return found


def _text(request: Request, settings: Settings, by: ScoredBy, moment: datetime) -> LogText | str:
    try:
        with request.app.state.database.read_source() as connection:
            source = open_source(connection, settings.source)
            first = number_of(request.query_params, "documents", 0)
            return read_text(connection, source, limits_of(settings), by, moment, first_document=first)
    except (SQLAlchemyError, TraceError) as error:
        if isinstance(error, BadRequest):
            raise
        return "The source of the logs does not answer. What was stored of the log is shown below."


def _part(request: Request, settings: Settings, by: ScoredBy, moment: datetime, part: str) -> MarkedText:
    start = number_of(request.query_params, "start", 0)
    with request.app.state.database.read_source() as connection:
        source = open_source(connection, settings.source)
        shown = read_part(connection, source, limits_of(settings), by, moment, part=part, start=start)
    if isinstance(shown, str):
        raise NotFound(shown)
    return shown


def _frame(scored: list[ScoredBy]) -> pd.DataFrame:
    columns = "relevance utilization adherence completeness average adherence_probability".split()
    rows = [
        [one.scorer, one.evaluation.fingerprint, one.evaluation.status, one.evaluation.reason]
        + [getattr(one.evaluation, name) for name in columns]
        for one in scored
    ]
    return pd.DataFrame(rows, columns=["scorer", "fingerprint", "status", "reason", *columns])
