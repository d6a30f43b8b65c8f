"""The table of the ledger: where every source row went."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich import box
from rich.table import Table
from rich.text import Text

from trace_pipeline.alerts.plain_text import one_line

OUTCOMES = ("scored", "skipped", "quarantined", "sampled_out", "failed")
MAX_REASONS = 3
_HEADERS = {"quarantined": "quaran-\ntined", "sampled_out": "sampled\nout", "source_rows": "source\nrows"}


def render_ledger_table(frame: pd.DataFrame) -> Table:
    """Return a table with a row for each ledger entry, in the frame's order.

    Columns: day, scorer, source_rows, scored, skipped, quarantined, sampled_out, failed (counts) and reasons
    (a mapping of reason code to count, its JSON text, or null), shown with the most frequent first. An entry
    whose outcomes do not add up to its source rows is marked.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, title="Ledger", title_justify="left")
    table.caption_justify = "left"
    scorers = [one_line(scorer, 30) for scorer in frame["scorer"].unique()] if len(frame) else []
    table.caption = Text("Source rows = scored + skipped + quarantined + sampled out + failed.")
    if len(scorers) == 1:
        table.caption = Text(f"{table.caption} Scorer {scorers[0]}.")
    if not scorers:
        table.caption = Text("No ledger entries to show.")
    table.add_column("day", no_wrap=True)
    if len(scorers) > 1:
        table.add_column("scorer", overflow="fold")
    for name in ("source_rows", *OUTCOMES):
        table.add_column(_HEADERS.get(name, name), justify="right", no_wrap=True)
    table.add_column("reasons", overflow="fold", max_width=80)
    for row in frame.to_dict("records"):
        cells = _cells({str(name): value for name, value in row.items()})
        table.add_row(*(cells if len(scorers) > 1 else cells[:1] + cells[2:]))
    return table


def _cells(row: Mapping[str, Any]) -> list[Text]:
    counts = {name: 0 if pd.isna(row[name]) else int(row[name]) for name in ("source_rows", *OUTCOMES)}
    missing = counts["source_rows"] - sum(counts[name] for name in OUTCOMES)
    reasons = Text(_reasons(row["reasons"]))
    if missing:
        reasons = Text(f"DOES NOT BALANCE: {missing:+,} ", style="bold red") + reasons
    return [
        Text(pd.Timestamp(row["day"]).date().isoformat()),
        Text(one_line(row["scorer"], 30)),
        *(Text(f"{count:,}") for count in counts.values()),
        reasons,
    ]


def _reasons(value: Any) -> str:
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, Mapping):
        return ""
    ordered = sorted(value.items(), key=lambda item: (-int(item[1]), str(item[0])))
    shown = [f"{one_line(code, 40)} {int(count):,}" for code, count in ordered[:MAX_REASONS]]
    if len(ordered) > MAX_REASONS:
        shown.append(f"and {len(ordered) - MAX_REASONS} more")
    return ", ".join(shown)
