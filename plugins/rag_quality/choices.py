"""The choices at the top of a page, as its template wants them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection

from rag_quality.view_state import METRICS, NIGHTS, ViewState
from trace_pipeline.pages.overview import Choices, nights_of, read_choices
from trace_pipeline.settings import Settings


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen, and what is."""

    scorer: str
    scorers: tuple[str, ...]
    metrics: tuple[str, ...]
    nights: tuple[int, ...]
    segments: dict[str, list[tuple[str, str]]]
    days: tuple[date, date] | None

    @classmethod
    def read(cls, connection: Connection, state: ViewState, settings: Settings) -> Options:
        """Read what can be chosen for a view."""
        found: Choices = read_choices(connection, state.scorer, settings.scorers[0])
        values = {name: list(known) for name, known in found.segments.items()}
        if state.dimension and state.value not in values.get(state.dimension, []):
            values.setdefault(state.dimension, []).insert(0, state.value)
        segments = {
            name: [(json.dumps([name, value]), value) for value in known] for name, known in values.items()
        }
        days = nights_of(found, state.nights, state.until)
        return cls(found.scorer, found.scorers, METRICS, NIGHTS, segments, days)
