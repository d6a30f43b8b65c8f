"""The plan of a batch: probabilities, what is owed, and the order of asking."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.trust.sampling import sampling_number
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.contracts import Usage
from trace_pipeline.judges.selection import Candidate, calls_of, is_drawn, select
from trace_pipeline.source import Entry

START = datetime(2026, 10, 1, tzinfo=UTC)


def candidate(n: int, **fields: Any) -> Candidate:
    """Return a doubtful log that takes one call of 5,000 tokens."""
    entry = Entry(START + timedelta(seconds=n), f"log-{n}", f"hash-{n}", 100)
    return Candidate(**{"entry": entry, "chance": 0.5, "stratum": "", "most": Usage(1_000, 4_000), **fields})


def settings(**fields: Any) -> JudgeSettings:
    """Return settings without a limit or a floor but the given ones."""
    return JudgeSettings(**{"calls_per_night": None, "sampling_least": 0, **fields})


@given(many=st.integers(0, 80), rate=st.floats(0.05, 1), order=st.randoms(use_true_random=False))
def test_the_drawn_are_asked_in_the_order_of_a_growing_rate(many: int, rate: float, order: Any) -> None:
    """Whatever the order of reading: the first k of the plan are those that some lower rate draws."""
    candidates = [candidate(n) for n in range(many)]
    order.shuffle(candidates)
    plan = select(candidates, rate, settings(), 1.0)
    assert [e.log_id for e in plan.drawn] == sorted(
        (str(c.entry.log_id) for c in candidates if is_drawn(c.entry.log_id, plan.probabilities[c.entry])),
        key=lambda log_id: sampling_number(log_id, "judge"),
    )


def test_what_is_owed_keeps_its_probability_and_comes_off_the_budget() -> None:
    """Ten owed logs leave ten of twenty calls to the forty new ones."""
    owed = [candidate(n, drawn=0.8) for n in range(10)]
    fresh = [candidate(n) for n in range(10, 50)]
    plan = select([*owed, *fresh], 1.0, settings(calls_per_night=20), 1.0)
    assert {plan.probabilities[c.entry] for c in owed} == {0.8}
    assert sum(plan.probabilities[c.entry] for c in fresh) == pytest.approx(10)


@pytest.mark.parametrize(
    ("limits", "usual", "expected"),
    [
        ({"calls_per_night": 40}, None, 20),
        ({"tokens_per_night": 100_000}, None, 10),
        ({"tokens_per_night": 100_000}, Usage(1_000, 1_500), 20),
        ({"money_per_night": 1.0, "price_per_million_input_tokens": 50.0}, None, 10),
        ({"calls_per_night": 60, "tokens_per_night": 100_000}, None, 10),
        ({"calls_per_night": 1_000}, None, 50),
    ],
)
def test_the_tightest_limit_decides(limits: dict[str, Any], usual: Usage | None, expected: float) -> None:
    """Half of a night plans with half of its limits; calls known from earlier nights take what they took."""
    plan = select([candidate(n) for n in range(50)], 1.0, settings(**limits), 0.5, usual)
    assert sum(plan.probabilities.values()) == pytest.approx(expected)


def test_each_value_of_the_segment_has_its_part_of_the_least() -> None:
    """Half of a night asks about half of the least of each value."""
    candidates = [candidate(n, stratum="large") for n in range(96)]
    candidates += [candidate(n, stratum="small") for n in range(96, 100)]
    plan = select(candidates, 0.05, settings(sampling_least=6), 0.5)
    small = [plan.probabilities[c.entry] for c in candidates if c.stratum == "small"]
    assert sum(small) == pytest.approx(3)


def test_a_log_takes_a_call_a_window() -> None:
    """One that cannot be asked takes none."""
    one = settings(answer_tokens=500)
    assert [calls_of(Usage(9_000, 500 * windows), one) for windows in (0, 1, 3)] == [0, 1, 3]
