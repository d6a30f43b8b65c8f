"""What a detector answers: a verdict with the evidence it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from trace_core.drift.night import Night

State = Literal["learning", "ok", "no_data", "incident"]
Event = Literal["opened", "worsened", "recovered", "rebaselined", "scorer_changed"]
Evidence = Mapping[str, float | int | str | None]


@dataclass(frozen=True, slots=True)
class Contributor:
    """A segment's part in the change of the total, in score units (0.05 is five points).

    `share` is its part of the traffic (0..1): in a change that is the same everywhere a segment contributes
    `share` times the change.
    """

    dimension: str
    value: str
    contribution: float
    share: float


@dataclass(frozen=True, slots=True)
class Release:
    """A value of the release dimension whose first sizeable night is close to the onset of a change."""

    value: str
    first_day: date
    share: float


@dataclass(frozen=True, slots=True)
class Incident:
    """An opened change. `dimension` and `value` are empty when the total changed.

    `difference` is in score units and carries its sign; `onset` is the first night of the window that showed
    the change, so it is never after `opened`. `paged` is the last night on which a person was told.
    """

    opened: date
    onset: date
    paged: date
    difference: float
    dimension: str = ""
    value: str = ""
    measure: str = "mean"
    contributors: tuple[Contributor, ...] = ()
    releases: tuple[Release, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One tested series of one night: its strongest window against its baseline.

    `observed`, `expected`, `difference`, `low` and `high` (95 % interval of the difference) are in score
    units. `z` is the normal score of the difference, `p` its two-sided nominal p-value, `threshold` what
    |z| had to reach. `fired` says that threshold and effect floor were both reached. Everything else that
    was used is in `evidence`, as JSON values.
    """

    dimension: str
    value: str
    measure: str
    window_nights: int
    observed: float
    expected: float
    difference: float
    low: float
    high: float
    z: float
    threshold: float
    p: float
    n: int
    baseline_n: int
    fired: bool
    evidence: Evidence = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one metric and night. `page` says that a person must be told tonight."""

    day: date
    metric: str
    state: State
    page: bool
    event: Event | None
    incident: Incident | None
    checks: tuple[Check, ...]
    text: str


class Detector(Protocol):
    """Judges one metric night by night, in the order of the days.

    Its verdict is a pure function of the nights observed so far: a new detector that is shown the same
    nights again gives the same verdicts.
    """

    def observe(self, night: Night) -> Verdict:
        """Judge the next night; `night.day` must be after every day observed before (ValueError)."""
        ...
