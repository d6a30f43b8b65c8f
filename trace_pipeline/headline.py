"""What a run says to those who wait for it: which days it restated, and the figures of the last of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query

_MOST_DAYS = 100  # an event is kept in Airflow's database: it holds figures of a night, not a history


def headline(pipeline: Pipeline, days: Sequence[str]) -> dict[str, Any]:
    """Return what the event of the asset `trace_daily_metric` carries, as plain JSON.

    `days` are ISO days, sorted; of more than a hundred the last hundred are named. `figures` are those of the
    first scorer on the last day: metric -> mean, low, high (shares in [0, 1], None when undefined) and n.
    """
    scorer = pipeline.settings.scorers[0]
    told: dict[str, Any] = {"days": list(days[-_MOST_DAYS:]), "day_count": len(days), "scorer": scorer}
    if not days:
        return told
    place = {"scorer": scorer, "day": date.fromisoformat(days[-1])}
    with pipeline.results.connect() as connection:
        rows = connection.execute(query("headline_figures"), place).all()
    told["day"] = days[-1]
    told["figures"] = {
        row.metric: {"mean": row.mean, "low": row.low if row.n else None, "high": row.high if row.n else None}
        | {"n": row.n}
        for row in rows
    }
    if rows:
        told |= {"source_rows": rows[0].source_rows, "scored": rows[0].scored}
    return told
