"""The labelling queue: the labels that shrink the corrected rate's interval most, drawn so that they may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from trace_core.trust import Stratum, labels_to_ask_for
from trace_core.trust.pooled import STRATA
from trace_pipeline.sqlfiles import query
from trace_pipeline.trust.corrected import at_hand, labelled_strata, labels_before
from trace_pipeline.trust.strata import BOUNDS, read_sizes, total_of
from trace_pipeline.window import day_bounds

QUEUE_ROWS: Final = 20
#: The queue draws from these last nights: their labels stay in the window longest.
QUEUE_NIGHTS: Final = 7
#: A log counts as drawn while it is so far in front of its stratum: whoever opened the queue a while ago may
#: still give the labels that it asked for.
_STILL_DRAWN: Final = 2 * QUEUE_ROWS
_SALT: Final = "labels"


@dataclass(frozen=True, slots=True)
class QueuedLog:
    """A log to be labelled. stratum: its place in STRATA of the core; place: in the random order of that."""

    stratum: int
    place: int
    logged_at: datetime
    log_id: str
    segments: Mapping[str, str]

    @property
    def why(self) -> str:
        """What the scorer says of it."""
        return STRATA[self.stratum]


def queue_days(last: date, nights: int) -> tuple[date, date]:
    """Return the nights that the queue of a night draws from; `nights` is the setting label_days."""
    return last - timedelta(days=min(nights, QUEUE_NIGHTS) - 1), last


def label_queue(
    connection: Connection,
    scorer: str,
    scorer_id: int,
    last: date,
    *,
    nights: int,
    zone: str,
    most: int = QUEUE_ROWS,
) -> list[QueuedLog]:
    """Return up to `most` unlabelled logs, of the strata in turn: the first ones alone are a good choice.

    nights: the setting label_days, of which the labels at hand are.
    """
    days = queue_days(last, nights)
    labels, _ = at_hand(labels_before(connection, scorer_id, last, nights, zone).answers)
    sizes = total_of(read_sizes(connection, scorer, scorer_id, days, zone).values())
    # The labels are those of the whole window, so the strata are taken as large as they are in it.
    share = nights / ((days[1] - days[0]).days + 1)
    strata = [
        Stratum(max(round(share * size), label.n), label.n, label.adherent)
        for size, label in zip(sizes.answers, labelled_strata(labels), strict=True)
    ]
    asked = labels_to_ask_for(strata, most)
    drawn = _drawn(connection, scorer_id, days, zone, most)
    found = [log for log in drawn if log.place <= asked[log.stratum]]
    return sorted(found, key=lambda log: (log.place / asked[log.stratum], log.stratum))


def find_in_queue(
    connection: Connection, scorer_id: int, last: date, log: tuple[datetime, str], *, nights: int, zone: str
) -> bool:
    """Tell whether a log is one that the queue asks for, or has asked for a moment ago."""
    days = queue_days(last, nights)
    drawn = _drawn(connection, scorer_id, days, zone, _STILL_DRAWN)
    return any((one.logged_at, one.log_id) == log for one in drawn)


def _drawn(
    connection: Connection, scorer_id: int, days: tuple[date, date], zone: str, most: int
) -> list[QueuedLog]:
    place: dict[str, Any] = {
        "scorer_id": scorer_id,
        "from_at": day_bounds(days[0], zone)[0],
        "to_at": day_bounds(days[1], zone)[1],
        "salt": _SALT,
        "most": most,
        **BOUNDS,
    }
    return [QueuedLog(**row) for row in connection.execute(query("queue_logs"), place).mappings()]
