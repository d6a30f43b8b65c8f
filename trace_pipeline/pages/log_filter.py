"""Which evaluations a list shows, in which order, and the places at which its pages part."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

SORTS: Final = ("worst", "adherence", "relevance", "utilization", "completeness", "average", "time")
METRICS: Final = (
    "adherence",
    "relevance",
    "utilization",
    "completeness",
    "average",
    "adherence_probability",
)
STATUSES: Final = ("scored", "skipped", "sampled_out", "failed")
KINDS: Final = ("answer", "refusal", "empty")
MISSING: Final = "(missing)"

MOST_NIGHTS: Final = 366
#: Sorted or bounded by a metric: the whole range of the key is read, some 14,000 entries a night.
MOST_NIGHTS_SORTED: Final = 31
#: With a filter that no index knows: the rows themselves are read, some 14,000 a night in a large history.
MOST_NIGHTS_READ: Final = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a list: the sort key (2 where a log has no value), the time and the id of a row."""

    key: float
    logged_at: datetime
    log_id: str

    def to_text(self) -> str:
        """Return the form that addresses carry."""
        return f"{self.key!r}~{self.logged_at.isoformat()}~{self.log_id}"

    @classmethod
    def from_text(cls, text: str | None) -> Self | None:
        """Read that form; None for anything else, so that a mangled address shows the first page."""
        parts = (text or "").split("~", 2)
        try:
            key, moment = float(parts[0]), datetime.fromisoformat(parts[1])
            log_id = parts[2]
        except (ValueError, IndexError):
            return None
        if not math.isfinite(key) or moment.tzinfo is None or not is_storable(log_id):
            return None
        return cls(key, moment, log_id)


#: Before every row, and behind every row that has a value.
FIRST: Final = Place(-1.0, datetime(1, 1, 1, tzinfo=UTC), "")
LAST: Final = Place(1.5, datetime(1, 1, 1, tzinfo=UTC), "")


@dataclass(frozen=True, slots=True)
class LogFilter:
    """What a list shows: evaluations of one scorer in [from_at, to_at). An empty text filters nothing.

    sort: worst (adherence probability, else adherence), a metric, or time. descending: the highest first;
    rows without a value are then left out. low and high bound `metric`, both included. labelled: yes or no.
    """

    scorer_id: int
    from_at: datetime
    to_at: datetime
    sort: str = "worst"
    descending: bool = False
    status: str = "scored"
    kind: str = ""
    reason: str = ""
    unsupported: bool = False
    metric: str = ""
    low: float = 0.0
    high: float = 1.0
    dimension: str = ""
    value: str = ""
    document: str = ""
    labelled: str = ""

    @property
    def most_nights(self) -> int:
        """How long a range these filters may search."""
        reads = self.document or (self.dimension and self.value == MISSING)
        if reads or (self.reason and self.status in ("", "scored")):
            return MOST_NIGHTS_READ
        by_key = (
            self.metric or self.sort not in ("worst", "time") or (self.status, self.sort) == ("", "worst")
        )
        # The segment is not in the key: a rare kind of one segment would be looked for row by row.
        by_key = by_key or (self.dimension and self.kind)
        return MOST_NIGHTS_SORTED if by_key else MOST_NIGHTS

    def parameters(self, place: Place, most: int) -> Mapping[str, Any]:
        """Return the parameters of sql/queries/page_logs_*.sql."""
        missing = self.dimension if self.value == MISSING else ""
        segment = json.dumps({self.dimension: self.value}) if self.dimension and not missing else ""
        return {
            "scorer_id": self.scorer_id,
            "from_at": self.from_at,
            "to_at": self.to_at,
            "sort": self.sort,
            "status": self.status,
            "kind": self.kind,
            "reason": self.reason,
            "unsupported": "yes" if self.unsupported else "",
            "metric": self.metric,
            "low": self.low,
            "high": self.high,
            "segment": segment,
            "missing": missing,
            "document": self.document,
            "labelled": self.labelled,
            "key": place.key,
            "at": place.logged_at,
            "log_id": place.log_id,
            "most": most,
        }


def is_storable(text: str) -> bool:
    """Tell whether Postgres can be asked for a text: no NUL, no half of a surrogate pair."""
    return "\x00" not in text and text == text.encode("utf-8", "replace").decode("utf-8")
