"""The watch on the scorer: the same frozen logs night by night."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np
import pytest

from benchmarks.anchor import judge_nights
from trace_core.drift.anchor import (
    ANCHOR_METRICS,
    MIN_NIGHTS,
    AnchorCheck,
    AnchorNight,
    check_anchors,
    shift_onsets,
)
from trace_core.drift.anchor_comparison import bennett_z, compare

FIRST = date(2026, 3, 1)
COUNT = 60


def night(number: int, values: Mapping[str, float], version: str = "v1", judged: int = COUNT) -> AnchorNight:
    """Return a night of adherence verdicts."""
    return AnchorNight(FIRST + timedelta(number), version, COUNT, judged, {"adherence": values})


def verdicts(unsupported: int) -> dict[str, float]:
    """Return the verdicts of a judge that finds the first anchors unsupported."""
    return {f"a{number:02d}": float(number >= unsupported) for number in range(COUNT)}


def adherence(*nights: AnchorNight) -> list[AnchorCheck]:
    """Return each night's check of adherence."""
    return [checks[0] for checks in check_anchors(nights)]


def states(*nights: AnchorNight) -> list[str]:
    """Return each night's state of adherence."""
    return [check.state for check in adherence(*nights)]


def test_ten_points_are_found_on_the_first_night_of_a_steady_judge() -> None:
    """The difference is stated with an interval around it, and the changed anchors are named."""
    found = adherence(*(night(n, verdicts(20)) for n in range(10)), night(10, verdicts(26)))[-1]
    assert found.state == "shifted"
    assert found.difference == pytest.approx(-0.1)
    assert found.low is not None and found.high is not None
    assert found.low < -0.1 < found.high < 0
    assert found.changed == tuple(f"a{number}" for number in range(20, 26))
    assert "-10.0 points" in found.text and "6 verdicts changed" in found.text


@pytest.mark.parametrize("flip_rate", [0.0, 0.01, 0.02])
def test_ten_points_are_found_within_two_nights(flip_rate: float) -> None:
    """Nearly always, if no more than one verdict in fifty varies; of others: docs/how-to/anchor.md."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(20):
        nights = judge_nights(rng, 32, flip_rate, shift=0.1, shift_night=30, metrics=("adherence",))
        found += "shifted" in [checks[0].state for checks in check_anchors(nights)][30:]
    assert found >= 18


def test_a_judge_that_only_varies_is_left_in_peace() -> None:
    """Forty nights of one verdict in fifty otherwise, ten times: hardly a shift."""
    rng = np.random.default_rng(6)
    shifted = sum(
        any(check.state == "shifted" for check in checks)
        for _ in range(10)
        for checks in check_anchors(judge_nights(rng, 40, 0.02))
    )
    assert shifted <= 1


def test_a_small_change_waits_for_the_next_night() -> None:
    """Five points are suspect at first; seen again they are a shift, gone again they were nothing."""
    usual = [night(n, verdicts(20)) for n in range(10)]
    weaker = verdicts(22)
    assert states(*usual, night(10, weaker), night(11, weaker))[-2:] == ["suspect", "shifted"]
    assert states(*usual, night(10, weaker), night(11, verdicts(20)))[-2:] == ["suspect", "ok"]


def test_a_suspect_night_is_not_confirmed_by_the_other_way() -> None:
    """Down on one night and up on the next is no shift."""
    usual = [night(n, verdicts(20)) for n in range(10)]
    assert states(*usual, night(10, verdicts(22)), night(11, verdicts(18)))[-2:] == ["suspect", "suspect"]


def test_verdicts_that_move_both_ways_are_a_shift_too() -> None:
    """The mean stays where it was, ten verdicts do not."""
    other = verdicts(20) | {f"a{n:02d}": 1.0 for n in range(5)} | {f"a{n}": 0.0 for n in range(30, 35)}
    found = adherence(*(night(n, verdicts(20)) for n in range(10)), night(10, other))[-1]
    assert found.state == "shifted"
    assert found.difference == 0
    assert "in both directions" in found.text
    assert len(found.changed) == 10


def test_a_shift_starts_the_baseline_anew() -> None:
    """The level after it is what is usual from then on."""
    nights = [*(night(n, verdicts(20)) for n in range(8)), *(night(n, verdicts(26)) for n in range(8, 16))]
    found = states(*nights)
    assert found[8] == "shifted"
    assert found[9:12] == ["learning"] * 3
    assert found[-1] == "ok"


def test_too_few_judged_anchors_are_no_data() -> None:
    """And the night is none of the baseline: what it said is not compared with."""
    nights = [*(night(n, verdicts(20)) for n in range(8)), night(8, verdicts(60), judged=47)]
    found = adherence(*nights, night(9, verdicts(20)))
    assert [check.state for check in found[-2:]] == ["no_data", "ok"]
    assert found[-2].text == "47 of 60 anchors were judged: no verdict on the scorer."
    assert states(night(0, {}, judged=0)) == ["no_data"]


def test_another_version_learns_anew() -> None:
    """Its first night has nothing to compare with, however much it differs."""
    nights = [*(night(n, verdicts(20)) for n in range(8)), night(8, verdicts(40), "v2")]
    found = adherence(*nights)[-1]
    assert (found.state, found.difference) == ("learning", None)


def test_anchors_that_come_and_go_are_left_out() -> None:
    """An easier or harder set is no other scorer."""
    usual = [night(n, verdicts(20)) for n in range(8)]
    fewer = {name: value for name, value in verdicts(20).items() if value} | {"new": 0.0}
    found = adherence(*usual, night(8, fewer, judged=50))[-1]
    assert (found.state, found.n, found.difference) == ("ok", 40, 0.0)


def test_nothing_is_suspected_before_the_noise_is_known() -> None:
    """In the first nights only a large shift is told."""
    few = [night(n, verdicts(20)) for n in range(MIN_NIGHTS - 1)]
    assert states(*few, night(9, verdicts(22)))[-1] == "learning"
    assert states(*few, night(9, verdicts(35)))[-1] == "shifted"


def test_verdicts_do_not_depend_on_later_nights() -> None:
    """The checks of a beginning are the beginning of the checks."""
    nights = judge_nights(np.random.default_rng(8), 30, 0.05, shift=0.1, shift_night=20)
    whole = check_anchors(nights)
    assert len(whole[0]) == len(ANCHOR_METRICS)
    for length in (1, 7, 21, 29):
        assert check_anchors(nights[:length]) == whole[:length]


def test_the_order_of_anchors_does_not_matter() -> None:
    """Whatever order the database gives them in."""
    nights = judge_nights(np.random.default_rng(9), 20, 0.05)
    draw = random.Random(1)

    def mixed(values: Mapping[str, float]) -> dict[str, float]:
        return dict(draw.sample(sorted(values.items()), len(values)))

    other = [
        AnchorNight(n.day, n.fingerprint, n.due, n.judged, {name: mixed(v) for name, v in n.values.items()})
        for n in nights
    ]
    assert check_anchors(other) == check_anchors(nights)


def test_onsets_begin_with_the_suspect_night() -> None:
    """A night without data between the two does not break it, another version does."""
    days = [FIRST + timedelta(n) for n in range(4)]
    suspect, nothing, shifted = ({"adherence": state} for state in ("suspect", "no_data", "shifted"))
    assert shift_onsets([(days[0], "v1", suspect), (days[1], "v1", nothing), (days[2], "v1", shifted)]) == [
        (days[0], days[2])
    ]
    assert shift_onsets([(days[0], "v1", suspect), (days[1], "v2", shifted)]) == [(days[1], days[1])]
    assert shift_onsets([(days[0], "v1", {"adherence": "ok"})]) == []


def test_numbers_of_the_comparison() -> None:
    """By hand: two anchors, of which one has changed; nothing without a common one."""
    found = compare([{"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 1.0}], {"a": 1.0, "b": 0.0})
    assert found is not None
    assert (found.n, found.nights, found.observed, found.expected, found.changed) == (2, 2, 0.5, 1, ("b",))
    assert compare([{"a": 1.0}], {"b": 1.0}) is None
    assert bennett_z(0.0, 1.0) == 0
    assert bennett_z(-3.0, 1.0) == -bennett_z(3.0, 1.0)
