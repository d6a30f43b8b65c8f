"""Shows stored results in a terminal: the trend as table and chart, the ledger, the alerts."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from rich.console import Console
from rich.text import Text

from trace_core.errors import ConfigurationError
from trace_pipeline.alerts import AlertMessage
from trace_pipeline.context import Pipeline
from trace_pipeline.report import render_chart, render_ledger_table, render_nights_table
from trace_pipeline.report.html import render_html
from trace_pipeline.sqlfiles import query
from trace_pipeline.steps.send_alerts import pending_messages

CHART_METRICS = ("adherence", "completeness")


def trend_frame(pipeline: Pipeline, *, nights: int, dimension: str = "", value: str = "") -> pd.DataFrame:
    """Return the primary scorer's rows of trace.metric_trend over the last `nights` nights."""
    place = {"scorer": pipeline.settings.scorers[0], "dimension": dimension, "value": value, "nights": nights}
    return _frame(pipeline, "show_trend", place)


def ledger_frame(pipeline: Pipeline, *, nights: int) -> pd.DataFrame:
    """Return the ledger of the primary scorer over the last `nights` nights."""
    return _frame(pipeline, "show_ledger", {"scorer": pipeline.settings.scorers[0], "nights": nights})


def html_report(pipeline: Pipeline, *, nights: int, dimension: str = "", value: str = "") -> str:
    """Return the report of the last `nights` nights as an HTML file; ConfigurationError without any."""
    scorer = {"scorer": pipeline.settings.scorers[0]}
    trend = trend_frame(pipeline, nights=nights, dimension=dimension, value=value)
    if trend.empty:
        raise ConfigurationError("No night of this has been scored yet, so there is nothing to report.")
    return render_html(
        trend,
        ledger_frame(pipeline, nights=nights),
        _frame(pipeline, "show_incidents", {**scorer, "nights": nights}),
        [str(text) for text in _frame(pipeline, "show_headline", scorer)["text"]],
        title=f"RAG quality, {dimension} = {value}" if dimension else "RAG quality",
    )


def _frame(pipeline: Pipeline, name: str, place: Mapping[str, object]) -> pd.DataFrame:
    with pipeline.results.connect() as connection:
        result = connection.execute(query(name), place)
        return pd.DataFrame(result.fetchall(), columns=list(result.keys()))


def show_trend(
    pipeline: Pipeline,
    console: Console,
    *,
    nights: int,
    table_nights: int,
    dimension: str = "",
    value: str = "",
) -> None:
    """Print a table of the last `table_nights` nights and a chart of the last `nights`."""
    frame = trend_frame(pipeline, nights=nights, dimension=dimension, value=value)
    if frame.empty:
        console.print("No night of this has been scored yet.")
        return
    if dimension:
        console.print(f"Segment {dimension} = {value}", markup=False, highlight=False)
        frame = frame.assign(dimension="", value="")  # shown as a trend of its own
    recent = sorted(frame["day"].unique())[-table_nights:]
    console.print(render_nights_table(frame[frame["day"].isin(recent)]))
    width = min(console.width, 120)
    chart = render_chart(frame, CHART_METRICS, width, 24, colour=console.is_terminal)
    console.print(Text.from_ansi(chart))


def show_ledger(pipeline: Pipeline, console: Console, *, nights: int) -> None:
    """Print the ledger of the last nights."""
    console.print(render_ledger_table(ledger_frame(pipeline, nights=nights)))


def show_alerts(pipeline: Pipeline, console: Console) -> list[AlertMessage]:
    """Print the messages about open incidents as a channel gets them; returns them."""
    messages = pending_messages(pipeline, channel="log")
    if not messages:
        console.print("No alert: nothing has drifted.")
    for message in messages:
        console.rule(f"alert ({message.severity})", align="left")
        console.print(f"{message.title}\n{message.body}", markup=False, highlight=False)
        console.rule()
    return messages
