"""What the page *Overview* shows: choices, the trend, the headline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pandas as pd
from sqlalchemy import Connection

from trace_pipeline.pages.incidents import IncidentRow
from trace_pipeline.sqlfiles import query

_VALUES = 50
_CHOICE_NIGHTS = 30
_HEADLINE_NIGHTS = 7


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen: scorers (the chosen one first known), segments by dimension, the last night."""

    scorer: str
    scorers: tuple[str, ...]
    last_day: date | None
    segments: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Headline:
    """One metric over the last nights shown: its mean in [0, 1] with 95 % interval; None = no data."""

    metric: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    nights: int
    state: str
    words: str


def read_choices(connection: Connection, wanted: str, primary: str) -> Choices:
    """Return what can be chosen; `wanted` is kept even when it has no results, so that the page says so."""
    found = {row.scorer: row.last_day for row in connection.execute(query("page_scorers"))}
    scorer = wanted or (primary if primary in found or not found else next(iter(found)))
    last = found.get(scorer)
    segments: dict[str, list[str]] = {}
    if last is not None:
        place = {"scorer": scorer, "from_day": last - timedelta(days=_CHOICE_NIGHTS), "to_day": last}
        for row in connection.execute(query("page_segments"), place | {"most": _VALUES}):
            segments.setdefault(row.dimension, []).append(row.value)
    known = tuple(sorted({*found, scorer}))
    return Choices(scorer, known, last, {name: tuple(values) for name, values in segments.items()})


def nights_of(choices: Choices, nights: int, until: date | None) -> tuple[date, date] | None:
    """Return first and last day shown; None when nothing has been scored yet."""
    last = until or choices.last_day
    return None if last is None else (last - timedelta(days=nights - 1), last)


def read_ledger(connection: Connection, scorer: str, days: tuple[date, date]) -> pd.DataFrame:
    """Return the ledger of the nights: rows of trace.night_ledger."""
    return _frame(connection, "page_ledger", {"scorer": scorer, "from_day": days[0], "to_day": days[1]})


def read_releases(
    connection: Connection, scorer: str, dimension: str, days: tuple[date, date]
) -> list[tuple[str, date]]:
    """Return values of the release dimension first seen within the nights."""
    place = {"scorer": scorer, "dimension": dimension, "from_day": days[0], "to_day": days[1]}
    return [(row.value, row.first_day) for row in connection.execute(query("page_releases"), place)]


def headline_of(trend: pd.DataFrame, metric: str, incidents: Sequence[IncidentRow]) -> Headline:
    """Return one metric over the last nights with data, and how it compares, in words."""
    rows = trend[trend["metric"] == metric].sort_values("day")
    recent = rows.tail(_HEADLINE_NIGHTS)
    known = recent[recent["n"] > 0]
    n = int(known["n"].sum()) if len(known) else 0
    state = str(rows["state"].iloc[-1]) if len(rows) else "no_data"
    if not n:
        return Headline(metric, None, None, None, 0, len(recent), "no_data", "no data")
    weights = known["stands_for"] / known["stands_for"].sum()
    mean = float((weights * known["mean"]).sum())
    errors = (known["high"] - known["low"]) / (2 * 1.96)
    half = 1.96 * float(((weights * errors) ** 2).sum()) ** 0.5
    words = _words(state, [i for i in incidents if i.metric == metric and i.state == "open"])
    return Headline(metric, mean, max(0.0, mean - half), min(1.0, mean + half), n, len(known), state, words)


def _words(state: str, incidents: Sequence[IncidentRow]) -> str:
    if incidents:
        worst = min(incidents, key=lambda row: row.size)
        way = "down" if worst.size < 0 else "up"
        where = f" in {worst.dimension} = {worst.value}" if worst.dimension else ""
        return f"{way} {abs(100 * worst.size):.1f} points{where} since {worst.onset_day:%Y-%m-%d}"
    return {
        "ok": "as expected",
        "learning": "still learning what is usual",
        "no_data": "no data on the last night",
        "incident": "in an incident",
    }.get(state, "not watched for drift")


def _frame(connection: Connection, name: str, place: Mapping[str, Any]) -> pd.DataFrame:
    result = connection.execute(query(name), place)
    return pd.DataFrame(result.fetchall(), columns=list(result.keys()))
