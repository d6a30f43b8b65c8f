"""Logs: the worst answers of some nights, filtered, page by page."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any, Literal

import pandas as pd
from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from rag_quality.choices import Options
from rag_quality.rendering import csv_response, render, state_of, wants_csv
from rag_quality.view_state import ViewState, day_of, text_of
from trace_core.reasons import SKIP_REASONS, UNDEFINED_REASONS, describe
from trace_core.records import Limits
from trace_pipeline.pages.errors import BadRequest
from trace_pipeline.pages.log_filter import KINDS, METRICS, SORTS, STATUSES, LogFilter, Place
from trace_pipeline.pages.logs import PAGE_ROWS, LogList, LogRow, read_logs, with_sentences
from trace_pipeline.pages.versions import Version, chosen, versions_of
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.source import open_source
from trace_pipeline.window import day_bounds

router = APIRouter()
_CSV_ROWS = 1_000
_OWN = (
    "sort",
    "order",
    "status",
    "kind",
    "reason",
    "unsupported",
    "by",
    "low",
    "high",
    "document",
    "labelled",
)


@dataclass(frozen=True, slots=True)
class View:
    """What the address asks for: a version, nights, a filter, and the page's own parameters for its links."""

    version: Version
    first: date
    last: date
    filter: LogFilter
    own: dict[str, str]
    note: str


@router.get("/logs")
def logs(request: Request) -> Response:
    """The page, or with format=csv the next thousand rows."""
    state, settings = state_of(request), load_settings()
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        if options.days is None:
            return render(request, "logs.html.j2", state=state, options=options, view=None)
        view = _view(connection, request, state, options, settings)
        after = Place.from_text(request.query_params.get("after"))
        before = Place.from_text(request.query_params.get("before"))
        most = _CSV_ROWS if wants_csv(request) else PAGE_ROWS
        found = read_logs(connection, view.filter, after=after, before=before, most=most)
    if wants_csv(request):
        return csv_response(_frame(found.rows), "logs")
    rows, source_note = _texts(request, settings, view.version.scorer, found)
    return render(
        request,
        "logs.html.j2",
        state=state,
        options=options,
        view=view,
        rows=rows,
        page_of=found,
        source_note=source_note,
        describe=describe,
        reasons={**SKIP_REASONS, **UNDEFINED_REASONS},
        choices={"sort": SORTS, "status": STATUSES, "kind": KINDS, "by": METRICS},
    )


def _view(
    connection: Connection, request: Request, state: ViewState, options: Options, settings: Settings
) -> View:
    query = request.query_params
    own = {name: text_of(query, name) for name in _OWN}
    night = day_of(query, "day")
    first, last = (night, night) if night else options.days or (date.min, date.min)
    version = chosen(versions_of(connection, options.scorer), text_of(query, "version"), last)
    wanted = _filter(version.scorer_id, state, own)
    note = ""
    if (last - first).days + 1 > wanted.most_nights:
        first = last - timedelta(days=wanted.most_nights - 1)
        note = f"With this filter the last {wanted.most_nights} nights are searched."
    bounds = day_bounds(first, settings.day_time_zone)[0], day_bounds(last, settings.day_time_zone)[1]
    kept = {field.name: getattr(wanted, field.name) for field in fields(LogFilter)}
    wanted = LogFilter(**{**kept, "from_at": bounds[0], "to_at": bounds[1]})
    own |= {"day": night.isoformat() if night else "", "version": text_of(query, "version")}
    return View(version, first, last, wanted, {k: v for k, v in own.items() if v}, note)


def _filter(scorer_id: int, state: ViewState, own: dict[str, str]) -> LogFilter:
    start, end = day_bounds(date(2000, 1, 1), "UTC")
    status = own["status"] or ("skipped" if own["kind"] == "empty" else "scored")
    low, high = _share(own, "low", 0.0), _share(own, "high", 1.0)
    return LogFilter(
        scorer_id=scorer_id,
        from_at=start,
        to_at=end,
        sort=_one_of(own, "sort", SORTS) or ("worst" if status == "scored" else "time"),
        descending=_one_of(own, "order", ("lowest", "highest")) == "highest",
        status="" if status == "any" else _one_of({"status": status}, "status", STATUSES),
        kind=_one_of(own, "kind", KINDS),
        reason=own["reason"],
        unsupported=_one_of(own, "unsupported", ("yes",)) == "yes",
        metric=_one_of(own, "by", METRICS),
        low=low,
        high=high,
        dimension=state.dimension,
        value=state.value,
        document=own["document"],
        labelled=_one_of(own, "labelled", ("yes", "no")),
    )


def _one_of(own: dict[str, str], name: str, known: tuple[str, ...]) -> str:
    value = own[name]
    if value and value not in known:
        raise BadRequest(f"{name} must be one of {', '.join(known)}.")
    return value


def _share(own: dict[str, str], name: Literal["low", "high"], default: float) -> float:
    """Return a bound that is given in percent."""
    try:
        value = float(own[name]) / 100 if own[name] else default
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise BadRequest(f"{name} must be a number from 0 to 100.")
    return value


def _texts(request: Request, settings: Settings, scorer: str, found: LogList) -> tuple[list[LogRow], str]:
    """Return the rows with their sentences; a source that does not answer leaves the rows without."""
    from sqlalchemy.exc import SQLAlchemyError

    from trace_core.errors import TraceError

    rows = list(found.rows)
    if not any(row.unsupported_keys for row in rows):
        return rows, ""
    try:
        with request.app.state.database.read_source() as connection:
            source = open_source(connection, settings.source)
            return with_sentences(connection, source, scorer, rows), ""
    except (SQLAlchemyError, TraceError):
        return rows, "The source of the logs does not answer, so no sentence is shown."


def limits_of(settings: Settings) -> Limits:
    """Return what a log may hold, as the pipeline reads it."""
    return Limits(
        max_log_bytes=settings.max_log_bytes,
        max_documents=settings.max_documents,
        document_text_fields=settings.source.document_text_fields,
    )


def _frame(rows: tuple[LogRow, ...]) -> pd.DataFrame:
    columns = (
        "logged_at log_id status reason response_kind adherence_probability adherence completeness relevance "
        "utilization average undefined unsupported_keys segments labels"
    ).split()
    return pd.DataFrame([[_plain(getattr(row, name)) for name in columns] for row in rows], columns=columns)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return "; ".join(f"{name}={item}" for name, item in sorted(value.items()))
    return " ".join(value) if isinstance(value, tuple) else value
