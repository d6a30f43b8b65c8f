"""The corrected rate: right in simulation, honest where labels are missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trace_core.trust import Stratum, corrected_rate, labels_to_ask_for

STRATA = st.lists(
    st.tuples(st.integers(0, 500), st.floats(0, 1), st.floats(0, 1)).map(
        lambda t: Stratum(t[0], int(t[0] * t[1]), int(int(t[0] * t[1]) * t[2]))
    ),
    max_size=5,
)


def simulate(
    rate: float, sensitivity: float, specificity: float, nights: int
) -> dict[str, tuple[float, float]]:
    """Coverage and mean width of three intervals: nights of 2,000 answers, 200 labels picked at random."""
    random = np.random.default_rng(7)
    found: dict[str, list[tuple[bool, float]]] = {"corrected": [], "labels": [], "raw": []}
    for _ in range(nights):
        true = random.random(2_000) < rate
        said = np.where(true, random.random(2_000) < specificity, random.random(2_000) >= sensitivity)
        picked = random.choice(2_000, 200, replace=False)
        strata = [
            Stratum(
                int((said == v).sum()),
                int((said[picked] == v).sum()),
                int(true[picked][said[picked] == v].sum()),
            )
            for v in (True, False)
        ]
        result = corrected_rate(strata)
        assert result.low is not None and result.high is not None
        alone = stats.binomtest(int(true[picked].sum()), 200).proportion_ci(method="wilson")
        share = float(said.mean())
        half = 1.96 * (share * (1 - share) / 2_000) ** 0.5
        for name, low, high in (
            ("corrected", result.low, result.high),
            ("labels", alone.low, alone.high),
            ("raw", share - half, share + half),
        ):
            found[name].append((low <= rate <= high, high - low))
    return {name: tuple(np.mean(rows, axis=0).tolist()) for name, rows in found.items()}


@pytest.mark.parametrize(
    ("rate", "sensitivity", "specificity"),
    [(0.9, 0.8, 0.95), (0.8, 0.6, 0.9), (0.95, 0.9, 0.97), (0.6, 0.95, 0.99)],
)
def test_the_interval_covers_the_true_rate_and_is_narrower_than_labels_alone(
    rate: float, sensitivity: float, specificity: float
) -> None:
    """93 to 97 nights of 100 of 2,000, with 200 labels; what the scorer says by itself is often wrong."""
    result = simulate(rate, sensitivity, specificity, nights=2_000)
    assert 0.93 <= result["corrected"][0] <= 0.97
    assert result["corrected"][1] < result["labels"][1]


def test_the_raw_rate_of_an_imperfect_scorer_is_wrong_on_most_nights() -> None:
    """Its interval is narrow, and beside the truth."""
    assert simulate(0.9, 0.8, 0.95, nights=300)["raw"][0] < 0.2


@given(STRATA)
@settings(max_examples=200, deadline=None)
def test_a_rate_lies_in_its_interval_or_has_a_reason(strata: list[Stratum]) -> None:
    """Whatever the strata, the result is in [0, 1] and ordered, or says why not."""
    result = corrected_rate(strata)
    if result.reason is None:
        assert result.rate is not None and result.low is not None and result.high is not None
        assert 0 <= result.low <= result.rate <= result.high <= 1
    else:
        assert (result.rate, result.low, result.high) == (None, None, None)


def test_a_stratum_nobody_looked_into_gives_no_rate() -> None:
    """Unlabelled is never taken to be all right, however small the stratum."""
    result = corrected_rate([Stratum(990, 200, 200), Stratum(10, 0, 0)])
    assert (result.rate, result.reason, result.labels) == (None, "stratum_without_label", 200)


def test_no_answer_gives_no_rate() -> None:
    """A night without data has no corrected rate."""
    assert corrected_rate([]).reason == "no_scored_answer"


def test_splitting_a_stratum_alike_changes_no_rate() -> None:
    """Two halves with the same share say what the whole says."""
    whole = corrected_rate([Stratum(1_000, 100, 90)])
    halves = corrected_rate([Stratum(500, 50, 45), Stratum(500, 50, 45)])
    assert whole.rate == pytest.approx(halves.rate)


def test_a_stratum_refuses_counts_that_cannot_be() -> None:
    """More labels than answers is a mistake of the caller."""
    with pytest.raises(ValueError, match="0 <= adherent <= labelled <= scored"):
        Stratum(10, 11, 5)


def test_a_confidence_outside_of_zero_and_one_is_refused() -> None:
    """It is named."""
    with pytest.raises(ValueError, match="confidence"):
        corrected_rate([Stratum(10, 5, 5)], confidence=1.0)


def test_labels_are_asked_for_where_they_shrink_the_interval_most() -> None:
    """A small uncertain stratum gets more than its share of answers."""
    sure, unsure = labels_to_ask_for([Stratum(9_000, 100, 99), Stratum(1_000, 20, 10)], 100)
    assert sure + unsure == 100
    assert 40 < unsure < 60


@given(STRATA, st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_no_more_labels_are_asked_for_than_there_are_answers(strata: list[Stratum], labels: int) -> None:
    """Nor more than people are willing to give."""
    asked = labels_to_ask_for(strata, labels)
    assert sum(asked) == min(labels, sum(s.scored - s.labelled for s in strata))
    assert all(0 <= a <= s.scored - s.labelled for a, s in zip(asked, strata, strict=True))


def test_the_first_label_goes_to_a_stratum_without_any() -> None:
    """As long as one has none there is no rate at all."""
    assert labels_to_ask_for([Stratum(5_000, 100, 50), Stratum(20, 0, 0)], 1) == [0, 1]
