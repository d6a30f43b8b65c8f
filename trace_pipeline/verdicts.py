"""Stores verdicts: the checks of each night, and the incidents that a sequence of verdicts tells of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import Any

from sqlalchemy import Connection

from trace_core.drift import Check, DriftSettings, Incident, Night, Verdict
from trace_core.drift.anchor import unshifted_fingerprint
from trace_core.drift.volume import VolumeCheck
from trace_pipeline.changes import change_of
from trace_pipeline.database import copy_rows, run_script
from trace_pipeline.sqlfiles import query, statement_of

_COLUMNS = (
    "scorer metric day dimension value measure state page event observed expected difference low "
    "high z threshold p n window_nights fired fingerprint incident_id evidence text "
).split()

_STORED_SEGMENTS = 20
_DEFAULTS = DriftSettings()

Judged = Sequence[tuple[Night, Verdict]]


@dataclass
class _Episode:
    """One incident as the replay tells it: from its opening verdict to the one that ends it."""

    incident: Incident
    text: str
    closed: date | None = None
    change: Mapping[str, Any] = field(default_factory=dict)
    days: list[date] = field(default_factory=list)

    def overlaps(self, onset: date, closed: date | None) -> bool:
        return self.incident.onset <= (closed or date.max) and onset <= (self.closed or date.max)


def store_verdicts(
    connection: Connection,
    scorer: str,
    metric: str,
    judged: Judged,
    settings: DriftSettings = _DEFAULTS,
) -> None:
    """Write the verdicts of a replay of one series; the same replay writes nothing the second time."""
    if not judged:
        return
    episodes = _episodes(judged, settings)
    ids = _store_incidents(connection, scorer, metric, judged[0][0].day, episodes)
    run_script(connection, statement_of("queries/stage_checks.sql"))
    rows = [row for night, verdict in judged for row in _rows(scorer, night, verdict, ids.get(verdict.day))]
    copy_rows(connection, "staged_check", _COLUMNS, rows)
    connection.execute(
        query("remove_stale_checks"), {"scorer": scorer, "metric": metric, "first_day": judged[0][0].day}
    )
    connection.execute(query("merge_checks"))


def store_volume(connection: Connection, scorer: str, volumes: Sequence[VolumeCheck]) -> None:
    """Write the verdicts on the number of logs; the first night of a stretch without traffic is an event."""
    if not volumes:
        return
    run_script(connection, statement_of("queries/stage_checks.sql"))
    rows, before = [], "ok"
    for volume in volumes:
        # Without a usual volume nobody can say that logs are missing.
        is_event = (
            volume.state in ("no_data", "low") and volume.state != before and volume.expected is not None
        )
        event = {"no_data": "no_data", "low": "low_volume"}[volume.state] if is_event else None
        numbers = {
            "n": volume.n,
            "page": is_event,
            "event": event,
            "text": volume.text,
            "state": volume.state,
        }
        values = {
            **dict.fromkeys(_COLUMNS),
            "scorer": scorer,
            "metric": "volume",
            "day": volume.day,
            **numbers,
        }
        values |= {"dimension": "", "value": "", "measure": "", "fired": False, "fingerprint": ""}
        values |= {"evidence": to_json({"expected_logs": volume.expected})}
        rows.append([values[name] for name in _COLUMNS])
        before = volume.state
    copy_rows(connection, "staged_check", _COLUMNS, rows)
    place = {"scorer": scorer, "metric": "volume", "first_day": volumes[0].day}
    connection.execute(query("remove_stale_checks"), place)
    connection.execute(query("merge_checks"))


def _episodes(judged: Judged, settings: DriftSettings) -> list[_Episode]:
    episodes: list[_Episode] = []
    current: _Episode | None = None
    for position, (_, verdict) in enumerate(judged):
        if verdict.incident is not None and (verdict.event == "opened" or current is None):
            check = headline_check(verdict)
            nights = [night for night, _ in judged[: position + 1]]
            change = {} if check is None else change_of(nights, check, settings)
            current = _Episode(verdict.incident, verdict.text, change=change)
            episodes.append(current)
        if current is None:
            continue
        current.days.append(verdict.day)
        if verdict.incident is not None and verdict.event == "worsened":
            current.incident, current.text = verdict.incident, verdict.text
        if verdict.event in ("recovered", "rebaselined", "scorer_changed"):
            current.closed = verdict.day
            current = None
    return episodes


def _store_incidents(
    connection: Connection, scorer: str, metric: str, first_day: date, episodes: Sequence[_Episode]
) -> dict[date, int]:
    """Insert or update the incidents and withdraw those no longer seen; returns the incident of each day."""
    place = {"scorer": scorer, "metric": metric}
    stored = list(connection.execute(query("stored_incidents"), place))
    by_day: dict[date, int] = {}
    for episode in episodes:
        same = next((row for row in stored if episode.overlaps(row.onset_day, row.closed_day)), None)
        values = _incident_values(episode)
        if same is None:
            incident_id = int(connection.execute(query("insert_incident"), {**place, **values}).scalar_one())
        else:
            stored.remove(same)
            incident_id = same.incident_id
            connection.execute(query("update_incident"), {"incident_id": incident_id, **values})
        by_day.update(dict.fromkeys(episode.days, incident_id))
    gone = [row.incident_id for row in stored if row.opened_day >= first_day]
    if gone:
        connection.execute(query("withdraw_incidents"), {"incident_ids": gone})
    return by_day


def _incident_values(episode: _Episode) -> Mapping[str, object]:
    incident = episode.incident
    evidence = {
        "measure": incident.measure,
        "contributors": [
            {"dimension": part.dimension, "value": part.value, "difference": part.contribution}
            for part in incident.contributors
        ],
        "releases": [
            {"value": release.value, "first_day": release.first_day.isoformat(), "share": release.share}
            for release in incident.releases
        ],
        "change": episode.change,
    }
    return {
        "opened_day": incident.opened,
        "onset_day": incident.onset,
        "closed_day": episode.closed,
        "state": "open" if episode.closed is None else "closed",
        "dimension": incident.dimension,
        "value": incident.value,
        "size": incident.difference,
        "evidence": to_json(evidence),
        "text": episode.text,
    }


def _rows(scorer: str, night: Night, verdict: Verdict, incident_id: int | None) -> Iterator[Sequence[object]]:
    """Yield the night's own row, then one a tested series."""
    shown = headline_check(verdict)
    yield _row(scorer, night, verdict, incident_id, shown, dimension="", value="", measure="")
    for check in _kept(verdict.checks):
        named = {"dimension": check.dimension, "value": check.value, "measure": check.measure}
        yield _row(scorer, night, verdict, incident_id, check, **named)


def _kept(checks: Sequence[Check]) -> list[Check]:
    """Keep the checks of the total, those that fired, and the strongest others: not hundreds a night."""
    others = [check for check in checks if check.dimension and not check.fired]
    others.sort(key=lambda check: (-abs(check.z), check.dimension, check.value))
    return [check for check in checks if check.fired or not check.dimension] + others[:_STORED_SEGMENTS]


def headline_check(verdict: Verdict) -> Check | None:
    """Return the check that a verdict is about: its incident's series, else the total."""
    incident = verdict.incident
    wanted = (incident.dimension, incident.value, incident.measure) if incident else ("", "", "mean")
    found = [check for check in verdict.checks if (check.dimension, check.value, check.measure) == wanted]
    found += [check for check in verdict.checks if not check.dimension and check.measure == "mean"]
    return found[0] if found else None


def _row(
    scorer: str, night: Night, verdict: Verdict, incident_id: int | None, check: Check | None, **named: str
) -> Sequence[object]:
    is_night = named["measure"] == ""
    numbers: list[object] = [None] * 8
    if check is not None:
        numbers = [check.observed, check.expected, check.difference, check.low, check.high, check.z]
        numbers += [check.threshold, check.p]
    return (
        scorer,
        verdict.metric,
        verdict.day,
        named["dimension"],
        named["value"],
        named["measure"],
        verdict.state,
        is_night and verdict.page,
        verdict.event if is_night else None,
        *[_finite(number) for number in numbers],
        night.total.n if is_night or check is None else check.n,
        None if check is None else check.window_nights,
        check is not None and check.fired,
        unshifted_fingerprint(night.fingerprint),
        incident_id if is_night else None,
        to_json({**({} if check is None else check.evidence), **_shift(night.fingerprint)}),
        verdict.text if is_night else "",
    )


def _shift(name: str) -> Mapping[str, str]:
    """Say as which version the watch took a scorer that has judged its anchors otherwise since some night."""
    return {} if name == unshifted_fingerprint(name) else {"scorer_version": name}


def _finite(value: Any) -> object:
    return value if value is None or isfinite(value) else None


def to_json(value: object) -> str:
    """Return JSON text without the numbers JSON does not have."""
    return json.dumps(_without_infinities(value), ensure_ascii=False, default=float)


def _without_infinities(value: object) -> object:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _without_infinities(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_infinities(item) for item in value]
    return value
