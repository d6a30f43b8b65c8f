"""The drift watch: has quality changed, by how much, since when, where, and how sure."""

from trace_core.drift.detector import make_detector
from trace_core.drift.night import Cell, CellSums, Night
from trace_core.drift.settings import DriftSettings
from trace_core.drift.verdict import Check, Contributor, Detector, Incident, Release, Verdict

__all__ = [
    "Cell",
    "CellSums",
    "Check",
    "Contributor",
    "Detector",
    "DriftSettings",
    "Incident",
    "Night",
    "Release",
    "Verdict",
    "make_detector",
]
