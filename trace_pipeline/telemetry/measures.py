"""What is measured: names, units and meanings of the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

#: Name -> kind, unit, meaning. Histograms are deltas: each batch is a process of its own.
MEASURES: Final[Mapping[str, tuple[Literal["gauge", "histogram"], str, str]]] = {
    "rag_quality.batch.duration": ("histogram", "s", "Time a batch took; its count is the number of batches"),
    "rag_quality.batch.logs": ("histogram", "{log}", "Logs that a batch read"),
    "rag_quality.batch.speed": ("histogram", "{log}/s", "Logs read per second of a batch"),
    "rag_quality.night.rows": ("gauge", "{row}", "Rows of the newest night, by outcome"),
    "rag_quality.night.quarantined": ("gauge", "{row}", "Unreadable rows of the newest night, by reason"),
    "rag_quality.night.mean": ("gauge", "1", "Mean of a metric over the newest night; absent when undefined"),
    "rag_quality.night.answers": ("gauge", "{log}", "Answers of the newest night that have a value"),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """One value of one of MEASURES."""

    name: str
    value: float
    attributes: Mapping[str, str] = field(default_factory=dict)
