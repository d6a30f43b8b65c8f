"""The table of nights: how many answers, how good, in which state."""

from __future__ import annotations

import pandas as pd
from rich import box
from rich.table import Table
from rich.text import Text

from trace_pipeline.alerts.plain_text import one_line
from trace_pipeline.report.nights import MetricCell, Night, nights_from_trend

METRICS = ("adherence", "completeness", "relevance", "utilization")
UNDEFINED = "-"
INCIDENT = "!"
_STATE_STYLES = {"incident": "bold red", "no_data": "yellow", "learning": "cyan", "ok": "green"}
_HEADERS = {
    "adherence": "adher. ",
    "completeness": "compl. ",
    "relevance": "relev. ",
    "utilization": "utiliz. ",
}


def render_nights_table(frame: pd.DataFrame, *, intervals: bool = False) -> Table:
    """Return a table with a row for each night of a trend frame (see `nights_from_trend`), oldest first.

    Metrics are means in per cent; `-` is an undefined one, never 0. `intervals` adds half the 95 % interval
    in points (about 95 columns wide then, else 75). `left out` counts rows left out by sampling, where there
    are any. The scorer is a column when there are several.
    """
    nights = nights_from_trend(frame)
    versions = list(dict.fromkeys((night.scorer, night.fingerprint) for night in nights))
    several = len(versions) > 1
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, title="Nights", title_justify="left")
    table.caption_justify = "left"
    if not nights:
        table.caption = "No nights to show."
    else:
        table.caption = _caption(nights[0], several=several, intervals=intervals)
    table.add_column("day", no_wrap=True)
    if several:
        table.add_column("scorer", overflow="fold")
    sampled = any(night.sampled_out for night in nights)
    counts = ("logs", "scored", "unscored", *(("left out",) if sampled else ()))
    for header in (*counts, *(_HEADERS[metric] for metric in METRICS)):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column(" state", no_wrap=True)
    for night in nights:
        table.add_row(*_cells(night, several=several, sampled=sampled, intervals=intervals))
    return table


def _cells(night: Night, *, several: bool, sampled: bool, intervals: bool) -> list[Text]:
    cells = [Text(night.day.isoformat())]
    if several:
        cells.append(Text(_version(night)))
    logs = night.scored + night.unscored + night.sampled_out
    counts = [logs, night.scored, night.unscored, *([night.sampled_out] if sampled else [])]
    cells += [Text(f"{count:,}") for count in counts]
    cells += [Text(_percent(night.cells.get(metric), intervals)) for metric in METRICS]
    cells.append(
        Text(f" {one_line(night.state.replace('_', ' '), 12)}", style=_STATE_STYLES.get(night.state, ""))
    )
    return cells


def _caption(night: Night, *, several: bool, intervals: bool) -> Text:
    note = "Means in per cent" + (" and half of their 95 % interval in points" if intervals else "")
    note += f"; {UNDEFINED} = undefined, {INCIDENT} = in an incident."
    return Text(note + ("" if several else f" Scorer {_version(night)}."))


def _percent(cell: MetricCell | None, intervals: bool) -> str:
    if cell is None or cell.mean is None:
        return f"{UNDEFINED} "
    text = f"{cell.mean * 100:.1f}"
    if intervals:
        half = None if cell.low is None or cell.high is None else (cell.high - cell.low) * 50
        text += " ±   ?" if half is None else f" ±{half:4.1f}"
    return text + (INCIDENT if cell.state == "incident" else " ")


def _version(night: Night) -> str:
    return f"{one_line(night.scorer, 30)} {one_line(night.fingerprint[:8], 8)}"
