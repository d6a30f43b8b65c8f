"""The nights of one series: what the charts of *Overview* and *Incident* are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

import pandas as pd
from sqlalchemy import Connection

from trace_pipeline.sqlfiles import query

METRICS: Final = ("adherence", "completeness", "relevance", "utilization")


def read_trend(
    connection: Connection,
    scorer: str,
    dimension: str,
    value: str,
    days: tuple[date, date],
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:
    """Return the nights of a series: rows of trace.metric_trend with expected_low and expected_high."""
    place = {
        "scorer": scorer,
        "metrics": list(metrics),
        "dimension": dimension,
        "value": value,
        "from_day": days[0],
        "to_day": days[1],
    }
    result = connection.execute(query("page_trend"), place)
    return pd.DataFrame(result.fetchall(), columns=list(result.keys()))
