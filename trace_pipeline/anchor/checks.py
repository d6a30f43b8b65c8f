"""The verdicts on a scorer: replayed over all nights of its anchors, stored, and read by the watch."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from trace_core.drift.anchor import (
    ANCHOR_METRICS,
    AnchorCheck,
    AnchorNight,
    check_anchors,
    shift_onsets,
    shifted_fingerprint,
)
from trace_pipeline.sqlfiles import query


def check_scorer(connection: Connection, scorer: str) -> list[tuple[AnchorCheck, ...]]:
    """Judge all nights of a scorer's anchors anew and store the verdicts; returns those of each night.

    They are a pure function of the stored verdicts on the anchors. None where it has none.
    """
    nights = list(_nights(connection, scorer))
    checks = check_anchors(nights)
    rows = [_row(night, check) for night, found in zip(nights, checks, strict=True) for check in found]
    if rows:
        place = {"scorer": scorer, "checks": json.dumps(rows, default=str)}
        connection.execute(query("merge_anchor_checks"), place)
    return checks


def _nights(connection: Connection, scorer: str) -> Iterator[AnchorNight]:
    found = connection.execute(query("anchor_nights"), {"scorer": scorer})
    for day, rows in groupby(found, key=lambda row: row.night):
        due = list(rows)
        judged = [row for row in due if row.status == "scored"]
        values = {
            metric: {row.anchor: value for row in judged if (value := getattr(row, metric)) is not None}
            for metric in ANCHOR_METRICS
        }
        yield AnchorNight(day, due[0].fingerprint, len(due), len(judged), values)


def _row(night: AnchorNight, check: AnchorCheck) -> dict[str, Any]:
    values = asdict(check)
    del values["day"]
    return values | {
        "night": night.day,
        "due": night.due,
        "judged": night.judged,
        "changed_anchors": values.pop("changed"),
    }


@dataclass(frozen=True, slots=True)
class ScorerStates:
    """What the stored checks say of a scorer over time.

    shifts: (onset, night that found it) of each shift, by fingerprint, in order.
    suspect: the last judged night, where it is suspect and no later one has decided.
    last: the last night that has a verdict.
    """

    shifts: Mapping[str, Sequence[tuple[date, date]]]
    suspect: date | None = None
    last: date | None = None

    def shifts_until(self, fingerprint: str, day: date) -> int:
        """Count the shifts of a fingerprint that had begun by a day."""
        return sum(onset <= day for onset, _ in self.shifts.get(fingerprint, ()))

    def name(self, fingerprint: str, day: date) -> str:
        """Name the scorer of a day for the watch: after a shift it is another one."""
        return shifted_fingerprint(fingerprint, self.shifts_until(fingerprint, day))


def scorer_states(connection: Connection, scorer: str) -> ScorerStates:
    """Read the stored checks of a scorer."""
    rows = connection.execute(query("anchor_states"), {"scorer": scorer}).all()
    states: list[tuple[date, str, Mapping[str, str]]] = []
    for day, group in groupby(rows, key=lambda row: row.night):
        of_night = list(group)
        states.append((day, of_night[0].fingerprint, {row.metric: row.state for row in of_night}))
    prints = {day: fingerprint for day, fingerprint, _ in states}
    shifts: dict[str, list[tuple[date, date]]] = defaultdict(list)
    for onset, night in shift_onsets(states):
        shifts[prints[night]].append((onset, night))
    judged = [(day, said) for day, _, metrics in states if not (said := set(metrics.values())) <= {"no_data"}]
    is_suspect = bool(judged) and "suspect" in judged[-1][1] and "shifted" not in judged[-1][1]
    return ScorerStates(shifts, judged[-1][0] if is_suspect else None, states[-1][0] if states else None)
