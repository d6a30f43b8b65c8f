"""What is told of an incident when it is paged: since when, how much, who carries it, what coincides."""

from __future__ import annotations

from datetime import date

from trace_core.drift.contributors import rank_contributors
from trace_core.drift.history import MEASURES, TOTAL, History
from trace_core.drift.judge import Finding, Judgement
from trace_core.drift.releases import coinciding_releases
from trace_core.drift.settings import DriftSettings
from trace_core.drift.verdict import Incident, Release

CONTRIBUTORS = 5
"""Segments named by an incident; the change report has all of them."""


def describe_incident(
    finding: Finding,
    judgement: Judgement,
    history: History,
    before: Incident | None,
    settings: DriftSettings,
) -> Incident:
    """The incident a finding opens, or what it makes of one that is open (`before`)."""
    tonight = history.day(-1)
    onset, opened = history.day(-finding.window), tonight
    if before is not None:
        onset, opened = min(before.onset, onset), before.opened
    dimension, value = history.series[finding.column]
    ranked = []
    if (dimension, value) == TOTAL:
        ranked = rank_contributors(history, judgement, finding.measure, finding.window)
    return Incident(
        opened=opened,
        onset=onset,
        paged=tonight,
        difference=finding.difference,
        dimension=dimension,
        value=value,
        measure=MEASURES[finding.measure],
        contributors=tuple(ranked[:CONTRIBUTORS]),
        releases=_releases(history, onset, settings),
    )


def _releases(history: History, onset: date, settings: DriftSettings) -> tuple[Release, ...]:
    columns = history.columns_of(settings.release_dimension).tolist()
    counts = {history.series[column][1]: history.traffic[:, column].tolist() for column in columns}
    return coinciding_releases(
        [date.fromordinal(day) for day in history.days.tolist()],
        history.traffic[:, 0].tolist(),
        counts,
        onset,
        settings.release_slack_nights,
        settings.release_min_share,
    )
