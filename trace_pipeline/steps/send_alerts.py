"""send_alerts: tell one channel what it has not been told, each event once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from trace_pipeline.alerts import AlertMessage, deliver_all, facts_from_mapping, make_channel, render_message
from trace_pipeline.alerts.postgres_store import PostgresDeliveryStore
from trace_pipeline.anchor.events import Hold, scorer_alerts
from trace_pipeline.context import Pipeline
from trace_pipeline.settings import WATCHED_SHARES, Settings
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds

_RECENT_NIGHTS = 3  # a worsening older than this is history, told by the incident itself
_EXAMPLE_LOGS = 3
_EXAMPLE_NIGHTS = 7


def send_alerts(pipeline: Pipeline, target: str, *, now: datetime | None = None) -> list[str]:
    """Deliver the pending events to the channel `target`; returns the keys sent now.

    When `now` is in the quiet hours only pages go out; the rest is still pending for the next call.

    Raises TemporaryFault when a message was not accepted (a retry sends that one only) and ConfigurationError
    for a channel that is set up wrongly.
    """
    channel = make_channel(target, pipeline.settings)
    store = PostgresDeliveryStore(pipeline.results)
    messages = pending_messages(pipeline, channel.name)
    if now is not None and is_quiet(pipeline.settings, now):
        messages = [message for message in messages if message.severity == "page"]
    done = deliver_all(messages, channel, store)
    return [delivery.key for delivery in done if delivery.outcome == "sent"]


def pending_messages(pipeline: Pipeline, channel: str) -> list[AlertMessage]:
    """Return the messages the channel should have had by now, sent ones among them, oldest first.

    What the scorers themselves did comes before what it may explain.
    """
    settings = pipeline.settings
    place = {
        "scorer": settings.scorers[0],
        "metrics": [*settings.watch_metrics, "volume"],
        "channel": channel,
        "recent_nights": _RECENT_NIGHTS,
    }
    with pipeline.results.connect() as connection:
        hold = Hold(connection, settings)
        found = connection.execute(query("alert_events"), place).mappings().all()
        events = [event for event in found if not hold.keeps(event)]
        told = [*scorer_alerts(connection, settings, _RECENT_NIGHTS)]
        told += [_message(pipeline, connection, dict(event)) for event in events]
        return told + [_message(pipeline, connection, reminder) for reminder in _reminders(settings, events)]


def is_quiet(settings: Settings, now: datetime) -> bool:
    """Tell whether `now` (aware) is within the quiet hours, which may reach over midnight."""
    if settings.alerts.quiet_hours is None:
        return False
    start, _, end = settings.alerts.quiet_hours.partition("-")
    clock = now.astimezone(ZoneInfo(settings.day_time_zone)).strftime("%H:%M")
    return start <= clock < end if start < end else clock >= start or clock < end


def _reminders(settings: Settings, events: Sequence[Mapping[Any, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the latest due reminder of each open incident."""
    if settings.alerts.remind_days is None:
        return
    for event in events:
        if event["event"] == "opened":
            number = (event["latest_day"] - event["opened_day"]).days // settings.alerts.remind_days
            if number > 0:
                yield {**event, "event": "reminder", "number": number}


def _message(pipeline: Pipeline, connection: Connection, event: Mapping[str, Any]) -> AlertMessage:
    scorer = pipeline.settings.scorers[0]
    incident = event["incident_evidence"] or {}
    change = incident.get("change") or {}
    releases = incident.get("releases", [])
    facts = facts_from_mapping(
        {
            **{
                name: event[name]
                for name in ("metric", "event", "day", "fingerprint", "expected", "difference")
            },
            **{name: event[name] for name in ("low", "high", "text", "opened_day", "incident_id")},
            "scorer": scorer,
            "since": event["onset_day"],
            "value": event["observed"],
            "dimension": event["dimension"] or "",
            "segment_value": event["value"] or "",
            "contributors": incident.get("contributors", []),
            **{name: change.get(name) for name in ("within", "mix", "noise")},
            "scorer_part": change.get("scorer"),
            "release": releases[0]["value"] if releases else None,
            "logs": _worst_logs(pipeline, connection, scorer, event),
            "link_base_url": pipeline.settings.alerts.link_base_url,
        }
    )
    return replace(render_message(facts), key=_key(scorer, event))


def _key(scorer: str, event: Mapping[str, Any]) -> str:
    """Name what people were told of: the incident, not the night, for restated nights may move its days."""
    subject = f"incident-{event['incident_id']}" if event["incident_id"] else scorer
    once = {
        "worsened": event["day"].isoformat(),
        "reminder": str(event.get("number")),
        "no_data": event["day"].isoformat(),
        "low_volume": event["day"].isoformat(),
        "scorer_changed": event["fingerprint"],
    }
    return f"{event['metric']}:{event['event']}:{subject}:{once.get(event['event'], 'once')}"


def _worst_logs(
    pipeline: Pipeline, connection: Connection, scorer: str, event: Mapping[str, Any]
) -> list[dict[str, object]]:
    if event["event"] not in ("opened", "worsened", "reminder") or event["metric"] in WATCHED_SHARES:
        return []
    zone = pipeline.settings.day_time_zone
    first = max(event["onset_day"], event["day"] - timedelta(days=_EXAMPLE_NIGHTS - 1))
    place = {
        "scorer": scorer,
        "fingerprint": event["fingerprint"],
        "metric": event["metric"],
        "dimension": event["dimension"] or "",
        "value": event["value"] or "",
        "from_at": day_bounds(first, zone)[0],
        "to_at": day_bounds(event["day"], zone)[1],
        "most": _EXAMPLE_LOGS,
    }
    rows = connection.execute(query("worst_logs"), place)
    return [{"log_id": row.log_id, "sentence_keys": _keys(row.sentence_keys)} for row in rows]


def _keys(value: object) -> list[str]:
    found = json.loads(value) if isinstance(value, str) else value
    return [str(key) for key in found] if isinstance(found, list) else []
