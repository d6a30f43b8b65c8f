"""A chart for a terminal: one panel a metric, a gap where nothing was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate, groupby
from typing import Any

import pandas as pd
import plotext

from trace_pipeline.report.nights import Night, nights_from_trend

MIN_WIDTH = 40
MIN_PANEL_HEIGHT = 6
_TICK_WIDTH = 14  # columns a day label takes with air around it
_Point = tuple[date, float, str]  # day, per cent, state


def render_chart(
    frame: pd.DataFrame,
    metrics: Sequence[str] = ("adherence", "completeness"),
    width: int = 80,
    height: int = 24,
    *,
    colour: bool = False,
) -> str:
    """Return panels of a trend frame's means (see `nights_from_trend`), `width` columns, `height` lines.

    A line joins neighbouring nights of one scorer version only; a night without data or with an undefined
    mean is a gap, never 0; a night of an incident is an `x`. Width and height are raised to what can be read
    (40 columns, 6 lines a metric). `colour` is for a terminal: the text then holds escape sequences, which
    Rich prints by way of `Text.from_ansi` only.
    """
    nights = nights_from_trend(frame)
    if not nights:
        return "No nights to show."
    width = max(width, MIN_WIDTH)
    panel_height = max((height - 1) // len(metrics), MIN_PANEL_HEIGHT)
    days = (nights[0].day, nights[-1].day)
    panels = [_panel(metric, nights, days, (width, panel_height), colour) for metric in metrics]
    return "\n".join([*panels, _footer(nights, metrics, width)])


def _panel(
    metric: str, nights: Sequence[Night], days: tuple[date, date], size: tuple[int, int], colour: bool
) -> str:
    pieces = _pieces(metric, nights)
    title = f"{metric}, %"
    if not pieces:
        return f"{title}: undefined in every night shown."
    figure = plotext.figure
    figure.clear.all()
    plotext.terminal.limit(
        False, False
    )  # the caller's size counts, not that of a terminal that may not exist
    figure.theme("simple" if colour else "colorless")
    figure.plot_size(*size)
    figure.title(title)
    figure.axes(False, axis=[0, 1], side=1)
    figure.legend(False)
    points = [point for piece in pieces for point in piece]
    # One signal, so one colour, with its line cut where a piece begins.
    line = _signal(figure, points, marker="hd").lines(True)
    for start in accumulate(len(piece) for piece in pieces[:-1]):
        line.line(start, False)
    figure.draw(line)
    troubled = [point for point in points if point[2] == "incident"]
    if troubled:
        figure.draw(_signal(figure, troubled, marker="x"))
    _axes(figure, days, [value for _, value, _ in points], size)
    lines = figure.build().string(colorless=not colour).split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip("\n")


def _signal(figure: Any, points: Sequence[_Point], marker: str) -> Any:
    return figure.signal(
        [day.toordinal() for day, _, _ in points], [value for _, value, _ in points], marker=marker
    )


def _pieces(metric: str, nights: Sequence[Night]) -> list[list[_Point]]:
    """Return the runs of neighbouring nights with a value, each within one scorer version."""
    pieces: list[list[_Point]] = []
    by_version = sorted(nights, key=lambda night: (night.scorer, night.fingerprint, night.day))
    for _, version in groupby(by_version, key=lambda night: (night.scorer, night.fingerprint)):
        before: date | None = None
        for night in version:
            cell = night.cells.get(metric)
            if cell is None or cell.mean is None:
                continue
            if before is None or night.day - before > timedelta(days=1):
                pieces.append([])
            pieces[-1].append((night.day, cell.mean * 100, cell.state))
            before = night.day
    return pieces


def _axes(figure: Any, days: tuple[date, date], values: list[float], size: tuple[int, int]) -> None:
    first, last = days[0].toordinal(), days[1].toordinal()
    count = max(2, min(last - first + 1, size[0] // _TICK_WIDTH))
    ticks = sorted({round(first + (last - first) * step / (count - 1)) for step in range(count)})
    figure.ruler("x").lim(first - 0.5, last + 0.5)
    figure.ruler("x").ticks(ticks, [date.fromordinal(tick).strftime("%m-%d") for tick in ticks])
    low, high = _limits(min(values), max(values))
    figure.ruler("y").lim(low, high)
    figure.ruler("y").ticks(
        [low, (low + high) / 2, high], [f"{tick:5.1f}" for tick in (low, (low + high) / 2, high)]
    )


def _limits(low: float, high: float) -> tuple[float, float]:
    """Return round limits around the values, at least 10 points apart: noise must not fill the panel."""
    if high - low < 10:
        low, high = (low + high) / 2 - 5, (low + high) / 2 + 5
    low, high = math.floor(low / 5) * 5.0, math.ceil(high / 5) * 5.0
    return (max(low, 0.0), max(min(high, 100.0), 10.0))


def _footer(nights: Sequence[Night], metrics: Sequence[str], width: int) -> str:
    days = {night.day for night in nights}
    span = (nights[-1].day - nights[0].day).days + 1
    empty = sum(all(night.cells[m].mean is None for m in metrics if m in night.cells) for night in nights)
    starts = sorted({(night.scorer, night.fingerprint): night.day for night in reversed(nights)}.values())[1:]
    said = [f"{nights[0].day.isoformat()} to {nights[-1].day.isoformat()}"]
    gaps = empty + span - len(days)
    if gaps:
        said.append(f"{gaps} night{'s' if gaps > 1 else ''} without data")
    if any(night.cells[m].state == "incident" for night in nights for m in metrics if m in night.cells):
        said.append("x = incident")
    said += [f"other scorer version from {start.isoformat()}, not joined" for start in starts]
    footer = said[0]
    for part in said[1:]:
        line = footer.rpartition("\n")[2]
        footer += f"; {part}" if len(line) + len(part) + 2 <= width else f";\n{part}"
    return footer
