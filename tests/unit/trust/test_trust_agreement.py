"""Agreement with people: by hand, and where it is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from trace_core.trust import agreement


def test_kappa_is_worked_out_by_hand() -> None:
    """20 of 50 both good, 15 both bad, 5 and 10 apart: observed .7, by chance .5, kappa .4."""
    said = [True] * 25 + [False] * 25
    true = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    result = agreement(said, true)
    assert (result.good_good, result.good_bad, result.bad_good, result.bad_bad) == (20, 5, 10, 15)
    assert result.kappa == pytest.approx(0.4)
    assert result.kappa_interval is not None
    assert result.kappa_interval[0] == pytest.approx(0.4 - 1.96 * 0.1266, abs=0.02)
    assert result.sensitivity == pytest.approx(0.75)
    assert result.specificity == pytest.approx(20 / 30)


def test_kappa_interval_covers_in_simulation() -> None:
    """95 of 100 samples of 150 answers, within what 500 samples can tell."""
    random = np.random.default_rng(5)
    population = random.random(200_000) < 0.8
    said = np.where(population, random.random(200_000) < 0.9, random.random(200_000) < 0.3)
    truth = agreement(said.tolist(), population.tolist()).kappa
    covered = []
    for _ in range(500):
        picked = random.choice(200_000, 150)
        interval = agreement(said[picked].tolist(), population[picked].tolist()).kappa_interval
        assert truth is not None and interval is not None
        covered.append(interval[0] <= truth <= interval[1])
    assert 0.92 <= np.mean(covered) <= 0.975


def test_auroc_counts_ties_as_half() -> None:
    """Two good and two bad answers with one tie: 3.5 of 4 pairs in order."""
    result = agreement([True] * 4, [True, True, False, False], [0.9, 0.5, 0.5, 0.1])
    assert result.auroc == pytest.approx(0.875)
    assert result.auroc_interval is not None and result.auroc_interval[1] == 1.0


def test_a_scorer_that_always_says_the_same_as_everybody_has_no_kappa() -> None:
    """Agreement beyond chance is undefined where chance explains everything."""
    assert agreement([True] * 5, [True] * 5).kappa is None


def test_without_labels_everything_is_undefined() -> None:
    """Not zero."""
    result = agreement([], [])
    undefined = (result.kappa, result.sensitivity, result.specificity, result.auroc, result.brier)
    assert (result.n, undefined, result.reliability) == (0, (None,) * 5, ())


def test_answers_without_probability_are_left_out_of_calibration_only() -> None:
    """The confusion counts all four, Brier score and bins three."""
    result = agreement([True] * 4, [True, False, True, True], [0.9, 0.6, None, 0.95])
    assert result.n == 4
    assert result.brier == pytest.approx((0.01 + 0.36 + 0.0025) / 3)
    assert [row[2] for row in result.reliability] == [1, 2]


def test_a_single_bad_answer_gives_auroc_without_interval() -> None:
    """One answer has no spread."""
    result = agreement([True, True], [True, False], [0.9, 0.1])
    assert (result.auroc, result.auroc_interval) == (1.0, None)


def test_sequences_must_be_of_equal_length() -> None:
    """Pairs that do not match are a mistake of the caller."""
    with pytest.raises(ValueError, match="equal length"):
        agreement([True], [True, False])
