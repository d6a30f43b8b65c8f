"""The probabilities with which an expensive scorer's sample is drawn."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.trust.sampling import Room, inclusion_probabilities

ANSWERS = st.lists(
    st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.sampled_from("abc"), st.integers(1, 9)), max_size=60
)
RATES = st.floats(0.01, 1)


def planned(answers: list[tuple[float | None, str, int]], rate: float, least: float = 0) -> list[float]:
    """Return the probabilities of answers (chance, stratum, cost) without a limit of cost."""
    return inclusion_probabilities([a[0] for a in answers], [a[1] for a in answers], rate, least)


@given(answers=ANSWERS, rate=RATES, least=st.floats(0, 30), most=st.floats(0, 200))
def test_each_probability_is_above_zero_and_at_most_one(
    answers: list[tuple[float | None, str, int]], rate: float, least: float, most: float
) -> None:
    """Whatever is asked for, also with no room at all."""
    room = Room([a[2] for a in answers], most)
    found = inclusion_probabilities([a[0] for a in answers], [a[1] for a in answers], rate, least, [room])
    assert len(found) == len(answers)
    assert all(0 < p <= 1 for p in found)


@given(answers=ANSWERS, rate=RATES)
def test_without_floor_and_limit_the_rate_is_met_on_average(
    answers: list[tuple[float | None, str, int]], rate: float
) -> None:
    """The probabilities add up to the wanted number of answers."""
    assert fsum(planned(answers, rate)) == pytest.approx(rate * len(answers), rel=1e-9)


@given(answers=ANSWERS, rate=RATES, least=st.floats(0, 30))
def test_each_stratum_gets_its_least_or_all_of_it(
    answers: list[tuple[float | None, str, int]], rate: float, least: float
) -> None:
    """A small tenant is looked into as well, and a floor lowers nobody's probability."""
    without, found = planned(answers, rate), planned(answers, rate, least)
    assert all(p >= q - 1e-12 for p, q in zip(found, without, strict=True))
    for stratum in {a[1] for a in answers}:
        members = [p for p, a in zip(found, answers, strict=True) if a[1] == stratum]
        assert fsum(members) >= min(least, len(members)) - 1e-9


@given(answers=ANSWERS.filter(bool), rate=RATES, least=st.floats(0, 30), share=st.floats(0.05, 0.95))
def test_a_budget_makes_all_smaller_by_one_factor(
    answers: list[tuple[float | None, str, int]], rate: float, least: float, share: float
) -> None:
    """What is spent on average fits, and answers keep their proportions; the tightest limit decides."""
    free = planned(answers, rate, least)
    costs = [float(a[2]) for a in answers]
    most = share * fsum(c * p for c, p in zip(costs, free, strict=True))
    rooms = [Room(costs, most), Room([1.0] * len(costs), 1e9)]
    found = inclusion_probabilities([a[0] for a in answers], [a[1] for a in answers], rate, least, rooms)
    assert fsum(c * p for c, p in zip(costs, found, strict=True)) == pytest.approx(most, rel=1e-6)
    assert found == pytest.approx([p * share for p in free], rel=1e-6)


@given(answers=ANSWERS, least=st.floats(0, 30))
def test_all_are_in_when_all_are_wanted_and_paid_for(
    answers: list[tuple[float | None, str, int]], least: float
) -> None:
    """Exactly 1, so that the weights are exactly 1 too."""
    chances, strata, costs = zip(*answers, strict=True) if answers else ((), (), ())
    rooms = [Room(costs, float(sum(costs)))]
    assert set(inclusion_probabilities(chances, strata, 1.0, least, rooms)) <= {1.0}


@given(answers=ANSWERS, rate=RATES, least=st.floats(0, 30), order=st.randoms(use_true_random=False))
def test_the_order_of_the_answers_changes_nothing(
    answers: list[tuple[float | None, str, int]], rate: float, least: float, order: object
) -> None:
    """Each answer has the same probability wherever it stands."""
    shuffled = list(range(len(answers)))
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    found = planned(answers, rate, least)
    again = planned([answers[at] for at in shuffled], rate, least)
    assert again == [found[at] for at in shuffled]


def test_doubt_raises_the_chance_and_certainty_never_ends_it() -> None:
    """0.5 is the likeliest; what is sure has a fifth of that, whether sure of good or of bad."""
    found = planned([(0.5, "a", 1), (0.9, "a", 1), (1.0, "a", 1), (0.0, "a", 1), (None, "a", 1)], 0.2)
    assert found[0] == found[4] > found[1] > found[2] == found[3]
    assert found[0] / found[2] == pytest.approx(5)


def test_wrong_arguments_are_refused() -> None:
    """Unequal lengths and an impossible rate."""
    for arguments in (([0.5], [], 0.1), ([0.5], ["a"], 0.0), ([0.5], ["a"], 1.5)):
        with pytest.raises(ValueError, match="must be"):
            inclusion_probabilities(*arguments)  # type: ignore[arg-type]
