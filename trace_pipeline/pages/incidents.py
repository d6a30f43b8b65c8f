"""What the pages *Incidents* and *Incident* show, as plain rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any, Final

import pandas as pd
from sqlalchemy import Connection

from trace_pipeline.pages.change_table import ChangeTable, change_table
from trace_pipeline.pages.trend import read_trend
from trace_pipeline.sqlfiles import query

STATES: Final = ("open", "closed", "withdrawn")
PAGE_ROWS: Final = 50
_NIGHTS_BEFORE, _NIGHTS_AFTER = 35, 14
_LONGEST_OPEN = 28  # then a change is the new baseline
_TESTED_SEGMENTS = 10
_STORED_SEGMENTS = 1_000  # of one night: twenty and those that fired


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """An incident in the list.

    `size`, `low` and `high` are in score units (-0.05 is 5 points down); None = not known.
    """

    incident_id: int
    scorer: str
    metric: str
    state: str
    onset_day: date
    opened_day: date
    closed_day: date | None
    dimension: str
    value: str
    size: float
    low: float | None
    high: float | None
    n: int | None
    observed: float | None
    expected: float | None
    window_nights: int | None
    messages_sent: int
    text: str


@dataclass(frozen=True, slots=True)
class IncidentFilter:
    """Which incidents are listed; empty texts are any. `before` is the last row of the page before."""

    scorer: str
    metric: str = ""
    states: tuple[str, ...] = ("open", "closed")
    dimension: str = ""
    value: str = ""
    before: tuple[date, int] | None = None


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment on the night that the size is from: tested against its own level, and its part of the change.

    `contribution` is its part of the change of all traffic, None when it was not ranked; the other numbers
    are None when the segment had too few logs for a test.
    """

    dimension: str
    value: str
    contribution: float | None
    observed: float | None = None
    expected: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    window_nights: int | None = None
    fired: bool = False


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A value of the release dimension that began close to the onset; `share` of that night's traffic."""

    value: str
    first_day: date
    share: float | None


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One message to one channel. `event` is what it told: opened, worsened, recovered ..."""

    event: str
    channel: str
    state: str
    attempts: int
    claimed_at: datetime
    sent_at: datetime | None
    detail: str


@dataclass(frozen=True, slots=True)
class IncidentPage:
    """Everything about one incident but its logs."""

    row: IncidentRow
    measure: str
    fingerprint: str | None
    size_day: date | None
    change: ChangeTable | None
    segments: tuple[SegmentRow, ...]
    releases: tuple[ReleaseRow, ...]
    deliveries: tuple[DeliveryRow, ...]

    @property
    def evidence_nights(self) -> tuple[date, date]:
        """First and last night whose logs show the change: from the onset to the night the size is from."""
        return self.row.onset_day, self.size_day or self.row.opened_day


def list_incidents(
    connection: Connection, wanted: IncidentFilter, most: int = PAGE_ROWS
) -> list[IncidentRow]:
    """Return at most `most` incidents, the latest first."""
    day, number = wanted.before or (None, None)
    place = {
        "scorer": wanted.scorer,
        "metric": wanted.metric,
        "states": list(wanted.states),
        "dimension": wanted.dimension,
        "value": wanted.value,
        "before_day": day,
        "before_id": number,
        "most": most,
    }
    return [_incident(row) for row in connection.execute(query("page_incidents"), place).mappings()]


def read_incident(connection: Connection, incident_id: int) -> IncidentPage | None:
    """Return one incident; None when there is none of this number."""
    place = {"incident_id": incident_id}
    found = connection.execute(query("page_incident"), place).mappings().first()
    if found is None:
        return None
    evidence = found["evidence"] or {}
    measure = str(evidence.get("measure") or "mean")
    deliveries = connection.execute(query("page_incident_deliveries"), place).mappings()
    return IncidentPage(
        row=_incident(found),
        measure=measure,
        fingerprint=found["fingerprint"],
        size_day=found["size_day"],
        change=change_table(evidence.get("change") or {}),
        segments=_segments(connection, found, measure, evidence.get("contributors") or []),
        releases=tuple(_release(part) for part in evidence.get("releases") or []),
        deliveries=tuple(_delivery(row) for row in deliveries),
    )


def incident_trend(connection: Connection, row: IncidentRow) -> pd.DataFrame:
    """Return the nights around an incident, of its own series: trace.metric_trend with an expected band.

    Empty for the shares that the watch reads from the sums (unscored_share, refusal_rate).
    """
    end = row.closed_day or row.opened_day + timedelta(days=_LONGEST_OPEN)
    days = row.onset_day - timedelta(days=_NIGHTS_BEFORE), end + timedelta(days=_NIGHTS_AFTER)
    return read_trend(connection, row.scorer, row.dimension, row.value, days, metrics=(row.metric,))


def _incident(row: Mapping[Any, Any]) -> IncidentRow:
    return IncidentRow(**{field.name: row[field.name] for field in fields(IncidentRow)})


def _segments(
    connection: Connection, found: Mapping[Any, Any], measure: str, contributors: Sequence[Mapping[str, Any]]
) -> tuple[SegmentRow, ...]:
    """Return the contributing segments in their order, then others that were tested that night."""
    named = {(str(part["dimension"]), str(part["value"])): part.get("difference") for part in contributors}
    place = {
        "scorer": found["scorer"],
        "metric": found["metric"],
        "day": found["size_day"],
        "measure": measure,
        "most": _STORED_SEGMENTS,
    }
    tested = {
        (row["dimension"], row["value"]): dict(row)
        for row in connection.execute(query("page_incident_segments"), place).mappings()
    }
    order = [*named, *(key for key in tested if key not in named)][: _TESTED_SEGMENTS + len(named)]
    rows = []
    for dimension, value in order:
        numbers = tested.get((dimension, value), {"dimension": dimension, "value": value})
        rows.append(SegmentRow(contribution=named.get((dimension, value)), **numbers))
    return tuple(rows)


def _release(part: Mapping[str, Any]) -> ReleaseRow:
    return ReleaseRow(str(part["value"]), date.fromisoformat(part["first_day"]), part.get("share"))


def _delivery(row: Mapping[Any, Any]) -> DeliveryRow:
    parts = str(row["event_key"]).split(":")
    return DeliveryRow(
        event=parts[1] if len(parts) > 1 else parts[0],
        channel=row["channel"],
        state=row["state"],
        attempts=row["attempts"],
        claimed_at=row["claimed_at"],
        sent_at=row["sent_at"],
        detail=row["detail"],
    )
