"""The quality drop planted in the sample traffic, as the default scorer sees it."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import date
from statistics import fmean

import pytest

from trace_core.records import parse_log
from trace_core.scorers import DEFAULT_SCORER, get_scorer
from trace_pipeline.sample import SampleSettings, generate

SETTINGS = SampleSettings(
    date(2026, 9, 28), nights=9, logs_per_night=1_500, release_night=3, rollback_night=6, malformed_share=0.0
)
PHASES = ("before", "bad", "after")


@pytest.fixture(scope="module")
def means() -> Mapping[tuple[str, str, str], float]:
    """Mean by metric, tenant and phase; the tenants that are not hurt count as one."""
    scorer = get_scorer(DEFAULT_SCORER)
    values = defaultdict(list)
    for night in range(SETTINGS.nights):
        rows = [row for row in generate(SETTINGS, range(night, night + 1)) if row["response"]]
        for row, evaluation in zip(rows, scorer.score_many(map(parse_log, rows)), strict=True):
            tenant = "acme" if row["segments"]["tenant"] == "acme" else "others"
            for metric in ("adherence", "completeness", "relevance"):
                value = getattr(evaluation, metric)
                if value is not None:
                    values[metric, tenant, PHASES[night // 3]].append(value)
    return {key: fmean(found) for key, found in values.items()}


@pytest.mark.parametrize("tenant", ["acme", "others"])
def test_quality_is_good_while_all_is_well(means: Mapping[tuple[str, str, str], float], tenant: str) -> None:
    """Between 85 and 92 percent of the answers are grounded before the release and after the roll-back."""
    assert 0.85 <= means["adherence", tenant, "before"] <= 0.92
    assert 0.85 <= means["adherence", tenant, "after"] <= 0.92


def test_the_release_costs_one_tenant_25_points(means: Mapping[tuple[str, str, str], float]) -> None:
    """Adherence of acme falls by some 25 points."""
    fall = means["adherence", "acme", "before"] - means["adherence", "acme", "bad"]
    assert fall == pytest.approx(0.25, abs=0.04)


def test_the_release_does_not_touch_the_others(means: Mapping[tuple[str, str, str], float]) -> None:
    """Everybody has the release, only acme feels it."""
    fall = means["adherence", "others", "before"] - means["adherence", "others", "bad"]
    assert abs(fall) < 0.025


@pytest.mark.parametrize("metric", ["completeness", "relevance"])
def test_other_metrics_stay(means: Mapping[tuple[str, str, str], float], metric: str) -> None:
    """Completeness and relevance do not give the release away."""
    for tenant in ("acme", "others"):
        assert means[metric, tenant, "bad"] == pytest.approx(means[metric, tenant, "before"], abs=0.03)


def test_completeness_varies_between_answers() -> None:
    """Completeness has several values, it is not stuck; as documents are short, it is a share of few."""
    scorer = get_scorer(DEFAULT_SCORER)
    rows = [row for row in generate(SETTINGS, range(1)) if row["response"]]
    found = Counter(evaluation.completeness for evaluation in scorer.score_many(map(parse_log, rows)))
    assert len(found) > 5
    assert max(found.values()) < 0.9 * len(rows)


def test_everybody_runs_the_bad_release_while_it_is_live() -> None:
    """The version segment tells the release from the nights around it."""
    for night, version in ((2, "2.3.0"), (3, "2.4.0"), (5, "2.4.0"), (6, "2.3.0")):
        rows = generate(SETTINGS, range(night, night + 1))
        assert {row["segments"]["app_version"] for row in rows} == {version}
