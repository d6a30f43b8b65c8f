"""Overview: is quality as expected, and if not, since when and where."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pandas as pd
from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rag_quality.choices import Options
from rag_quality.rendering import csv_response, figure_json, render, state_of, wants_csv
from rag_quality.view_state import METRICS
from trace_core.errors import TraceError
from trace_pipeline.pages.incidents import IncidentFilter, IncidentRow, list_incidents
from trace_pipeline.pages.logs import LogRow, with_sentences
from trace_pipeline.pages.overview import headline_of, read_ledger, read_releases
from trace_pipeline.pages.trend import read_trend
from trace_pipeline.pages.versions import chosen, versions_of
from trace_pipeline.pages.worst import worst_of
from trace_pipeline.report.figures import trend_figure, volume_figure
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.source import open_source
from trace_pipeline.trust import HEADLINE_NIGHTS, Correction, corrected_range

router = APIRouter()


@router.get("/")
def overview(request: Request) -> Response:
    """The page, or with format=csv its table of nights."""
    state, settings = state_of(request), load_settings()
    with request.app.state.database.read() as connection:
        options = Options.read(connection, state, settings)
        if options.days is None:
            return render(request, "overview.html.j2", state=state, options=options, trend=None)
        trend = read_trend(connection, options.scorer, state.dimension, state.value, options.days)
        if wants_csv(request):
            return csv_response(trend, "nights")
        ledger = read_ledger(connection, options.scorer, options.days)
        # All traffic shows the incidents of its segments too; a segment shows its own alone.
        incidents = list_incidents(
            connection, IncidentFilter(options.scorer, dimension=state.dimension, value=state.value)
        )
        found = worst_of(connection, incidents, options.days, settings.day_time_zone)
        dimension = settings.segments[0] if settings.segments else ""
        releases = read_releases(connection, options.scorer, dimension, options.days)
        corrected = None if state.dimension else _corrected(connection, options, settings)
    worst = found and replace(found, rows=_with_text(request, settings, options.scorer, found.rows))
    shown = [row for row in incidents if _overlaps(row, options.days)]
    order = (state.metric, *(name for name in METRICS if name != state.metric))
    marks = pd.DataFrame([_mark(row) for row in shown], columns=["metric", "onset_day", "closed_day"])
    days = [day for _, day in releases]
    return render(
        request,
        "overview.html.j2",
        state=state,
        options=options,
        trend=trend,
        heads=[headline_of(trend, name, shown) for name in METRICS],
        charts=[
            {"metric": name, "figure": figure_json(trend_figure(trend, name, marks, releases=days))}
            for name in order
            if not trend.empty
        ],
        corrected=corrected,
        volume=figure_json(volume_figure(ledger)) if len(ledger) else None,
        nights=_nights(trend),
        incidents=shown,
        open_incidents=[row for row in incidents if row.state == "open"],
        worst=worst,
        releases=releases,
        release_dimension=dimension,
        foreign_dag=not request.query_params.get("dag_id", "trace_").startswith("trace_"),
    )


def _corrected(connection: Connection, options: Options, settings: Settings) -> Correction | None:
    """Return the last nights' adherence by people's labels; None where there is no label."""
    if options.days is None:
        return None
    last = options.days[1]
    version = chosen(versions_of(connection, options.scorer), "", last)
    days = last - timedelta(days=HEADLINE_NIGHTS - 1), last
    at_hand = settings.label_days, settings.day_time_zone
    found = corrected_range(
        connection, version.scorer, version.scorer_id, days, nights=at_hand[0], zone=at_hand[1]
    )
    return found if found and found.rate.rate is not None else None


def _with_text(
    request: Request, settings: Settings, scorer: str, rows: tuple[LogRow, ...]
) -> tuple[LogRow, ...]:
    """Return the rows with their sentences; the page stands without them when the source does not answer."""
    try:
        with request.app.state.database.read_source() as connection:
            return tuple(with_sentences(connection, open_source(connection, settings.source), scorer, rows))
    except (SQLAlchemyError, TraceError):
        note = "The source of the logs does not answer."
        return tuple(replace(row, sentence_note=note) for row in rows)


def _overlaps(row: IncidentRow, days: Any) -> bool:
    return row.onset_day <= days[1] and (row.closed_day is None or row.closed_day >= days[0])


def _mark(row: IncidentRow) -> dict[str, object]:
    return {"metric": row.metric, "onset_day": row.onset_day, "closed_day": row.closed_day}


def _nights(trend: pd.DataFrame) -> list[dict[str, Any]]:
    """One row a night, the latest first, with a cell a metric."""
    found: dict[Any, dict[str, Any]] = {}
    for row in trend.sort_values("day", ascending=False).to_dict("records"):
        clean = {str(k): (None if isinstance(v, float) and v != v else v) for k, v in row.items()}
        logs = row["n"] + row["undefined"] + row["unscored"] + row["sampled_out"]
        night = {"day": row["day"], "cells": {}, "unscored": row["unscored"], "logs": logs}
        night["sampled_out"] = row["sampled_out"]
        night = found.setdefault(row["day"], night)
        night["cells"][row["metric"]] = clean
    return list(found.values())
