"""Batches: half-open key ranges that tile a run's days, so that a log that arrives meanwhile is in one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NotRequired, TypedDict

from trace_pipeline.source import Key


class BatchMessage(TypedDict):
    """A batch as it travels between tasks: a range, never rows.

    night: the last day of the run (ISO), whose budget it spends. share: its part of that budget, in (0, 1].
    """

    batch_id: str
    from_at: str
    from_id: str
    to_at: str
    to_id: str
    night: NotRequired[str]
    share: NotRequired[float]


class BatchResult(TypedDict):
    """What a batch reports: logs read by day, and how many of them changed something."""

    batch_id: str
    read: dict[str, int]
    changed: int


@dataclass(frozen=True, slots=True)
class Batch:
    """The logs with start <= (logged_at, log_id) < end."""

    batch_id: str
    start: Key
    end: Key

    def message(self) -> BatchMessage:
        """Return the form that travels."""
        return BatchMessage(
            batch_id=self.batch_id,
            from_at=self.start.logged_at.isoformat(),
            from_id=self.start.log_id,
            to_at=self.end.logged_at.isoformat(),
            to_id=self.end.log_id,
        )

    @classmethod
    def from_message(cls, message: BatchMessage) -> Batch:
        """Read the form that travels."""
        start = Key(datetime.fromisoformat(message["from_at"]), message["from_id"])
        end = Key(datetime.fromisoformat(message["to_at"]), message["to_id"])
        return cls(message["batch_id"], start, end)
