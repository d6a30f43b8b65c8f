"""The change report, the coinciding releases and the volume check."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_nights import passed

from trace_core.aggregates import Sums
from trace_core.drift import coinciding_releases, judge_volume, report_change

counts = st.tuples(st.integers(0, 500), st.floats(0, 1)).map(lambda x: passed(x[0], round(x[0] * x[1])))
periods = st.dictionaries(st.sampled_from("abcdef"), counts, min_size=1).filter(
    lambda cells: sum(cell.n for cell in cells.values()) > 0
)


@given(before=periods, after=periods, shift=st.floats(-0.2, 0.2), day_variance=st.floats(0, 0.01))
def test_the_parts_of_a_change_sum_to_it(
    before: dict[str, Sums], after: dict[str, Sums], shift: float, day_variance: float
) -> None:
    """total = mix + within + scorer + noise, and the segments sum to each part."""
    report = report_change(before, after, shift, day_variance)
    mean = [sum(c.total for c in p.values()) / sum(c.n for c in p.values()) for p in (before, after)]
    assert report.total == pytest.approx(mean[1] - mean[0], abs=1e-12)
    assert report.mix + report.within + report.scorer + report.noise == pytest.approx(report.total, abs=1e-12)
    for part in ("mix", "within", "noise"):
        parts = sum(getattr(segment, part) for segment in report.segments)
        assert parts == pytest.approx(getattr(report, part), abs=1e-12)


def test_pure_mix_is_mix() -> None:
    """Same quality, other traffic: everything is mix."""
    report = report_change(
        {"a": passed(800, 720), "b": passed(200, 100)}, {"a": passed(400, 360), "b": passed(600, 300)}
    )
    assert report.mix == pytest.approx(report.total)
    assert report.within == report.noise == 0.0


def test_the_segment_that_broke_comes_first() -> None:
    """A quarter of the traffic loses 40 points: ten points within it, hardly any noise."""
    before = {"a": passed(750, 675), "b": passed(250, 225)}
    report = report_change(before, {"a": passed(750, 675), "b": passed(250, 125)})
    assert report.segments[0].value == "b"
    assert report.segments[0].within == pytest.approx(-0.1, abs=0.003)
    assert report.mix == pytest.approx(0.0, abs=1e-12)


def test_a_change_within_chance_is_noise() -> None:
    """One answer more or less of thirty is not a change of quality."""
    report = report_change({"a": passed(30, 27)}, {"a": passed(30, 26)})
    assert report.within == 0.0
    assert report.noise == pytest.approx(report.total)


def test_a_scorer_shift_is_set_apart() -> None:
    """A new scorer that is three points stricter explains three points."""
    report = report_change({"a": passed(10_000, 9_000)}, {"a": passed(10_000, 8_700)}, scorer_shift=-0.03)
    assert report.scorer == -0.03
    assert report.within + report.noise == pytest.approx(0.0, abs=1e-12)


def test_a_period_without_logs_is_refused() -> None:
    """There is no change from nothing."""
    with pytest.raises(ValueError, match="logs"):
        report_change({"a": Sums()}, {"a": passed(10, 9)})


def test_a_release_is_the_value_that_is_new_near_the_onset() -> None:
    """Not the old version, not one that came weeks ago, not one with a trickle of traffic."""
    days = [date(2026, 3, 1) + timedelta(i) for i in range(30)]
    versions = {
        "1.0": [80.0] * 30,
        "1.1": [0.0] * 5 + [15.0] * 25,
        "1.2": [0.0] * 18 + [1.0] + [40.0] * 11,
        "canary": [0.0] * 19 + [1.0] * 11,
    }
    found = coinciding_releases(days, [100.0] * 30, versions, days[20], slack_nights=2, min_share=0.05)
    assert [release.value for release in found] == ["1.2"]
    assert found[0].first_day == days[19]
    assert found[0].share == pytest.approx(0.4)


def test_half_the_usual_traffic_is_told() -> None:
    """Compared with the same weekday; a quiet weekend is usual, an empty night is no data."""
    history = [(date(2026, 3, 2) + timedelta(i), 100 if i % 7 >= 5 else 400) for i in range(28)]
    monday, saturday = date(2026, 3, 30), date(2026, 4, 4)
    assert judge_volume(history, monday, 150).state == "low"
    assert judge_volume(history, monday, 380).state == "ok"
    assert judge_volume(history, saturday, 95).state == "ok"
    assert judge_volume(history, monday, 0).state == "no_data"
    assert judge_volume(history[:10], monday, 380).state == "learning"
    assert judge_volume([(day, 4) for day, _ in history], monday, 1).state == "ok"
