"""Every threshold of the drift watch, with its default and the reason for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """Thresholds of the drift watch. Score differences are in score units: 0.01 is one point."""

    baseline_max_age_nights: int = 147
    """Nights older than this leave the baseline: five months follow slow, accepted change."""
    baseline_min_nights: int = 14
    """Fewer accepted nights than this are no baseline; until then the state is "learning"."""
    threshold: float = 3.9
    """|z| that opens an incident on the total."""
    floor: float = 0.01
    """Smallest change of the total worth a page: one point."""
    segment_floor: float = 0.03
    """Smallest change of a segment worth a page: three points."""
    segment_min_window_n: int = 30
    """A segment window with fewer logs is not tested."""
    recovery_min_nights: int = 3
    """An incident stays open at least this many nights."""
    rebaseline_after_nights: int = 28
    """An incident that has lasted this long becomes the new normal, with a message."""
    release_dimension: str = "app_version"
    """Segment dimension whose new values are releases."""
