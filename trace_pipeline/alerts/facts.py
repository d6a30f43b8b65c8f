"""What an alert states: the facts of one event of one metric, before any wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import Any, Literal, cast, get_args

Event = Literal[
    "opened", "worsened", "recovered", "rebaselined", "scorer_changed", "no_data", "low_volume", "reminder"
]
EVENTS: tuple[Event, ...] = get_args(Event)
PAGES = "/rag-quality/"
"""Where the Airflow UI serves the pages of the plugin."""
PAGING_EVENTS: frozenset[Event] = frozenset({"opened", "worsened", "no_data", "low_volume"})


@dataclass(frozen=True, slots=True)
class Contribution:
    """The part of a change that one segment carries; `difference` in [-1, 1], None when unknown."""

    dimension: str
    value: str
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class EvidenceLog:
    """A log to read, and the keys of its worst sentences (RAGBench's form: `a`, `b`, `0c`)."""

    log_id: str
    sentence_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertFacts:
    """One event of one metric on one night. Means are in [0, 1], differences in [-1, 1]; None = not known.

    `low` and `high` bound the 95 % interval of `difference`; `within` and `mix` are its parts from changes
    inside segments and from changed traffic shares. An empty `dimension` is the total of all traffic. `page`
    overrides the rule that opened and worsened incidents page. `link_path` is below `link_base_url`; empty,
    it is the page of the incident, or the overview where there is none.
    """

    metric: str
    event: Event
    day: date
    scorer: str
    fingerprint: str
    opened_day: date | None = None
    since: date | None = None
    value: float | None = None
    expected: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    dimension: str = ""
    segment_value: str = ""
    contributors: tuple[Contribution, ...] = ()
    within: float | None = None
    mix: float | None = None
    noise: float | None = None
    scorer_part: float | None = None
    release: str | None = None
    text: str = ""
    logs: tuple[EvidenceLog, ...] = ()
    link_base_url: str = ""
    link_path: str = ""
    incident_id: int | None = None
    page: bool | None = None

    @property
    def opens(self) -> str:
        """Path of the page that shows what the message is about."""
        if self.link_path:
            return self.link_path
        return PAGES if self.incident_id is None else f"{PAGES}incidents/{self.incident_id}"

    @property
    def pages(self) -> bool:
        """Whether a person must be told at once."""
        return self.event in PAGING_EVENTS if self.page is None else self.page


def facts_from_mapping(raw: Mapping[str, object]) -> AlertFacts:
    """Read facts from a plain mapping (JSON of the database or of a verdict) with AlertFacts' field names.

    Days are `date` or ISO 8601 text, contributors and logs are lists of mappings with their class's field
    names; numbers that are not finite count as unknown. Raises ValueError that names a missing or wrong
    field.
    """
    event = _text(raw, "event")
    if event not in EVENTS:
        raise ValueError(f"event: {event[:40]!r} is none of {', '.join(EVENTS)}")
    others: dict[str, Any] = {name: _number(raw, name) for name in _NUMBERS}
    others |= {name: str(raw[name]) for name in _TEXTS if raw.get(name) is not None}
    incident_id, page = raw.get("incident_id"), raw.get("page")
    return AlertFacts(
        metric=_text(raw, "metric"),
        event=event,
        day=_required_day(raw),
        scorer=_text(raw, "scorer"),
        fingerprint=_text(raw, "fingerprint"),
        opened_day=_day(raw, "opened_day"),
        since=_day(raw, "since"),
        contributors=tuple(
            Contribution(_text(item, "dimension"), _text(item, "value"), _number(item, "difference"))
            for item in _mappings(raw, "contributors")
        ),
        logs=tuple(
            EvidenceLog(
                _text(item, "log_id"),
                tuple(map(str, cast(Sequence[object], item.get("sentence_keys") or ()))),
            )
            for item in _mappings(raw, "logs")
        ),
        incident_id=None if incident_id is None else int(str(incident_id)),
        page=None if page is None else bool(page),
        **others,
    )


_NUMBERS = ("value", "expected", "difference", "low", "high", "within", "mix", "noise", "scorer_part")
_TEXTS = ("dimension", "segment_value", "release", "text", "link_base_url", "link_path")


def _text(raw: Mapping[str, object], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name}: a text is required")
    return value


def _number(raw: Mapping[str, object], name: str) -> float | None:
    value = raw.get(name)
    if value is None:
        return None
    try:
        number = float(cast(float, value))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: not a number") from error
    return number if isfinite(number) else None


def _day(raw: Mapping[str, object], name: str) -> date | None:
    value = raw.get(name)
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise ValueError(f"{name}: not an ISO 8601 day") from error


def _required_day(raw: Mapping[str, object]) -> date:
    day = _day(raw, "day")
    if day is None:
        raise ValueError("day: an ISO 8601 day is required")
    return day


def _mappings(raw: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    value = raw.get(name) or []
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, Mapping) for item in value):
        raise ValueError(f"{name}: a list of mappings is required")
    return list(value)
