"""The few answers that the page *Overview* shows of an incident, so that no one has to search for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from sqlalchemy import Connection

from trace_pipeline.pages.errors import NotFound
from trace_pipeline.pages.incidents import IncidentRow
from trace_pipeline.pages.log_filter import SORTS, LogFilter
from trace_pipeline.pages.logs import LogRow, read_logs
from trace_pipeline.pages.versions import chosen, versions_of
from trace_pipeline.window import day_bounds

ANSWERS: Final = 3
_NIGHTS = 7


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst answers of an incident's latest nights within those shown, at most three."""

    incident: IncidentRow
    scorer_id: int
    rows: tuple[LogRow, ...]


def worst_of(
    connection: Connection, incidents: Sequence[IncidentRow], days: tuple[date, date], zone: str
) -> Worst | None:
    """Return the worst answers of the largest drop that is open in `days`; None without one.

    A metric that no single answer has, such as the share of refusals, has no worst answers.
    """
    drops = [
        row
        for row in incidents
        if row.state == "open" and row.size < 0 and row.metric in SORTS and row.onset_day <= days[1]
    ]
    if not drops:
        return None
    incident = min(drops, key=lambda row: row.size)
    try:
        version = chosen(versions_of(connection, incident.scorer), "", days[1])
    except NotFound:
        return None
    wanted = LogFilter(
        scorer_id=version.scorer_id,
        from_at=day_bounds(days[1], zone)[0],
        to_at=day_bounds(days[1], zone)[1],
        sort="worst" if incident.metric == "adherence" else incident.metric,
        dimension=incident.dimension,
        value=incident.value,
    )
    first = max(incident.onset_day, days[1] - timedelta(days=min(_NIGHTS, wanted.most_nights) - 1))
    wanted = replace(wanted, from_at=day_bounds(first, zone)[0])
    return Worst(incident, version.scorer_id, read_logs(connection, wanted, most=ANSWERS).rows)
