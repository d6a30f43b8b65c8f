"""Loads stored sums as the nights that the drift watch reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row

from trace_core.aggregates import HISTOGRAM_CELLS, Sums
from trace_core.drift import Night
from trace_core.drift.bridge import Bridge
from trace_core.weighted import WeightedSums
from trace_pipeline.anchor.checks import ScorerStates, scorer_states
from trace_pipeline.settings import WATCHED_SHARES
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import days_between

_EMPTY = Sums()


def load_nights(connection: Connection, scorer: str, metric: str, history_days: int) -> Iterator[Night]:
    """Yield every night from the first stored one to the last; a night without a ledger line has no data.

    Nights of an earlier fingerprint are carried over a bridge to the newest one where there is one; without,
    they keep their fingerprint, and the detector starts anew. So it does from the night on which the scorer
    began to judge its anchors otherwise: such nights have a fingerprint of their own.
    """
    stored = "adherence" if metric in WATCHED_SHARES else metric
    place = {"scorer": scorer, "metric": stored, "history_days": history_days}
    days = [
        (day, list(rows)) for day, rows in groupby(connection.execute(query("watch_nights"), place), key=_day)
    ]
    if not days:
        return
    newest = days[-1][1][0].fingerprint
    paths = {} if metric in WATCHED_SHARES else _paths(connection, scorer, metric, newest)
    scale = _Scale(newest, paths, scorer_states(connection, scorer))
    previous: Night | None = None
    for day, rows in days:
        night = _night(day, rows, metric, scale)
        if previous is not None:
            for missing in list(days_between(previous.day, day))[1:-1]:
                yield Night(missing, previous.fingerprint, _EMPTY, {})
        yield night
        previous = night


def _day(row: Row[Any]) -> date:
    found: date = row.day
    return found


@dataclass(frozen=True, slots=True)
class _Scale:
    """Which nights the newest version's are comparable with, and over which bridges."""

    newest: str
    paths: Mapping[str, list[Bridge]]
    states: ScorerStates

    def path(self, fingerprint: str, day: date) -> list[Bridge] | None:
        """Return the bridges that lead from a night to the newest version; None where none do.

        A bridge was measured at the end of the earlier version: nights before that one's last shift are on
        another scale.
        """
        shifts = len(self.states.shifts.get(fingerprint, ()))
        is_last = fingerprint == self.newest or self.states.shifts_until(fingerprint, day) == shifts
        return self.paths.get(fingerprint) if is_last else None

    def name(self, fingerprint: str, day: date) -> str:
        """Name the scorer of a night for the watch."""
        is_carried = fingerprint != self.newest and self.path(fingerprint, day) is not None
        return self.newest if is_carried else self.states.name(fingerprint, day)


def _night(day: date, rows: list[Row[Any]], metric: str, scale: _Scale) -> Night:
    fingerprint = str(rows[0].fingerprint)
    path = scale.path(fingerprint, day)
    total = _EMPTY
    segments: dict[str, dict[str, Sums]] = {}
    traffic: dict[str, dict[str, float]] = {}
    for row in rows:
        sums = _sums(row, metric)
        if row.weight is not None and metric not in WATCHED_SHARES:
            traffic.setdefault(row.dimension, {})[row.value] = row.weight
        for bridge in path or ():
            sums = bridge.carry(sums)
        if row.dimension:
            segments.setdefault(row.dimension, {})[row.value] = sums
        else:
            total = sums
    # What can be read or is answered does not depend on the scorer's version closely enough to start anew.
    name = scale.newest if metric in WATCHED_SHARES else scale.name(fingerprint, day)
    return Night(day, name, total, segments, traffic)


def _sums(row: Row[Any], metric: str) -> Sums:
    # What sampling leaves out was read, and is known to be a refusal or not: it moves neither share.
    read = row.n + row.undefined + row.sampled_out
    if metric == "unscored_share":
        return _share(row.unscored, read + row.unscored)
    if metric == "refusal_rate":
        return _share(row.refused, read)
    seen = Sums(n=row.n, total=row.total, squares=row.squares, histogram=tuple(row.histogram))
    if row.weight is None:
        return seen
    weighted = WeightedSums(
        seen,
        row.weight,
        row.weighted_total,
        row.weighted_squares,
        row.design,
        row.design_total,
        row.design_squares,
        tuple(row.weighted_histogram),
        is_whole=not row.dimension,
    )
    return weighted.effective_sums()


def _share(count: int, n: int) -> Sums:
    histogram = (n - count, *(0,) * (HISTOGRAM_CELLS - 2), count)
    return Sums(n=n, total=float(count), squares=float(count), histogram=histogram)


def _paths(connection: Connection, scorer: str, metric: str, newest: str) -> dict[str, list[Bridge]]:
    """Return, for each fingerprint from which bridges lead to the newest one, those bridges in order."""
    paths: dict[str, list[Bridge]] = {newest: []}
    rows = connection.execute(query("bridges"), {"scorer": scorer, "metric": metric}).all()
    for row in reversed(rows):  # bridges lead from older to newer, so the newest are known first
        if row.to_fingerprint in paths and row.from_fingerprint not in paths:
            bridge = Bridge.from_json(row.cells, row.shift)
            paths[row.from_fingerprint] = [bridge, *paths[row.to_fingerprint]]
    return paths
