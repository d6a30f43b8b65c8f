"""Nights for the watch: which version a night is of, after shifts and over bridges."""

from __future__ import annotations

from datetime import date, timedelta

from trace_pipeline.anchor.checks import ScorerStates
from trace_pipeline.nights import _Scale

DAYS = [date(2026, 3, 1) + timedelta(number) for number in range(10)]


def test_nights_after_a_shift_are_of_another_version() -> None:
    """From the onset on, not from the night that found it; a second shift is a third version."""
    states = ScorerStates({"new": [(DAYS[2], DAYS[3]), (DAYS[6], DAYS[6])]})
    scale = _Scale("new", {"new": []}, states)
    assert [scale.name("new", day) for day in DAYS] == ["new"] * 2 + ["new~2"] * 4 + ["new~3"] * 4
    assert all(scale.path("new", day) == [] for day in DAYS)


def test_a_bridge_carries_the_nights_after_the_last_shift_of_the_earlier_version() -> None:
    """It was measured at that version's end: nights before the shift are on another scale."""
    states = ScorerStates({"old": [(DAYS[2], DAYS[3])]})
    scale = _Scale("new", {"new": [], "old": []}, states)
    assert [scale.name("old", day) for day in DAYS[:4]] == ["old", "old", "new", "new"]
    assert [scale.path("old", day) for day in DAYS[:4]] == [None, None, [], []]
    assert scale.name("new", DAYS[5]) == "new"


def test_a_version_without_a_bridge_keeps_its_name() -> None:
    """Shifted or not."""
    scale = _Scale("new", {"new": []}, ScorerStates({"old": [(DAYS[2], DAYS[3])]}))
    assert [scale.name("old", day) for day in DAYS[1:3]] == ["old", "old~2"]
    assert scale.path("old", DAYS[2]) is None
