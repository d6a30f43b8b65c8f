"""The life of an incident: opened, worsened, recovered, re-baselined. One page each time it gets worse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_core.drift.history import TOTAL, History, Series
from trace_core.drift.judge import Finding, Judgement
from trace_core.drift.settings import DriftSettings

Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class OpenIncident:
    """What must be remembered of an open incident.

    `difference` is the paged one; `share` the series' share of the traffic (1 for the total), `nights` those
    with data since it opened, the opening night included.
    """

    series: Series
    measure: int
    difference: float
    share: float
    nights: int


def find_opening(judgement: Judgement) -> Finding | None:
    """What opens an incident tonight: the total before segments, then the strongest segment."""
    if judgement.total.fired:
        return judgement.total
    return judgement.segments[0] if judgement.segments else None


def floor_of(series: Series, measure: int, settings: DriftSettings) -> float:
    """Smallest change worth a page, in score units."""
    if series != TOTAL:
        return settings.segment_floor
    return settings.shape_floor if measure else settings.floor


def find_worsening(
    incident: OpenIncident, judgement: Judgement, history: History, settings: DriftSettings
) -> Finding | None:
    """The finding that must be paged although an incident is open, if any.

    Like is compared with like: |D| >= factor x paged + floor on the incident's own series and measure; on
    the total, compared with what the segment's change explains of it; on another segment of the same
    dimension, with the paged change. |D| is taken at the near end of its 95 % interval: the first window
    often holds good nights too, and a better estimate of the same change is no news. A change of the total
    covers its segments.
    """

    def worse(finding: Finding, paged: float) -> bool:
        floor = floor_of(history.series[finding.column], finding.measure, settings)
        surely = abs(finding.difference) - Z_95 * finding.error
        return finding.fired and surely >= settings.worsened_factor * abs(paged) + floor

    own = incident.series
    total = judgement.total
    if own == TOTAL:
        same = total.measure == incident.measure
        return total if same and worse(total, incident.difference) else None
    if total.measure == 0 and worse(total, incident.difference * incident.share):
        return total
    for finding in judgement.segments:
        same_dimension = history.series[finding.column][0] == own[0]
        if same_dimension and worse(finding, incident.difference):
            return finding
    return None


def refine(incident: OpenIncident, judgement: Judgement, history: History, settings: DriftSettings) -> float:
    """The size of a change of a few nights, better known than on the night it was paged.

    The first window often holds good nights too. While the incident is younger than `recovery_min_nights`
    the larger of the paged and tonight's difference of the same sign is taken.
    """
    if incident.nights > settings.recovery_min_nights:
        return incident.difference
    for finding in (judgement.total, *judgement.segments):
        same = history.series[finding.column] == incident.series and finding.measure == incident.measure
        if same and finding.fired and finding.difference * incident.difference > 0:
            return max(finding.difference, incident.difference, key=abs)
    return incident.difference


def is_over(incident: OpenIncident, judgement: Judgement, history: History, settings: DriftSettings) -> bool:
    """Recovery: after `recovery_min_nights` the last nights of the series are back and no segment is off.

    Back means |Z| < `recovery_z` and |D| below the floor or `recovery_fraction` of the paged change. A series
    without logs in those nights has nothing left to watch.
    """
    if incident.nights <= settings.recovery_min_nights:
        return False
    fired = [(history.series[finding.column], finding.measure) for finding in judgement.segments]
    if any(abs(_lately(*pair, judgement, history, settings)[0]) >= settings.recovery_z for pair in fired):
        return False
    z, difference = _lately(incident.series, incident.measure, judgement, history, settings)
    floor = floor_of(incident.series, incident.measure, settings)
    allowed = max(floor, settings.recovery_fraction * abs(incident.difference))
    return abs(z) < settings.recovery_z and abs(difference) < allowed


def _lately(
    series: Series, measure: int, judgement: Judgement, history: History, settings: DriftSettings
) -> tuple[float, float]:
    """Z and D of a series over the last `recovery_min_nights` nights; zeros when it is gone."""
    if series == TOTAL:
        scan, row = judgement.total_scan, 0
    elif series in history.series:
        scan, row = judgement.segment_scan, history.series.index(series) - 1
    else:
        return 0.0, 0.0
    # The longest window that is no longer, or the shortest there is.
    window = max(int(np.searchsorted(scan.windows, settings.recovery_min_nights, side="right")) - 1, 0)
    at = (measure, row, window)
    return float(scan.z[at]), float(scan.difference[at])
