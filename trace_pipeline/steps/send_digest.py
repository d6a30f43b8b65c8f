"""send_digest: tell one channel what the last weeks were like, once a channel and week."""

from __future__ import annotations

from datetime import datetime

from trace_pipeline.alerts import AlertMessage, deliver_once, make_channel
from trace_pipeline.alerts.postgres_store import PostgresDeliveryStore
from trace_pipeline.context import Pipeline
from trace_pipeline.database import snapshot
from trace_pipeline.digest import last_weeks, load_facts, render_digest


def send_digest(pipeline: Pipeline, target: str, *, now: datetime, weeks: int = 1) -> list[str]:
    """Deliver the digest of the last whole weeks at `now` (aware) to the channel `target`; returns keys sent.

    Raises as the channel does: TemporaryFault for what a retry may cure. A retry never sends twice.
    """
    channel = make_channel(target, pipeline.settings)
    message = digest_message(pipeline, now=now, weeks=weeks)
    delivery = deliver_once(message, channel, PostgresDeliveryStore(pipeline.results))
    return [delivery.key] if delivery.outcome == "sent" else []


def digest_message(pipeline: Pipeline, *, now: datetime, weeks: int = 1) -> AlertMessage:
    """Return the digest of the last `weeks` whole weeks at `now` as a channel gets it."""
    period = last_weeks(now, pipeline.settings.day_time_zone, weeks)
    with snapshot(pipeline.results) as connection:
        facts = load_facts(connection, pipeline.settings, period)
    return render_digest(facts, pipeline.settings.alerts.link_base_url)
