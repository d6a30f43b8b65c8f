"""The drift watch: has quality changed, by how much, since when, where, and how sure."""

from trace_core.drift.detector import make_detector
from trace_core.drift.night import Cell, Night
from trace_core.drift.releases import coinciding_releases
from trace_core.drift.report import ChangeReport, SegmentChange, report_change
from trace_core.drift.settings import DriftSettings
from trace_core.drift.verdict import Check, Contributor, Detector, Incident, Release, Verdict
from trace_core.drift.volume import VolumeCheck, judge_volume

__all__ = [
    "Cell",
    "ChangeReport",
    "Check",
    "Contributor",
    "Detector",
    "DriftSettings",
    "Incident",
    "Night",
    "Release",
    "SegmentChange",
    "Verdict",
    "VolumeCheck",
    "coinciding_releases",
    "judge_volume",
    "make_detector",
    "report_change",
]
