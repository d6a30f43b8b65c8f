"""The trend as one HTML file that needs nothing else: charts, incidents, ledger; Plotly's script inlined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.io import to_html

from trace_pipeline.alerts.plain_text import one_line
from trace_pipeline.report.figures import trend_figure

_METRICS = ("adherence", "completeness", "relevance", "utilization")
_MAX_TEXT = 600
_MAX_SEGMENT = 120


def render_html(
    trend: pd.DataFrame,
    ledger: pd.DataFrame,
    incidents: pd.DataFrame,
    headline: Sequence[str],
    *,
    title: str = "RAG quality",
) -> str:
    """Return the report. Everything that may hold text of a log is escaped and bounded.

    `trend` are rows of trace.metric_trend of one series with an `expected` column, `ledger` of
    trace.night_ledger, `incidents` of trace.incident_history. Raises ValueError for a trend without nights.
    """
    if trend.empty:
        raise ValueError("no night has been scored yet")
    newest = trend.sort_values("day").iloc[-1]
    environment = Environment(
        loader=PackageLoader("trace_pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        title=title,
        first_day=trend["day"].min(),
        last_day=trend["day"].max(),
        scorer=newest["scorer"],
        fingerprint=newest["fingerprint"],
        headline=[one_line(sentence, _MAX_TEXT) for sentence in headline],
        incidents=[_incident(row) for row in incidents.to_dict("records")],
        charts=list(_charts(trend, incidents)),
        metrics=_METRICS,
        nights=list(_nights(trend, ledger)),
    )


def _charts(trend: pd.DataFrame, incidents: pd.DataFrame) -> Iterator[dict[str, object]]:
    for position, metric in enumerate(_METRICS):
        rows = trend[trend["metric"] == metric]
        figure = trend_figure(trend, metric, incidents)
        # The script comes once, with the first chart; Plotly writes `<` in its data as an escape.
        html = to_html(
            figure,
            full_html=False,
            include_plotlyjs=position == 0,
            div_id=f"chart-{metric}",
            config={"displaylogo": False, "responsive": True},
            validate=False,
        )
        yield {"metric": metric, "text": _in_words(metric, rows), "html": Markup(html)}  # noqa: S704


def _in_words(metric: str, rows: pd.DataFrame) -> str:
    known = rows[rows["mean"].notna()].sort_values("day")
    if known.empty:
        return f"{metric}: no night has a value."
    last = known.iloc[-1]
    least, most = 100 * known["mean"].min(), 100 * known["mean"].max()
    return (
        f"{metric}: {100 * last['mean']:.1f} % on {last['day']} (95 % interval {100 * last['low']:.1f} to "
        f"{100 * last['high']:.1f}); between {least:.1f} and {most:.1f} % "
        f"over {len(known)} nights, {len(rows) - len(known)} nights without data."
    )


def _incident(row: Mapping[Any, Any]) -> dict[str, object]:
    evidence = row.get("evidence") or {}
    contributors = [
        {
            "name": one_line(f"{part['dimension']} = {part['value']}", _MAX_SEGMENT),
            "points": f"{100 * part['difference']:+.1f}",
        }
        for part in evidence.get("contributors", [])
        if part.get("difference") is not None
    ]
    return {
        "metric": row["metric"],
        "state": row["state"],
        "onset_day": row["onset_day"],
        "text": one_line(str(row["text"]), _MAX_TEXT),
        "contributors": contributors,
    }


def _nights(trend: pd.DataFrame, ledger: pd.DataFrame) -> Iterator[dict[str, object]]:
    known: list[dict[Any, Any]] = trend.dropna(subset="mean").to_dict("records")
    means = {(row["day"], row["metric"]): float(row["mean"]) for row in known}
    counts = ("source_rows", "scored", "skipped", "quarantined", "sampled_out", "failed")
    for row in ledger.sort_values("day", ascending=False).to_dict("records"):
        values = [means.get((row["day"], metric)) for metric in _METRICS]
        yield {
            "day": row["day"],
            **{name: f"{row[name]:,}" for name in counts},
            "means": ["-" if value is None else f"{100 * value:.1f}" for value in values],
        }
