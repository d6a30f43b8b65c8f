"""detect_drift: judge every stored night anew and store what the detector says.

The verdicts are a pure function of the stored sums, so a restated night is judged again by replaying the
nights from the first one; what was told to people is kept elsewhere (trace.alert_delivery), never told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row

from trace_core.aggregates import Sums
from trace_core.drift import Night, Verdict, make_detector
from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query
from trace_pipeline.verdicts import store_verdicts
from trace_pipeline.window import days_between


def detect_drift(pipeline: Pipeline) -> list[str]:
    """Judge the watched metrics of the first configured scorer; returns tonight's sentence of each metric."""
    settings = pipeline.settings
    scorer = settings.scorers[0]
    sentences = []
    for metric in settings.watch_metrics:
        with pipeline.results.begin() as connection:
            connection.execute(query("lock_series"), {"series": f"verdicts {scorer} {metric}"})
            nights = load_nights(connection, scorer, metric, settings.watch_history_days)
            verdicts = replay(metric, nights)
            store_verdicts(connection, scorer, metric, verdicts)
        if verdicts:
            sentences.append(verdicts[-1][1].text)
    return sentences


def replay(metric: str, nights: Iterable[Night]) -> list[tuple[Night, Verdict]]:
    """Show a new detector all nights in order."""
    detector = make_detector(metric)
    return [(night, detector.observe(night)) for night in nights]


def load_nights(connection: Connection, scorer: str, metric: str, history_days: int) -> Iterator[Night]:
    """Yield every night from the first stored one to the last; a night without a ledger line has no data."""
    place = {"scorer": scorer, "metric": metric, "history_days": history_days}
    rows = connection.execute(query("watch_nights"), place)
    previous: Night | None = None
    for day, group in groupby(rows, key=lambda row: row.day):
        night = _night(day, list(group))
        if previous is not None:
            for missing in list(days_between(previous.day, day))[1:-1]:
                yield Night(missing, previous.fingerprint, _EMPTY, {})
        yield night
        previous = night


def _night(day: date, rows: list[Row[Any]]) -> Night:
    total = _EMPTY
    segments: dict[str, dict[str, Sums]] = {}
    for row in rows:
        sums = Sums(n=row.n, total=row.total, squares=row.squares, histogram=tuple(row.histogram))
        if row.dimension:
            segments.setdefault(row.dimension, {})[row.value] = sums
        else:
            total = sums
    return Night(day, rows[0].fingerprint, total, segments)


_EMPTY = Sums()
