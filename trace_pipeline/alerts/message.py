"""Words of an alert: what, how much, since when, where, why we believe it, what to read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import Literal, TypeGuard
from urllib.parse import urlsplit

from trace_pipeline.alerts.facts import AlertFacts, Contribution, EvidenceLog
from trace_pipeline.alerts.plain_text import one_line

Severity = Literal["page", "info"]

MAX_TITLE = 160
MAX_LINE = 500
MAX_SEGMENT = 60
MAX_LOGS = 3
MAX_CONTRIBUTORS = 3
MAX_SENTENCE_KEYS = 5


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """One message, the same for every channel. `key` names the event: two messages of one event share it."""

    key: str
    title: str
    body: str
    severity: Severity
    incident_id: int | None
    metric: str
    day: date


def render_message(facts: AlertFacts) -> AlertMessage:
    """Return the message of an event: plain text, a title of one line, a body of at most ten short lines."""
    return AlertMessage(
        key=event_key(facts),
        title=one_line(f"RAG quality: {_headline(facts)}", MAX_TITLE),
        body="\n".join(_lines(facts)),
        severity="page" if facts.pages else "info",
        incident_id=facts.incident_id,
        metric=one_line(facts.metric, 40),
        day=facts.day,
    )


def event_key(facts: AlertFacts) -> str:
    """Return the identity of an event: metric, event, night, and a hash that also covers the scorer.

    The segment and the size are left out on purpose: a night judged again after late logs arrived may name
    another segment, and that is no second event.
    """
    parts = [facts.metric, facts.event, facts.day.isoformat(), facts.scorer, facts.fingerprint]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
    return f"{one_line(facts.metric, 40)}:{facts.event}:{facts.day.isoformat()}:{digest}"


def _headline(facts: AlertFacts) -> str:
    metric = one_line(facts.metric, 40)
    where = f", {_segment(facts.dimension, facts.segment_value)}" if facts.dimension else ""
    since = f", since {facts.since.isoformat()}" if facts.since else ""
    if facts.event == "opened":
        return f"{metric} {_movement(facts.difference)}{where}{since}"
    if facts.event == "worsened":
        return f"{metric} moved further and is {_movement(facts.difference)}{where}{since}"
    if facts.event == "recovered":
        return f"{metric} is back to its expected level{where}"
    if facts.event == "rebaselined":
        return f"{metric} stayed at a new level, which is the baseline from now on{where}{since}"
    if facts.event == "reminder":
        return f"{metric} is still {_movement(facts.difference)}{where}{since}"
    if facts.event in _TRAFFIC_EVENTS:
        return f"{_TRAFFIC_EVENTS[facts.event]} on {facts.day.isoformat()}"
    return f"{metric} has a new scorer version and is learning its level again"


_TRAFFIC_EVENTS = {"no_data": "no logs", "low_volume": "half the usual traffic or less"}


def _movement(difference: float | None) -> str:
    if not _known(difference):
        return "changed"
    return f"{'down' if difference < 0 else 'up'} {abs(difference) * 100:.1f} points"


def _lines(facts: AlertFacts) -> Iterator[str]:
    yield from _numbers(facts)
    yield from _dates(facts)
    if facts.dimension:
        yield f"Where: {_segment(facts.dimension, facts.segment_value)}."
    if facts.contributors:
        named = "; ".join(map(_contribution, facts.contributors[:MAX_CONTRIBUTORS]))
        yield f"Largest contributors: {named}."
    if _known(facts.within) and _known(facts.mix):
        parts = f"{points(facts.within)} within segments, {points(facts.mix)} from changed traffic"
        if _known(facts.noise):
            parts += f", {points(facts.scorer_part or 0.0)} from the scorer, {points(facts.noise)} chance"
        yield f"The change of all traffic: {parts}."
    if facts.release:
        yield f"Release that began at that time: {one_line(facts.release, MAX_SEGMENT)}."
    if facts.text:
        yield f"Why: {one_line(facts.text, MAX_LINE)}"
    if facts.event not in _TRAFFIC_EVENTS:
        yield f"Scorer: {one_line(facts.scorer, 40)}, fingerprint {one_line(facts.fingerprint, 20)}."
    if facts.logs:
        yield f"Logs to read: {'; '.join(map(_log, facts.logs[:MAX_LOGS]))}."
    yield from link_line(facts.link_base_url, facts.opens)


def _numbers(facts: AlertFacts) -> Iterator[str]:
    said = [f"observed {percent(facts.value)}" if _known(facts.value) else ""]
    said.append(f"expected {percent(facts.expected)}" if _known(facts.expected) else "")
    if _known(facts.difference):
        interval = ""
        if _known(facts.low) and _known(facts.high):
            interval = f" (95 % interval {points(facts.low, unit=False)} to {points(facts.high, unit=False)})"
        said.append(f"difference {points(facts.difference)}{interval}")
    said = [part for part in said if part]
    if said:
        metric = one_line(facts.metric, 40).capitalize()
        yield f"{metric}, night of {facts.day.isoformat()}: {', '.join(said)}."


def _dates(facts: AlertFacts) -> Iterator[str]:
    said = [f"Changed since {facts.since.isoformat()}" if facts.since else ""]
    said.append(f"incident opened on {facts.opened_day.isoformat()}" if facts.opened_day else "")
    said = [part for part in said if part]
    if said:
        line = "; ".join(said)
        yield f"{line[0].upper()}{line[1:]}."


def _segment(dimension: str, value: str) -> str:
    return f"{one_line(dimension, MAX_SEGMENT)}={one_line(value, MAX_SEGMENT) or '(empty)'}"


def _contribution(part: Contribution) -> str:
    size = f" {points(part.difference)}" if _known(part.difference) else ""
    return f"{_segment(part.dimension, part.value)}{size}"


def _log(log: EvidenceLog) -> str:
    keys = ", ".join(one_line(key, 8) for key in log.sentence_keys[:MAX_SENTENCE_KEYS])
    named = one_line(log.log_id, MAX_SEGMENT)
    return f"{named} (sentence{'s' if len(log.sentence_keys) > 1 else ''} {keys})" if keys else named


def link_line(base_url: str, path: str) -> list[str]:
    """Return the line with the address of a page; none where the address of Airflow is not set."""
    link = _link(base_url, path)
    return [f"Open: {link}"] if link else []


def _link(base_url: str, path: str) -> str:
    """Return the address, or nothing when the setting holds no web address: a broken link helps nobody."""
    parts = urlsplit(base_url)
    printable = base_url.isprintable() and " " not in base_url
    if parts.scheme not in ("http", "https") or not parts.netloc or not printable:
        return ""
    return base_url.rstrip("/") + path


def percent(share: float) -> str:
    """Return a share in [0, 1] as text: 0.8512 is `85.1 %`."""
    return f"{share * 100:.1f} %"


def points(difference: float, *, unit: bool = True) -> str:
    """Return a difference in [-1, 1] in percentage points with its sign: -0.149 is `-14.9 points`."""
    rounded = round(difference * 100, 1) + 0.0  # + 0.0 turns -0.0 into 0.0
    return f"{rounded:+.1f}{' points' if unit else ''}" if rounded else f"0.0{' points' if unit else ''}"


def _known(number: float | None) -> TypeGuard[float]:
    return number is not None and isfinite(number)
