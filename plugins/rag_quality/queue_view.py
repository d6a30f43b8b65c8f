"""The labelling queue of a view: the same for the page that lists it and for the form that a log sends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Connection

from rag_quality.choices import Options
from rag_quality.view_state import ViewState
from trace_pipeline.pages.versions import Version, chosen, versions_of
from trace_pipeline.settings import Settings
from trace_pipeline.trust import QueuedLog, find_in_queue, label_queue


@dataclass(frozen=True, slots=True)
class QueueView:
    """The queue of a scorer's version on the last night of a view. nights: the setting label_days."""

    version: Version
    last: date
    nights: int
    zone: str

    @classmethod
    def of(cls, connection: Connection, state: ViewState, settings: Settings) -> QueueView | None:
        """Return the queue of a view; None where nothing has been scored."""
        options = Options.read(connection, state, settings)
        if options.days is None:
            return None
        version = chosen(versions_of(connection, options.scorer), "", options.days[1])
        return cls(version, options.days[1], settings.label_days, settings.day_time_zone)

    def logs(self, connection: Connection) -> list[QueuedLog]:
        """Return what is asked for."""
        version = self.version
        return label_queue(
            connection, version.scorer, version.scorer_id, self.last, nights=self.nights, zone=self.zone
        )

    def holds(self, connection: Connection, moment: datetime, log_id: str) -> bool:
        """Tell whether the queue asks for a log."""
        key = (moment, log_id)
        return find_in_queue(
            connection, self.version.scorer_id, self.last, key, nights=self.nights, zone=self.zone
        )
