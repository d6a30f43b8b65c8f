"""A bridge: carrying a night of the old scorer over to the scale of the new one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.aggregates import Sums, histogram_cell
from trace_core.drift.bridge import Bridge, Passage

scores = st.integers(0, 100).map(lambda value: value / 100)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=60)


def bridge_of(logs: list[tuple[float, float]]) -> Bridge:
    """Build a bridge from (old, new) scores, one passage a log."""
    return Bridge.of(
        Passage(histogram_cell(old), histogram_cell(new), 1, new - old, new**2 - old**2, (new - old) ** 2)
        for old, new in logs
    )


@given(pairs)
def test_carrying_the_overlap_itself_gives_the_new_sums(logs: list[tuple[float, float]]) -> None:
    """The old sums of the very logs of the overlap become their new sums, histogram included."""
    logs = [(old, new) for old, new in logs]
    merged: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for old, new in logs:
        merged.setdefault((histogram_cell(old), histogram_cell(new)), []).append((old, new))
    bridge = Bridge.of(
        Passage(
            *cells,
            len(group),
            math.fsum(new - old for old, new in group),
            math.fsum(new**2 - old**2 for old, new in group),
            math.fsum((new - old) ** 2 for old, new in group),
        )
        for cells, group in merged.items()
    )
    carried = bridge.carry(Sums.of(old for old, _ in logs))
    expected = Sums.of(new for _, new in logs)
    assert carried.n == expected.n
    assert carried.total == pytest.approx(expected.total, abs=1e-9)
    assert carried.squares == pytest.approx(expected.squares, abs=1e-6)
    assert carried.histogram == expected.histogram
    assert bridge.shift == pytest.approx(
        (expected.total - math.fsum(old for old, _ in logs)) / len(logs), abs=1e-12
    )
    assert bridge.low <= bridge.shift <= bridge.high


@given(pairs, st.lists(scores, max_size=60))
def test_a_carried_night_is_a_possible_night(logs: list[tuple[float, float]], night: list[float]) -> None:
    """Whatever the overlap, a carried night has as many logs, a mean in [0, 1] and no negative variance."""
    carried = bridge_of(logs).carry(Sums.of(night))
    assert carried.n == sum(carried.histogram) == len(night)
    assert 0 <= carried.total <= carried.n
    assert carried.variance is None or carried.variance >= -1e-9


def test_a_cell_the_overlap_does_not_have_stays() -> None:
    """Logs with scores that no log of the overlap had keep them."""
    bridge = bridge_of([(1.0, 0.5)] * 10)
    carried = bridge.carry(Sums.of([0.0, 1.0]))
    assert carried.total == 0.5
    assert carried.histogram[0] == carried.histogram[10] == 1


def test_a_bridge_survives_its_json_form() -> None:
    """What is stored carries a night as the original does."""
    bridge = bridge_of([(1.0, 0.5), (0.0, 0.0), (1.0, 1.0)])
    again = Bridge.from_json(bridge.to_json(), bridge.shift)
    night = Sums.of([1.0, 0.0, 1.0, 0.3])
    assert again.carry(night) == bridge.carry(night)


def test_a_bridge_needs_logs() -> None:
    """No log scored by both is no bridge."""
    with pytest.raises(ValueError, match="both scorers"):
        Bridge.of([])
