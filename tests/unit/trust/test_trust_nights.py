"""A small part of what benchmarks.sampling publishes: nights judged in part hit the truth."""

from __future__ import annotations

import pytest

from benchmarks.sampling import Kind, kinds, simulate


@pytest.mark.parametrize(
    "kind",
    [
        Kind("judge", 2_000, 0.05, 0.9),
        Kind("judge", 2_000, 0.05, 0.97, budget=0.6, failed=0.05),
        Kind("hybrid", 2_000, 0.25, 0.9),
    ],
    ids=lambda kind: f"{kind.scorer} {kind.rate} {kind.budget}",
)
def test_the_estimate_is_unbiased_and_its_interval_holds(kind: Kind) -> None:
    """Over 400 nights, as chance allows so few; a budget that ends early and failures change nothing."""
    assert kind.share in {one.share for one in kinds()}
    found = simulate(kind, nights=400, seed=7)
    assert abs(found.bias) < 3 * found.error
    assert 0.92 <= found.covered <= 0.98
    assert found.segment_covered >= 0.92


def test_the_plain_mean_of_the_judged_would_be_wrong() -> None:
    """The doubted are judged more often: unweighted, a night looks worse than it is by points."""
    found = simulate(Kind("judge", 2_000, 0.05, 0.8), nights=100, seed=7)
    assert found.plain_bias < -0.02
