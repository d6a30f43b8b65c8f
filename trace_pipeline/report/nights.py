"""Trend rows gathered into nights: one night is a day of one scorer version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pandas as pd

# A night is in the first of these that any of its metrics is in: an incident must be seen, while one metric
# that nobody could measure does not make it a night without data.
STATES = ("incident", "learning", "ok", "no_data")


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One metric of one night: the mean of n answers in [0, 1] and its 95 % interval; None = undefined."""

    n: int
    mean: float | None
    low: float | None
    high: float | None
    state: str


@dataclass(frozen=True, slots=True)
class Night:
    """All metrics of one day, scorer and fingerprint over all traffic."""

    day: date
    scorer: str
    fingerprint: str
    scored: int
    unscored: int
    cells: Mapping[str, MetricCell] = field(default_factory=dict)
    sampled_out: int = 0

    @property
    def state(self) -> str:
        """The first of STATES that any metric is in, else whatever else the frame says."""
        held = {cell.state for cell in self.cells.values()}
        return next((state for state in STATES if state in held), max(held, default=""))


def nights_from_trend(frame: pd.DataFrame) -> list[Night]:
    """Return the nights of a trend frame, oldest first.

    `frame` has the columns day, scorer, fingerprint, dimension, value, metric, n, mean, low, high, undefined,
    unscored and state, and may have sampled_out, one row a night, segment and metric. Rows of segments
    (dimension not empty) are left out, unless the frame is that of a single segment. Raises ValueError for
    several segments without the total.
    """
    total = _one_series(frame)
    nights: dict[tuple[date, str, str], list[dict[str, Any]]] = {}
    for row in total.to_dict("records"):
        key = (pd.Timestamp(row["day"]).date(), str(row["scorer"]), str(row["fingerprint"]))
        nights.setdefault(key, []).append({str(name): value for name, value in row.items()})
    return [_night(*key, rows) for key, rows in sorted(nights.items())]


def _one_series(frame: pd.DataFrame) -> pd.DataFrame:
    total = frame[frame["dimension"].fillna("") == ""] if len(frame) else frame
    if len(total) or frame.empty:
        return total
    if len(frame[["dimension", "value"]].drop_duplicates()) > 1:
        raise ValueError("the frame holds several segments: choose one dimension and value")
    return frame


def _night(day: date, scorer: str, fingerprint: str, rows: list[dict[str, Any]]) -> Night:
    return Night(
        day=day,
        scorer=scorer,
        fingerprint=fingerprint,
        # A scored answer may leave one metric undefined, so n alone would count too few.
        scored=max(_count(row["n"]) + _count(row["undefined"]) for row in rows),
        unscored=max(_count(row["unscored"]) for row in rows),
        cells={str(row["metric"]): _cell(row) for row in rows},
        sampled_out=max(_count(row.get("sampled_out")) for row in rows),
    )


def _cell(row: Mapping[str, Any]) -> MetricCell:
    n = _count(row["n"])
    state = row["state"]
    return MetricCell(
        n=n,
        # A mean over nothing is undefined, whatever number stands in its place.
        mean=_share(row["mean"]) if n else None,
        low=_share(row["low"]) if n else None,
        high=_share(row["high"]) if n else None,
        state=state if isinstance(state, str) else "",
    )


def _count(value: Any) -> int:
    return 0 if pd.isna(value) else int(value)


def _share(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)
