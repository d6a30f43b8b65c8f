"""Plotly figures of the trend, for the HTML report and every page that shows one.

A figure is plain data: building Plotly's own objects would take most of a page's time for checks that the
tests make once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import pandas as pd

Figure = dict[str, Any]

_LINE, _BAND, _EXPECTED, _ALARM = "#1f5fa8", "rgba(31, 95, 168, 0.15)", "#8a6d1f", "rgba(190, 40, 40, 0.12)"
_SPLICE = "#777777"
_SAMPLED = "#c9d3de"
_EXPECTED_BAND, _UNSCORED = "rgba(138, 109, 31, 0.12)", "#b3541e"


def trend_figure(
    trend: pd.DataFrame, metric: str, incidents: pd.DataFrame, *, releases: Sequence[date] = ()
) -> Figure:
    """Return one metric's nights: mean with its 95 % interval, the expected value, incidents shaded.

    `trend` holds rows of trace.metric_trend of one series (a night without data has no mean and leaves a
    gap), `incidents` rows of trace.incident_history, `releases` the days on which one was first seen. The
    figure is `data` and `layout` as Plotly's script takes them. No text of a log and no segment value enters
    it, because Plotly reads markup in its labels.
    """
    rows = trend[trend["metric"] == metric].sort_values("day")
    data = [_interval(rows.iloc[low:high], first=low == 0) for low, high in _stretches(rows)]
    data.append(_mean(rows, metric))
    if "expected_low" in rows:
        data += _expected_band(rows)
    if "expected" in rows and rows["expected"].notna().any():
        line = {"color": _EXPECTED, "dash": "dot"}
        data.append(night_line(rows["day"], rows["expected"], mode="lines", line=line, name="expected"))
    shapes = _marks(rows, incidents[incidents["metric"] == metric], releases)
    axis = {"title": {"text": "per cent"}, "rangemode": "normal"}
    return {"data": data, "layout": {**base_layout(), "shapes": shapes, "yaxis": axis}}


def base_layout() -> dict[str, Any]:
    """Return what all figures share."""
    return {
        "height": 300,
        "margin": {"l": 50, "r": 20, "t": 10, "b": 40},
        "legend": {"orientation": "h", "y": 1.12},
        "hovermode": "x unified",
    }


def night_line(days: Iterable[Any], shares: Iterable[Any], **more: Any) -> dict[str, Any]:
    """Return a line over nights; `shares` in [0, 1], a gap where one is not known."""
    return {"type": "scatter", "x": [str(day) for day in days], "y": _hundredfold(shares), **more}


def _hundredfold(shares: Iterable[Any]) -> list[float | None]:
    """Return shares in per cent; a share that is not known stays unknown and leaves a gap."""
    return [None if pd.isna(share) else 100 * float(share) for share in shares]


def _counts(numbers: Iterable[Any]) -> list[int | None]:
    return [None if pd.isna(number) else int(number) for number in numbers]


def night_area(rows: pd.DataFrame, low: pd.Series, high: pd.Series, colour: str, name: str) -> dict[str, Any]:
    """Return the area between two shares of each night."""
    days, shares = [*rows["day"], *rows["day"][::-1]], [*high, *low[::-1]]
    return night_line(
        days, shares, fill="toself", fillcolor=colour, line={"width": 0}, hoverinfo="skip", name=name
    )


def _interval(part: pd.DataFrame, *, first: bool) -> dict[str, Any]:
    return night_area(part, part["low"], part["high"], _BAND, "95 % interval") | {"showlegend": first}


def _mean(rows: pd.DataFrame, metric: str) -> dict[str, Any]:
    named = rows["n"], rows["undefined"], rows["unscored"]
    return night_line(
        rows["day"],
        rows["mean"],
        customdata=[list(night) for night in zip(*map(_counts, named), strict=True)],
        mode="lines+markers",
        connectgaps=False,
        line={"color": _LINE, "width": 2},
        marker={"size": 5},
        name=metric,
        hovertemplate="%{x}: %{y:.1f} %<br>%{customdata[0]} scored, %{customdata[1]} undefined, "
        "%{customdata[2]} unscored<extra></extra>",
    )


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


def _expected_band(rows: pd.DataFrame) -> list[dict[str, Any]]:
    known = rows[rows["expected_low"].notna() & rows["expected_high"].notna()]
    if known.empty:
        return []
    low, high = known["expected_low"].clip(0, 1), known["expected_high"].clip(0, 1)
    return [night_area(known, low, high, _EXPECTED_BAND, "expected band")]


def volume_figure(ledger: pd.DataFrame) -> Figure:
    """Return each night's logs as bars, scored below unscored, and below them the unscored share.

    `ledger` holds rows of trace.night_ledger. Logs left out by sampling are a third bar, where there are any.
    """
    rows = ledger.sort_values("day")
    days = [str(day) for day in rows["day"]]
    unscored = rows["source_rows"] - rows["scored"] - rows["sampled_out"]
    # A night without logs has no share of anything.
    share = unscored / rows["source_rows"].where(rows["source_rows"] > 0)
    scored_bars = {
        "type": "bar",
        "x": days,
        "y": _counts(rows["scored"]),
        "name": "scored",
        "marker": {"color": _LINE},
    }
    unscored_bars = {
        "type": "bar",
        "x": days,
        "y": _counts(unscored),
        "name": "unscored",
        "marker": {"color": _UNSCORED},
    }
    line = night_line(
        rows["day"],
        share,
        mode="lines",
        connectgaps=False,
        line={"color": _UNSCORED, "width": 2},
        name="unscored share",
        yaxis="y2",
        hovertemplate="%{y:.1f} % unscored<extra></extra>",
    )
    # The share has a field of its own below the bars: some per cent would not be seen among hundreds of logs.
    layout = {
        **base_layout(),
        "barmode": "stack",
        "xaxis": {"anchor": "y2"},
        "yaxis": {"title": {"text": "logs"}, "domain": [0.42, 1]},
        "yaxis2": {"title": {"text": "unscored, %"}, "domain": [0, 0.3], "rangemode": "tozero", "nticks": 4},
    }
    bars = [scored_bars, unscored_bars]
    if rows["sampled_out"].any():
        left_out = {"y": _counts(rows["sampled_out"]), "name": "left out by sampling"}
        bars.append({"type": "bar", "x": days, **left_out, "marker": {"color": _SAMPLED}})
    return {"data": [*bars, line], "layout": layout}


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
