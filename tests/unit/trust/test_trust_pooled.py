"""A night's rate from a window's labels: groups that hold a label, valid intervals, honest gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core.trust import Stratum, corrected_rate, labels_to_ask_for
from trace_core.trust.pooled import STRATA, Labelled, groups_of, night_rate, stratum_of

LABELLED = st.tuples(st.integers(0, 60), st.floats(0, 1)).map(lambda t: Labelled(t[0], int(t[0] * t[1])))


@pytest.mark.parametrize(
    ("adherent", "probability", "stratum"),
    [(True, 0.9, 3), (True, 0.89, 2), (True, None, 3), (False, 0.6, 1), (False, 0.59, 0), (False, None, 0)],
)
def test_an_answer_has_the_stratum_of_its_verdict_and_probability(
    adherent: bool, probability: float | None, stratum: int
) -> None:
    """The bounds belong to the upper stratum; without a probability the verdict counts as sure."""
    assert stratum_of(adherent, probability) == stratum


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4), st.lists(LABELLED, min_size=4, max_size=4))
@settings(max_examples=200, deadline=None)
def test_every_answer_is_in_one_group_with_a_label(sizes: list[int], labels: list[Labelled]) -> None:
    """As long as there is a label at all; the rate lies in its interval, or says why there is none."""
    groups = groups_of(sizes, labels)
    places = [k for group in groups for k in group]
    assert len(places) == len(set(places))
    assert {k for k, size in enumerate(sizes) if size} <= set(places)
    if any(label.n for label in labels):
        assert all(sum(labels[k].n for k in group) for group in groups)
    found = night_rate(sizes, labels, max(1, sum(sizes)))
    if found.reason is None:
        assert found.rate is not None and found.low is not None and found.high is not None
        assert 0 <= found.low <= found.rate <= found.high <= 1
    else:
        assert (found.reason == "no_scored_answer") == (sum(sizes) == 0)


def test_with_the_night_s_own_labels_it_is_the_corrected_rate() -> None:
    """The same strata, sizes and labels give the same interval."""
    own = corrected_rate([Stratum(200, 50, 20), Stratum(1_800, 150, 147)])
    found = night_rate(
        [200, 0, 0, 1_800], [Labelled(50, 20), *[Labelled(0, 0)] * 2, Labelled(150, 147)], 2_000
    )
    assert (found.low, found.rate, found.high) == pytest.approx((own.low, own.rate, own.high))


def test_a_few_unequal_weights_still_give_an_interval() -> None:
    """One answer that stands for nearly all others: wide, and within [0, 1]."""
    found = night_rate([1_000, 100, 0, 0], [Labelled(1, 0), Labelled(1, 1), *[Labelled(0, 0)] * 2], 1.1)
    assert found.low is not None and found.high is not None
    assert found.high - found.low > 0.5


def test_wrong_arguments_are_refused() -> None:
    """They are mistakes of the caller."""
    with pytest.raises(ValueError, match="equal length"):
        night_rate([1], [], 1)
    with pytest.raises(ValueError, match="confidence"):
        night_rate([1], [Labelled(1, 1)], 1, confidence=0)
    with pytest.raises(ValueError, match="adherent <= n"):
        Labelled(1, 2)


def _cover(drift: float, nights: int = 300) -> float:
    """How often the last of 28 nights is covered, with 8 labels a night; the true rate falls by `drift`."""
    random = np.random.default_rng(11)
    covered = 0
    for _ in range(nights):
        labels = np.zeros((2, 4), dtype=int)
        for rate in np.linspace(0.9, 0.9 - drift, 28):
            true = random.random(500) < rate
            said = np.where(true, random.random(500) < 0.97, random.random(500) >= 0.85)
            strata = np.array([3 if s else 0 for s in said])
            picked = random.choice(500, 8, replace=False)
            np.add.at(labels, (np.where(true[picked], 1, 0), strata[picked]), 1)
        sizes = np.bincount(strata, minlength=4).tolist()
        found = night_rate(sizes, [Labelled(int(b + g), int(g)) for b, g in labels.T], 500)
        assert found.low is not None and found.high is not None
        covered += found.low <= rate <= found.high
    return covered / nights


def test_a_window_of_labels_covers_a_steady_night_and_lags_behind_a_drift() -> None:
    """As docs/metrics/corrected.md says: valid while quality is steady, too slow where it falls."""
    assert 0.92 <= _cover(0.0) <= 0.98
    assert _cover(0.3) < 0.9


def test_the_queue_asks_by_the_strata_of_the_window() -> None:
    """The names of the strata are four, and each may be asked for."""
    assert len(STRATA) == 4
    assert sum(labels_to_ask_for([Stratum(100, 0, 0)] * 4, 20)) == 20
