"""The parts of the drift watch, each against a formula, another library or a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_nights import make_nights
from scipy.stats import false_discovery_control, norm
from scipy.stats import t as student

from trace_core.drift.autocorrelation import shrink_correlation, variance_inflation
from trace_core.drift.baseline import fit
from trace_core.drift.history import History
from trace_core.drift.levels import estimate_levels
from trace_core.drift.segments import false_discovery_adjust
from trace_core.drift.settings import DriftSettings
from trace_core.drift.split import split_nights
from trace_core.drift.tails import degrees_of_freedom, normal_score
from trace_core.drift.variance import Moments, believe, day_variance
from trace_core.drift.weekday import estimate_weekday, indicator
from trace_core.errors import ConfigurationError


def remember(nights: int, measures: int = 1, keep: int = 148) -> History:
    history = History(measures, keep)
    for night in make_nights(nights, lambda t, s: 0.8 if s == "a" else 0.9, {"a": 50.0, "b": 90.0}):
        history.push(night, accepted=True)
    return history


def test_within_and_mix_add_up_to_the_change_from_the_levels() -> None:
    """W_t + M_t is the night's mean minus the level of the baseline's traffic, exactly."""
    history = remember(40)
    levels = estimate_levels(history.n, history.total, history.squares, np.ones(40), 20.0)
    split = split_nights(
        history.n, history.traffic, history.total, levels, levels.n, history.columns_of("tenant")
    )
    columns = history.columns_of("tenant")
    reference = levels.level[0, columns] @ (levels.n[columns] / levels.n[0])
    change = history.total[0, :, 0] / history.n[:, 0] - reference
    assert split.residual[0, :, 0] + split.mix[0] == pytest.approx(change, abs=1e-12)


def test_without_a_dimension_all_change_is_within() -> None:
    """No segments, no mix."""
    history = remember(30)
    levels = estimate_levels(history.n, history.total, history.squares, np.ones(30), 20.0)
    split = split_nights(
        history.n, history.traffic, history.total, levels, levels.n, np.zeros(0, dtype=np.int64)
    )
    assert not split.mix.any()
    assert split.residual[0, :, 0] @ history.n[:, 0] == pytest.approx(0.0, abs=1e-9)


def test_a_level_is_shrunk_to_the_total_and_a_variance_is_never_zero() -> None:
    """(sum + 20 mu) / (n + 20); all 1.0 leaves the variance of a rare failure."""
    n = np.array([[110.0, 100.0, 10.0]])
    total = np.array([[[100.0, 90.0, 10.0]]])
    levels = estimate_levels(n, total, total, np.ones(1), 20.0)
    mu = 100 / 110
    assert levels.level[0] == pytest.approx([mu, (90 + 20 * mu) / 120, (10 + 20 * mu) / 30])
    perfect = estimate_levels(n, n[None], n[None], np.ones(1), 20.0)
    assert (perfect.variance > 0).all()


def test_a_weekday_effect_in_noise_is_not_believed_and_a_clear_one_is() -> None:
    """B is near 0 for pure noise on average and near 1 for an effect of five standard errors."""
    rng = np.random.default_rng(5)
    weekday = indicator(np.arange(70))
    noise = rng.standard_normal((1, 70, 400))
    weight = np.ones_like(noise)
    assert estimate_weekday(noise, weight, weekday).belief.mean() < 0.25
    rhythm = noise + 5.0 * weekday[5][None, :, None]
    clear = estimate_weekday(rhythm, weight, weekday)
    assert clear.belief[0, 0] > 0.9
    assert clear.effect[0, :, 0].argmax() == 5


def test_the_day_to_day_variance_is_unbiased() -> None:
    """Moment estimates of 400 simulated series average to the true tau^2, at uneven sampling variances."""
    rng = np.random.default_rng(6)
    variance = rng.uniform(0.5, 3.0, (1, 60, 400))
    residual = rng.standard_normal((1, 60, 400)) * np.sqrt(variance + 0.7)
    weekday = indicator(np.arange(60))
    moments = day_variance(residual, 1.0 / variance, np.zeros((1, 400)), weekday)
    assert moments.tau2.mean() == pytest.approx(0.7, abs=0.05)


def test_no_observed_scatter_does_not_prove_that_days_are_alike() -> None:
    """The believed tau^2 is above an estimate of 0 and tends to a large one; degrees likewise to m - 1."""
    moments = Moments(np.array([[-0.2, 0.0, 50.0]]), np.full((1, 3), 54.0), np.full((1, 3), 54.0))
    believed = believe(moments)
    assert 0 < believed.tau2[0, 0] < believed.tau2[0, 1]
    assert believed.tau2[0, 2] == pytest.approx(50.0, rel=0.01)
    assert believed.degrees[0, 2] == pytest.approx(54.0, rel=0.05)
    assert believed.degrees[0, 1] > 100


@given(phi=st.floats(0, 0.9), share=st.floats(0, 1), window=st.integers(1, 28))
def test_the_closed_form_of_the_inflation_is_the_sum(phi: float, share: float, window: int) -> None:
    """VIF_w = 1 + share 2 sum (1 - i/w) phi^i."""
    direct = 1 + share * 2 * sum((1 - i / window) * phi**i for i in range(1, window))
    closed = variance_inflation(np.array([phi]), np.array([share]), np.array([float(window)]))[0, 0]
    assert closed == pytest.approx(direct, rel=1e-9)


def test_a_correlation_is_shrunk_and_bounded() -> None:
    """Noise-sized ones nearly vanish, large ones stay, negative ones count as none."""
    rho = shrink_correlation(np.array([[-0.4, 0.1, 0.6, 2.0]]), np.ones((1, 4)), 60.0, 0.9)[0]
    assert rho[0] == 0.0
    assert rho[1] < 0.1
    assert rho[2] == pytest.approx(0.6, abs=0.05)
    assert rho[3] <= 0.9


def test_a_normal_score_has_the_tail_of_the_t_law() -> None:
    """Same tail probability, same sign, finite in the far tail."""
    t, degrees = np.array([-3.0, 2.0, 1e9]), np.array([8.0, 30.0, 50.0])
    z = normal_score(t, degrees)
    assert norm.sf(np.abs(z[:2])) == pytest.approx(student.sf(np.abs(t[:2]), degrees[:2]))
    assert z[0] < 0 < z[1]
    assert np.isfinite(z).all()
    assert degrees_of_freedom(np.array([1.0]), np.array([50.0]), np.array([1.0, 28.0]))[0] == pytest.approx(
        [10.0, 50.0]
    )


@given(st.lists(st.floats(1e-12, 1.0), min_size=1, max_size=40))
def test_false_discovery_adjustment_is_benjamini_hochberg(p: list[float]) -> None:
    """The same numbers as scipy's."""
    values = np.array(p)
    assert false_discovery_adjust(values) == pytest.approx(false_discovery_control(values))


def test_memory_is_bounded_and_keeps_the_newest_nights() -> None:
    """After five years the kept nights are the last ones, with their sums."""
    history = remember(1_500)
    assert len(history) == 148
    again = remember(1_500, keep=148)
    assert (history.days == again.days).all()
    assert history.days[-1] - history.days[0] == 147
    assert history.n[:, 0] == pytest.approx(history.n[:, 1:].sum(axis=1))


def test_the_first_baseline_needs_fourteen_nights_that_are_a_week_old() -> None:
    """20 nights: none. 21 nights: 14 baseline nights."""
    settings = DriftSettings()
    columns = np.array([1, 2])
    assert fit(remember(20), columns, settings) is None
    baseline = fit(remember(21), columns, settings)
    assert baseline is not None
    assert baseline.usable == 14


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"threshold": 0.0}, "drift.threshold"),
        ({"floor": -0.1}, "drift.floor"),
        ({"direction": 2}, "drift.direction"),
        ({"windows_nights": (3, 1)}, "drift.windows_nights"),
        ({"windows_nights": (1, 40)}, "drift.windows_nights"),
        ({"overrides": {"adherence": {"treshold": 3.0}}}, "treshold"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(wrong: dict[str, object], named: str) -> None:
    """The message names the setting."""
    with pytest.raises(ConfigurationError, match=named):
        DriftSettings(**wrong)  # type: ignore[arg-type]
