"""Plotly figures of the trend, for the HTML report and every page that shows one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pandas as pd
import plotly.graph_objects as go

_LINE, _BAND, _EXPECTED, _ALARM = "#1f5fa8", "rgba(31, 95, 168, 0.15)", "#8a6d1f", "rgba(190, 40, 40, 0.12)"
_SPLICE = "#777777"
_EXPECTED_BAND, _UNSCORED = "rgba(138, 109, 31, 0.12)", "#b3541e"


def trend_figure(
    trend: pd.DataFrame, metric: str, incidents: pd.DataFrame, *, releases: Sequence[date] = ()
) -> go.Figure:
    """Return one metric's nights: mean with its 95 % interval, the expected value, incidents shaded.

    `trend` holds rows of trace.metric_trend of one series (a night without data has no mean and leaves a
    gap), `incidents` rows of trace.incident_history, `releases` the days on which one was first seen. No text
    of a log and no segment value enters the figure, because Plotly reads markup in its labels.
    """
    rows = trend[trend["metric"] == metric].sort_values("day")
    figure = _empty()
    for low, high in _stretches(rows):
        part = rows.iloc[low:high]
        band = {
            "x": [*part["day"], *part["day"][::-1]],
            "y": [*(100 * part["high"]), *(100 * part["low"])[::-1]],
        }
        figure.add_scatter(
            **band,
            fill="toself",
            fillcolor=_BAND,
            line={"width": 0},
            hoverinfo="skip",
            showlegend=low == 0,
            name="95 % interval",
        )
    figure.add_scatter(
        x=rows["day"],
        y=100 * rows["mean"],
        customdata=rows[["n", "undefined", "unscored"]],
        mode="lines+markers",
        connectgaps=False,
        line={"color": _LINE, "width": 2},
        marker={"size": 5},
        name=metric,
        hovertemplate="%{x}: %{y:.1f} %<br>%{customdata[0]} scored, %{customdata[1]} undefined, "
        "%{customdata[2]} unscored<extra></extra>",
    )
    if "expected_low" in rows:
        _add_expected_band(figure, rows)
    if "expected" in rows and rows["expected"].notna().any():
        figure.add_scatter(
            x=rows["day"],
            y=100 * rows["expected"],
            mode="lines",
            line={"color": _EXPECTED, "dash": "dot"},
            name="expected",
        )
    figure.update_layout(
        shapes=_marks(rows, incidents[incidents["metric"] == metric], releases),
        height=300,
        margin={"l": 50, "r": 20, "t": 10, "b": 40},
        yaxis={"title": "per cent", "rangemode": "normal"},
        legend={"orientation": "h", "y": 1.12},
        hovermode="x unified",
    )
    return figure


def _empty() -> go.Figure:
    """Return a figure without a template, whose copies would be most of its cost and of its JSON."""
    return go.Figure(layout={"template": "none"})


def _marks(rows: pd.DataFrame, incidents: pd.DataFrame, releases: Sequence[date]) -> list[dict[str, object]]:
    """Return incidents as areas, changes of the scorer and releases as lines; all at once, which is cheap."""
    last = rows["day"].max()
    whole = {"xref": "x", "yref": "y domain", "y0": 0, "y1": 1}
    found: list[dict[str, object]] = [
        {
            **whole,
            "type": "rect",
            "x0": str(incident["onset_day"]),
            "x1": str(incident["closed_day"] or last),
            "fillcolor": _ALARM,
            "line": {"width": 0},
        }
        for incident in incidents.to_dict("records")
    ]
    lines = [(day, _SPLICE, "dash") for day in _scorer_changes(rows)]
    lines += [(day, _EXPECTED, "dot") for day in releases]
    for day, colour, dash in lines:
        line = {"color": colour, "dash": dash, "width": 1}
        found.append({**whole, "type": "line", "x0": str(day), "x1": str(day), "line": line})
    return found


def _add_expected_band(figure: go.Figure, rows: pd.DataFrame) -> None:
    known = rows[rows["expected_low"].notna() & rows["expected_high"].notna()]
    if known.empty:
        return
    figure.add_scatter(
        x=[*known["day"], *known["day"][::-1]],
        y=[*(100 * known["expected_high"]).clip(0, 100), *(100 * known["expected_low"]).clip(0, 100)[::-1]],
        fill="toself",
        fillcolor=_EXPECTED_BAND,
        line={"width": 0},
        hoverinfo="skip",
        name="expected band",
    )


def volume_figure(ledger: pd.DataFrame) -> go.Figure:
    """Return the logs of each night as bars, scored below unscored; `ledger` as of trace.night_ledger."""
    rows = ledger.sort_values("day")
    figure = _empty()
    unscored = rows["source_rows"] - rows["scored"]
    share = 100 * unscored / rows["source_rows"].where(rows["source_rows"] > 0)
    figure.add_bar(x=rows["day"], y=rows["scored"], name="scored", marker={"color": _LINE})
    figure.add_bar(
        x=rows["day"],
        y=unscored,
        customdata=share,
        name="unscored",
        marker={"color": _UNSCORED},
        hovertemplate="%{x}: %{y} unscored, %{customdata:.1f} %<extra></extra>",
    )
    figure.update_layout(
        barmode="stack",
        height=300,
        margin={"l": 50, "r": 20, "t": 10, "b": 40},
        legend={"orientation": "h", "y": 1.12},
        hovermode="x unified",
    )
    return figure


def _stretches(rows: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the index ranges of nights with data, so that no band is drawn over a gap."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for position, has_data in enumerate([*rows["mean"].notna(), False]):
        if has_data and start is None:
            start = position
        elif not has_data and start is not None:
            found.append((start, position))
            start = None
    return found


def _scorer_changes(rows: pd.DataFrame) -> list[object]:
    changed = rows["fingerprint"].ne(rows["fingerprint"].shift()) & rows["fingerprint"].shift().notna()
    return list(rows.loc[changed, "day"])
