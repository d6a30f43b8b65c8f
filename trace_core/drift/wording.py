"""The sentences people read. Numbers are in percent and points; values from logs are shortened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from trace_core.drift.anchor import unshifted_fingerprint
from trace_core.drift.verdict import Check, Contributor, Incident, Release

LONGEST_VALUE = 60
STANDS_OUT = 0.25
"""Part of a change by which a segment must exceed its share of the traffic to be named."""
MEASURE_WORDS = {
    "mean": "",
    "share_below_0.5": " (share of scores below 0.5)",
    "share_from_0.95": " (share of scores from 0.95 on)",
    "share_from_0.25_to_0.95": " (share of scores from 0.25 to 0.95)",
}


def shorten(value: str) -> str:
    """A segment value on one line, at most 60 characters."""
    line = " ".join(value.split())
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"


def points(difference: float) -> str:
    """A difference in points with its sign: -0.049 is "-4.9 points"."""
    return f"{100 * difference:+.1f} points"


def nights(count: int) -> str:
    return "Last night" if count == 1 else f"Last {count} nights"


def describe_check(metric: str, check: Check) -> str:
    """What was seen and what was expected."""
    where = f" of {check.dimension}={shorten(check.value)}" if check.dimension else ""
    half = (check.high - check.low) / 2
    return (
        f"{nights(check.window_nights)} {metric}{where}{MEASURE_WORDS[check.measure]} {check.observed:.1%}, "
        f"expected {check.expected:.1%} ± {100 * half:.1f} for this weekday and traffic"
    )


def describe_opening(metric: str, checks: Sequence[Check], incident: Incident) -> str:
    """The page: what, how much, where, and what coincides with it."""
    series = (incident.dimension, incident.value, incident.measure)
    check = next((c for c in checks if (c.dimension, c.value, c.measure) == series), None)
    parts = [describe_check(metric, check)] if check else []
    if incident.dimension:
        parts.append(points(incident.difference))
    else:
        mix = check.evidence["mix"] if check else 0.0
        assert isinstance(mix, float)  # noqa: S101 - narrows the type
        parts.append(f"{points(incident.difference)} within segments, {points(mix)} from mix")
        parts.append(describe_contributors(incident.difference, incident.contributors))
    parts.extend(f"coincides with {describe_release(release)}" for release in incident.releases[:1])
    return "; ".join(parts) + "."


def describe_contributors(difference: float, contributors: Sequence[Contributor]) -> str:
    """The segment that carries the change, or that none stands out."""
    if not contributors or not stands_out(difference, contributors[0]):
        return "no segment stands out"
    top = contributors[0]
    return f"largest: {top.dimension}={shorten(top.value)} ({points(top.contribution)})"


def stands_out(difference: float, contributor: Contributor) -> bool:
    """Whether a segment contributes clearly more than its share of the traffic."""
    excess = contributor.contribution - contributor.share * difference
    return excess * difference >= STANDS_OUT * difference**2


def describe_release(release: Release) -> str:
    return f"release {shorten(release.value)} of {release.first_day.isoformat()}"


def describe_quiet(metric: str, checks: Sequence[Check]) -> str:
    return f"{_describe_total(metric, checks)}; no change beyond chance and floor."


def describe_open(metric: str, checks: Sequence[Check], incident: Incident) -> str:
    since = incident.onset.isoformat()
    return f"{_describe_total(metric, checks)}; the change since {since} is still open."


def _describe_total(metric: str, checks: Sequence[Check]) -> str:
    totals = [check for check in checks if not check.dimension]
    return describe_check(metric, max(totals, key=lambda check: abs(check.z))) if totals else metric


def describe_recovery(metric: str, incident: Incident) -> str:
    where = f" of {incident.dimension}={shorten(incident.value)}" if incident.dimension else ""
    return f"{metric}{where} is back to its baseline; the change since {incident.onset.isoformat()} is over."


def describe_rebaseline(metric: str, incident: Incident, count: int) -> str:
    return (
        f"The change of {metric} since {incident.onset.isoformat()} ({points(incident.difference)}) "
        f"has lasted {count} nights: from now on it is the baseline."
    )


def describe_learning(seen: int, needed: int) -> str:
    return f"Learning: {seen} of the {needed} nights that a first verdict needs."


def describe_scorer_change(previous: str, current: str, needed: int) -> str:
    if unshifted_fingerprint(previous) == unshifted_fingerprint(current):
        return (
            f"The scorer {shorten(unshifted_fingerprint(current))} judges the same frozen logs otherwise: "
            f"earlier nights are not comparable, the next verdict needs {needed} nights."
        )
    return (
        f"The scorer changed from {shorten(previous)} to {shorten(current)}: earlier nights are not "
        f"comparable, the next verdict needs {needed} nights."
    )


def describe_no_data(day: date) -> str:
    return f"No scored logs on {day.isoformat()}: no verdict."
