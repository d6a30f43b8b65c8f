"""Everything the scan needs to know about the accepted nights, estimated once a night."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_core.drift.arrays import Floats, Integers, divide
from trace_core.drift.autocorrelation import (
    day_correlation,
    lag_products,
    shrink_correlation,
    variance_inflation,
)
from trace_core.drift.history import History
from trace_core.drift.levels import Levels, estimate_levels
from trace_core.drift.settings import DriftSettings
from trace_core.drift.split import Split, split_nights
from trace_core.drift.tails import excess_kurtosis
from trace_core.drift.variance import DayVariance, believe, day_variance, shrink_segments
from trace_core.drift.weekday import estimate_weekday, indicator

FOREVER = np.array([1e6])


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Residuals of all kept nights, free of mix and weekday, and their precision.

    `residual` and `precision` (1 / (V + tau^2), 0 where there are no logs) are (measures, nights, series),
    `weekday_effect` (measures, 7, series), `belief` in it (measures, series), `days` the day-to-day variance.
    """

    levels: Levels
    split: Split
    residual: Floats
    precision: Floats
    weekday_effect: Floats
    belief: Floats
    days: DayVariance


@dataclass(frozen=True, slots=True)
class Baseline:
    """Estimates of one night; arrays are (measures, series) unless said otherwise.

    The accepted ones of the oldest `usable` nights are the baseline. `mean` is their weighted mean residual,
    `mean_variance` its variance, `level_variance` what the uncertain levels add alone, `degrees` the degrees
    of freedom of a night's variance, `nights` (series,) the nights with logs, `rho` the lag-1 correlation,
    `phi` that of the day effects, `day_share` their part of the variance, `kappa` the excess kurtosis.
    """

    usable: int
    adjusted: Adjusted
    rho: Floats
    phi: Floats
    day_share: Floats
    kappa: Floats
    mean: Floats
    mean_variance: Floats
    level_variance: Floats
    degrees: Floats
    nights: Floats


def is_young(nights: int, settings: DriftSettings) -> bool:
    """Whether so few nights since the start or the last reset are known that the rules are stricter."""
    return nights < settings.young_until_nights


def baseline_age(nights: int, settings: DriftSettings) -> int:
    """Nights between baseline and tonight: a share of those there are, within its bounds."""
    age = int(settings.baseline_age_share * nights)
    return min(max(age, settings.young_min_age_nights), settings.baseline_min_age_nights)


def fit(history: History, mix_columns: Integers, settings: DriftSettings) -> Baseline | None:
    """Estimate the baseline, or None while there are fewer than `baseline_min_nights` accepted nights."""
    usable = len(history) - baseline_age(len(history), settings)
    if usable <= 0 or history.accepted[:usable].sum() < settings.baseline_min_nights:
        return None
    accepted = history.accepted[:usable].astype(np.float64)
    return _standardise(_adjust(history, accepted, mix_columns, settings), accepted, settings)


def _adjust(history: History, accepted: Floats, mix_columns: Integers, settings: DriftSettings) -> Adjusted:
    n, total, squares, usable = history.n, history.total, history.squares, len(accepted)
    levels = estimate_levels(
        n[:usable], total[:, :usable], squares[:, :usable], accepted, settings.level_prior_logs
    )
    traffic = history.traffic
    split = split_nights(n, traffic, total, levels, accepted @ traffic[:usable], mix_columns)
    weight = split.precision[:, :usable] * accepted[:, None]
    weekday = indicator(history.days)
    rhythm = estimate_weekday(split.residual[:, :usable], weight, weekday[:, :usable])
    residual = split.residual - weekday.T @ rhythm.effect
    moments = day_variance(residual[:, :usable], weight, rhythm.belief, weekday[:, :usable])
    days = believe(shrink_segments(moments, settings.segment_tau_prior_nights))
    precision = split.precision / (1.0 + days.tau2[:, None] * split.precision)
    return Adjusted(levels, split, residual, precision, rhythm.effect, rhythm.belief, days)


def _standardise(adjusted: Adjusted, accepted: Floats, settings: DriftSettings) -> Baseline:
    """The baseline's mean, and autocorrelation and tails of residuals in units of their deviation."""
    usable = len(accepted)
    weight = adjusted.precision[:, :usable] * accepted[:, None]
    sum_w = weight.sum(axis=1)
    mean = divide((weight * adjusted.residual[:, :usable]).sum(axis=1), sum_w)
    score = (adjusted.residual[:, :usable] - mean[:, None]) * np.sqrt(weight)
    present = (weight[0] > 0).astype(np.float64)
    nights = present.sum(axis=0)
    rho = _correlation(score, present, settings.max_autocorrelation)
    day_share = np.minimum(adjusted.days.tau2 * divide(sum_w, nights), 1.0)
    prior = settings.kurtosis_prior * day_share**2
    kappa = excess_kurtosis(score, nights, prior, settings.kurtosis_prior_nights)
    phi = day_correlation(rho, day_share, settings.max_autocorrelation)
    forever = variance_inflation(phi, day_share, FOREVER)[..., 0]
    level_variance = divide(adjusted.levels.variance, adjusted.levels.n)
    level_variance[:, 0] = adjusted.split.baseline_variance
    mean_variance = divide(forever, sum_w)
    degrees = adjusted.days.degrees / forever
    return Baseline(
        usable, adjusted, rho, phi, day_share, kappa, mean, mean_variance, level_variance, degrees, nights
    )


def _correlation(score: Floats, present: Floats, largest: float) -> Floats:
    """rho of the total and, pooled because single segments are too noisy to tell, of all segments."""
    products, squares = lag_products(score, present)
    products[:, 1:] = products[:, 1:].sum(axis=1, keepdims=True)
    squares[:, 1:] = squares[:, 1:].sum(axis=1, keepdims=True)
    return shrink_correlation(products, squares, present[:, 0].sum(), largest)
