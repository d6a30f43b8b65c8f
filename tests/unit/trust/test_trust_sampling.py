"""Weighted samples: the same logs each time, unbiased means, intervals that hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.trust import sampling_number, weighted_mean


def test_a_log_gets_the_same_number_in_every_run_and_process() -> None:
    """The number depends on id and salt alone, whatever the hash seed of the process."""
    assert sampling_number("log-1") == pytest.approx(0.891416, abs=1e-6)
    assert sampling_number("log-1", "judge") != sampling_number("log-1")


def test_numbers_are_spread_evenly() -> None:
    """Of 20,000 ids in a row about one in twenty lies below 0.05, in each block."""
    numbers = np.array([sampling_number(f"log-{i}") for i in range(20_000)])
    assert abs((numbers < 0.05).mean() - 0.05) < 0.005
    assert np.abs(np.histogram(numbers, 20, (0, 1))[0] / 1_000 - 1).max() < 0.12


@given(st.text(max_size=20))
def test_any_id_has_a_number(log_id: str) -> None:
    """Also one with a lone surrogate, which never gets in elsewhere."""
    assert 0 <= sampling_number(log_id + "\ud800") < 1


@pytest.mark.parametrize("rate", [0.7, 0.9, 0.97])
def test_a_five_per_cent_sample_is_unbiased_and_its_interval_covers(rate: float) -> None:
    """2,000 samples of a night of 4,000, three times as likely where an answer is doubted."""
    random = np.random.default_rng(3)
    means, covered = [], []
    for _ in range(2_000):
        good = random.random(4_000) < rate
        doubted = random.random(4_000) < np.where(good, 0.1, 0.7)
        inclusion = np.where(doubted, 0.12, 0.04)
        inside = random.random(4_000) < inclusion
        result = weighted_mean(good[inside].tolist(), inclusion[inside].tolist())
        assert result.mean is not None and result.low is not None and result.high is not None
        means.append(result.mean - good.mean())
        covered.append(result.low <= good.mean() <= result.high)
    assert abs(np.mean(means)) < 3 * np.std(means) / len(means) ** 0.5 + 0.0015
    assert 0.93 <= np.mean(covered) <= 0.97


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_with_everything_sampled_it_is_the_plain_mean(values: list[float]) -> None:
    """And the interval is that of a plain mean."""
    result = weighted_mean(values, [1.0] * len(values))
    assert result.mean == pytest.approx(np.mean(values))
    assert result.low is not None and result.high is not None
    assert 0 <= result.low <= result.high <= 1
    if np.std(values) > 1e-6:
        assert result.effective == pytest.approx(len(values))


def test_a_sample_of_nothing_has_no_mean() -> None:
    """Unmeasured is never 0."""
    assert weighted_mean([], []).mean is None


@pytest.mark.parametrize("inclusion", [[0.0], [1.5], [0.5, 0.5]])
def test_impossible_probabilities_are_refused(inclusion: list[float]) -> None:
    """Zero, more than one, or not one a value."""
    with pytest.raises(ValueError, match="inclusion"):
        weighted_mean([1.0], inclusion)
