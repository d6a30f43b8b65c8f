"""Corpus: documents that are never utilized, utilized most, or most often beside unsupported sentences."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pandas as pd
from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rag_quality.choices import Options
from rag_quality.rendering import csv_response, render, state_of, wants_csv
from rag_quality.routes.logs import limits_of
from rag_quality.view_state import number_of, text_of
from trace_core.errors import TraceError
from trace_pipeline.pages.corpus import MOST_NIGHTS, ORDERS, PAGE_ROWS, Corpus, read_corpus
from trace_pipeline.pages.errors import BadRequest
from trace_pipeline.pages.excerpt import Excerpt, excerpt_of, log_with
from trace_pipeline.pages.versions import Version, chosen, versions_of
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.source import open_source
from trace_pipeline.window import day_bounds

router = APIRouter()
_CSV_ROWS = 10_000


@router.get("/corpus")
def corpus(request: Request) -> Response:
    """The page, or with format=csv the next ten thousand documents."""
    state, settings = state_of(request), load_settings()
    order = text_of(request.query_params, "order") or "never"
    if order not in ORDERS:
        raise BadRequest(f"order must be one of {', '.join(ORDERS)}.")
    document = text_of(request.query_params, "document")
    after = number_of(request.query_params, "after", 0)
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        if options.days is None:
            return render(request, "corpus.html.j2", state=state, options=options, found=None)
        first, last = options.days
        first = max(first, last - timedelta(days=MOST_NIGHTS - 1))
        version = chosen(
            versions_of(connection, options.scorer), text_of(request.query_params, "version"), last
        )
        found = read_corpus(
            connection,
            scorer_id=version.scorer_id,
            first_day=first,
            last_day=last,
            order=order,
            document=document,
            after=after,
            most=_CSV_ROWS if wants_csv(request) else PAGE_ROWS,
        )
        if wants_csv(request):
            return csv_response(_frame(found), "corpus")
        excerpt = _excerpt(request, connection, settings, version, document, found)
    return render(
        request,
        "corpus.html.j2",
        state=state,
        options=options,
        version=version,
        days=(first, last),
        cut=first > options.days[0],
        order=order,
        orders=ORDERS,
        document=document,
        found=found,
        excerpt=excerpt,
        page_rows=PAGE_ROWS,
        after=after,
    )


def _excerpt(
    request: Request,
    connection: Connection,
    settings: Settings,
    version: Version,
    document: str,
    found: Corpus,
) -> Excerpt | str | None:
    """Return some text of the one document that is chosen, from a log of the last night that retrieved it."""
    if not document or not found.rows:
        return None
    night: date = found.rows[0].last_day
    bounds: Any = day_bounds(night, settings.day_time_zone)
    log = log_with(connection, version.scorer_id, document, *bounds)
    if log is None:
        return "No log of its last night is stored any more."
    try:
        with request.app.state.database.read_source() as source_connection:
            source = open_source(source_connection, settings.source)
            return excerpt_of(source_connection, source, limits_of(settings), log, document)
    except (SQLAlchemyError, TraceError):
        return "The source of the logs does not answer."


def _frame(found: Corpus) -> pd.DataFrame:
    columns = ["document_id", "retrieved", "relevant", "utilized", "beside_unsupported", "last_day"]
    return pd.DataFrame([[getattr(row, name) for name in columns] for row in found.rows], columns=columns)
