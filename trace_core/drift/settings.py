"""Every threshold of the drift watch, with its default and the reason for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType

from trace_core.errors import ConfigurationError

# Retrieving or using more of the documents is neither good nor bad in itself.
DIRECTIONS = MappingProxyType({"relevance": 0, "utilization": 0, "refusal_rate": -1, "unscored_share": -1})


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """Thresholds of the drift watch. Score differences are in score units: 0.01 is one point.

    Ages and windows count nights with data. `overrides` maps a metric to fields that differ for it:
    `DriftSettings(overrides={"completeness": {"floor": 0.02}})`.

    Raises:
        ConfigurationError: naming the field, when a value makes no sense.
    """

    baseline_min_age_nights: int = 28
    """The baseline ends this many nights ago, so that a slow decline does not become its own reference."""
    baseline_max_age_nights: int = 147
    """Older nights leave the baseline: four months are enough, and slow accepted change is followed."""
    baseline_age_share: float = 0.25
    """While there are few nights since the start or a reset, this share of them stays out of the baseline,
    and windows are no longer than that."""
    young_min_age_nights: int = 7
    """But at least a week stays out of it."""
    young_until_nights: int = 56
    """Nights since the start or a reset until which a page needs more evidence."""
    baseline_min_nights: int = 14
    """Fewer accepted nights than this are no baseline: the state is "learning"."""

    windows_nights: tuple[int, ...] = (1, 2, 3, 5, 7, 10, 14, 21, 28)
    """Windows scanned on the total: short ones find large changes at once, long ones small changes."""
    threshold: float = 3.5
    """|Z| of a change for the worse that opens an incident on the total; raising it pages less and later."""
    better_threshold: float = 4.3
    """The same of a change for the better: good news can wait for a night more."""
    direction: int = 1
    """1: higher is better, -1: lower is better, 0: neither, every change is for the worse. Known for
    relevance and utilization (0), refusal_rate and unscored_share (-1)."""
    young_threshold: float = 4.2
    """The least of both until there are `young_until_nights`: weekdays and day-to-day variance are hardly
    known."""
    long_window_nights: int = 7
    """Windows of this many nights and more lean on the autocorrelation, which is hard to estimate,"""
    long_window_margin: float = 0.2
    """so they have to exceed the thresholds by this much."""
    floor: float = 0.01
    """Smallest change of the total worth a page: one point, whatever the number of logs."""
    shape_metrics: tuple[str, ...] = ("completeness",)
    """Metrics whose shares of low, middle and high scores are scanned too: changes can keep the mean."""
    shape_floor: float = 0.02
    """Smallest change of such a share worth a page: two points."""

    level_prior_logs: float = 20.0
    """A segment's level and variance are shrunk to the total's as if by this many more logs."""
    kurtosis_prior_nights: float = 100.0
    """The excess kurtosis of the nights is shrunk to its prior as if by this many nights."""
    kurtosis_prior: float = 3.0
    """Excess kurtosis assumed of day effects (that of a Laplace law): single nights do go wrong."""
    max_autocorrelation: float = 0.9
    """Largest night-to-night correlation believed; more would make every window worthless."""

    segment_windows_nights: tuple[int, ...] = (1, 2, 3, 7, 14)
    """Windows scanned on segments."""
    segment_window_factor: float = 2.8
    """Effective number of independent looks among the segment windows of one night."""
    segment_false_discovery_rate: float = 0.0004
    """Benjamini-Hochberg rate over all segments of a night: about .15 false nights a year."""
    segment_better_factor: float = 10.0
    """Factor on the p-value of a segment's change for the better."""
    young_false_discovery_rate: float = 0.0001
    """The same until there are `young_until_nights`."""
    segment_floor: float = 0.03
    """Smallest change of a segment worth a page: three points."""
    segment_min_baseline_n: int = 200
    """A segment with fewer baseline logs is not tested."""
    segment_min_window_n: int = 30
    """A segment window with fewer logs is not tested."""
    segment_tau_prior_nights: float = 7.0
    """A segment's day-to-day variance is shrunk to that of all segments as if by this many nights."""

    worsened_factor: float = 1.5
    """An open incident pages again when the change surely exceeds this factor times the last
    one plus floor."""
    recovery_min_nights: int = 3
    """An incident stays open at least this many nights, and recovery is judged on as many."""
    recovery_z: float = 2.5
    """Recovery needs |Z| of the last nights below this."""
    recovery_fraction: float = 0.5
    """Recovery needs the remaining change below this fraction of the paged one, or below the floor."""
    rebaseline_after_nights: int = 28
    """A change that has lasted this long becomes the new baseline, with a message."""

    mix_dimension: str = "tenant"
    """Dimension whose traffic shares are adjusted for in the total. If the logs do not have it: the
    alphabetically first dimension other than `release_dimension` (which turns over with each release)."""
    release_dimension: str = "app_version"
    """Dimension whose new values are releases."""
    release_min_share: float = 0.05
    """Share of a night's logs from which a new value counts as released."""
    release_slack_nights: int = 2
    """A release this many nights before or after the onset coincides with it."""

    overrides: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Per metric: field name -> value."""

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            if setting.name == "direction":
                if value not in (-1, 0, 1):
                    raise ConfigurationError(f"drift.direction must be -1, 0 or 1, not {value}")
            elif isinstance(value, int | float) and not value > 0:
                raise ConfigurationError(f"drift.{setting.name} must be above 0, not {value}")
        for name in ("windows_nights", "segment_windows_nights"):
            windows = getattr(self, name)
            if not windows or min(windows) < 1 or list(windows) != sorted(set(windows)):
                raise ConfigurationError(f"drift.{name} must be rising numbers of nights, not {windows}")
            if windows[-1] > self.baseline_min_age_nights or windows[0] > self.young_min_age_nights:
                raise ConfigurationError(f"drift.{name} must not reach into the baseline")
        known = {setting.name for setting in fields(self)} - {"overrides"}
        for metric, changes in self.overrides.items():
            if unknown := set(changes) - known:
                raise ConfigurationError(f"drift.overrides.{metric} has no setting {sorted(unknown)[0]!r}")

    def for_metric(self, metric: str) -> DriftSettings:
        """The settings that hold for `metric`."""
        direction = DIRECTIONS.get(metric, self.direction)
        changes = {"direction": direction, **self.overrides.get(metric, {})}
        return replace(self, overrides={}, **changes)  # type: ignore[arg-type]
