"""Sums of nights that were judged in part: what they merge to, and what the watch is told."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.aggregates import Sums
from trace_core.drift import Night, report_change
from trace_core.trust import weighted_mean
from trace_core.weighted import WeightedSums, proportioned, wilson

ROWS = st.lists(st.tuples(st.floats(0, 1), st.floats(0.5, 1e4)), min_size=1, max_size=40)


@given(ROWS, st.booleans())
def test_what_the_watch_reads_is_possible(rows: list[tuple[float, float]], is_whole: bool) -> None:
    """Any weights give a mean, an interval around it and whole effective rows that fit together."""
    sums = WeightedSums.of([y for y, _ in rows], [w for _, w in rows], is_whole=is_whole)
    mean, interval = sums.mean, sums.interval()
    assert mean is not None and interval is not None
    assert 0 <= interval[0] <= mean + 1e-9 and mean - 1e-9 <= interval[1] <= 1
    assert 0 < sums.effective <= sums.weight
    told = sums.effective_sums()
    assert 1 <= told.n <= max(1, round(sums.weight))
    assert sum(told.histogram) == told.n and min(told.histogram) >= 0
    assert told.total / told.n == pytest.approx(mean, abs=1e-9)
    assert told.total**2 / told.n - 1e-6 <= told.squares <= told.total


@given(ROWS, ROWS)
def test_days_merge_to_the_sums_of_all_their_rows(
    first: list[tuple[float, float]], second: list[tuple[float, float]]
) -> None:
    """Merging is adding, in either order, and nothing is nothing."""
    one, two, both = (
        WeightedSums.of([y for y, _ in rows], [w for _, w in rows])
        for rows in (first, second, [*first, *second])
    )
    merged = one.merge(two)
    assert merged.seen.n == both.seen.n
    for name in ("weight", "total", "squares", "design", "design_total", "design_squares"):
        assert getattr(merged, name) == pytest.approx(getattr(both, name))
    assert merged.mean == pytest.approx(two.merge(one).mean)
    assert one.merge(WeightedSums()).total == one.total


def test_rows_that_stand_for_themselves_are_plain_sums() -> None:
    """Without weights the watch reads the very sums, and the interval is E. Wilson's over all rows."""
    sums = Sums.of([1, 0, 0.5, 0.25, 1])
    assert WeightedSums.plain(sums).effective_sums() == sums
    assert WeightedSums.of([1, 0, 0.5, 0.25, 1], [1] * 5).effective_sums() == sums
    assert sums.mean is not None
    spread = sums.squares / sums.n - sums.mean**2
    assert WeightedSums.plain(sums).interval() == pytest.approx(wilson(sums.mean, spread, 5))


def test_nothing_is_undefined() -> None:
    """No rows have no mean and no interval, and the watch reads a night without data."""
    empty = WeightedSums()
    assert (empty.mean, empty.interval(), empty.effective) == (None, None, 0)
    assert empty.effective_sums() == Sums()


def test_it_agrees_with_the_estimate_from_single_answers() -> None:
    """A night of which everything is the judge's has the mean and effective number of weighted_mean."""
    draw = random.Random(1)
    chances = [draw.choice([0.04, 0.12, 0.5]) for _ in range(300)]
    values = [float(draw.random() < 0.9) for _ in chances]
    single = weighted_mean(values, chances)
    sums = WeightedSums.of(values, [1 / p for p in chances])
    assert sums.mean == pytest.approx(single.mean)
    assert sums.effective == pytest.approx(single.effective, rel=0.02)
    assert sums.interval() == pytest.approx((single.low, single.high), abs=0.002)


def test_judged_answers_that_are_all_alike_do_not_prove_the_rest() -> None:
    """Twelve judged answers, all good, that stand for 300: the interval still leaves room below."""
    sums = WeightedSums.plain(Sums.of([1.0] * 880 + [0.0] * 20)).merge(WeightedSums.of([1.0] * 12, [25] * 12))
    interval = sums.interval()
    assert interval is not None and sums.mean is not None
    assert sums.mean - interval[0] > 0.04 and interval[1] - sums.mean < 0.02
    assert sums.effective < 600


def test_a_segment_is_known_less_well_than_a_day() -> None:
    """How many rows of a segment the judge's class has is estimated: that widens the interval."""
    values, weights = [1.0] * 40 + [1, 0, 1, 0, 1], [1.0] * 40 + [4.0] * 5
    day = WeightedSums.of(values, weights).interval()
    segment = WeightedSums.of(values, weights, is_whole=False).interval()
    assert day is not None and segment is not None
    assert segment[0] < day[0] and day[1] <= segment[1]


@pytest.mark.parametrize("weights", [[1.0], [0.0, 1.0], [-1.0, 1.0]])
def test_impossible_weights_are_refused(weights: list[float]) -> None:
    """Nothing and less than nothing stand for no row."""
    with pytest.raises(ValueError):
        WeightedSums.of([1.0, 0.0], weights)


def test_nights_pool_by_the_answers_they_stand_for() -> None:
    """Not by how much is known of them: the mean of a week is that of its answers."""
    known, sampled = Sums.of([1.0] * 90 + [0.0] * 10), Sums.of([1.0] * 30 + [0.0] * 20)
    parts = proportioned([(known, 100.0), (sampled, 400.0)])
    merged = parts[0].merge(parts[1])
    assert merged.mean == pytest.approx((100 * 0.9 + 400 * 0.6) / 500, abs=0.005)
    assert merged.n == pytest.approx(1 / (0.2**2 / 100 + 0.8**2 / 50), abs=1)
    assert [part.mean for part in parts] == pytest.approx([0.9, 0.6])
    assert proportioned([(known, 100), (Sums(), 0)]) == [known, Sums()]
    assert proportioned([]) == []


def test_the_mix_is_that_of_the_answers_not_of_the_judged() -> None:
    """A small tenant of which more is judged keeps its small part in the report of a change."""
    cells = {
        "big": (Sums.of([1.0] * 45 + [0.0] * 5), 950.0),
        "small": (Sums.of([1.0] * 20 + [0.0] * 20), 50.0),
    }
    before = dict(zip(cells, proportioned(list(cells.values())), strict=True))
    assert before["small"].n < 5 < before["big"].n
    report = report_change(before, before)
    assert report.total == pytest.approx(0)
    merged = before["big"].merge(before["small"])
    assert merged.mean == pytest.approx(0.95 * 0.9 + 0.05 * 0.5, abs=0.03)


def test_a_night_knows_what_its_cells_stand_for() -> None:
    """What is not told stands for its own rows."""
    from datetime import date

    cell = Sums.of([1.0, 0.0])
    night = Night(date(2026, 10, 1), "f", cell, {"tenant": {"a": cell}}, {"": {"": 40.0}})
    assert (night.stands_for("", "", cell), night.stands_for("tenant", "a", cell)) == (40.0, 2.0)
    assert math.isclose(night.stands_for("none", "a", cell), 2)
