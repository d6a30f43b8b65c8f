"""The record of deliveries in trace.alert_delivery."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from trace_pipeline.alerts.delivery import CLAIM_STALE_AFTER
from trace_pipeline.sqlfiles import query


@dataclass(frozen=True, slots=True)
class PostgresDeliveryStore:
    """A DeliveryStore whose calls are transactions of their own; times are the server's."""

    engine: Engine

    def claim(self, key: str, channel: str, incident_id: int | None = None) -> bool:
        """Take the right to deliver; True for one caller only."""
        place = {
            "event_key": key,
            "channel": channel,
            "incident_id": incident_id,
            "stale_seconds": CLAIM_STALE_AFTER.total_seconds(),
        }
        with self.engine.begin() as connection:
            return connection.execute(query("claim_delivery"), place).first() is not None

    def was_sent(self, key: str, channel: str) -> bool:
        """Return whether the row is marked as sent."""
        with self.engine.connect() as connection:
            state = connection.scalar(query("delivery_state"), {"event_key": key, "channel": channel})
        return bool(state == "sent")

    def mark_sent(self, key: str, channel: str) -> None:
        """Record that the channel accepted the message."""
        self._mark(key, channel, "sent", "")

    def mark_failed(self, key: str, channel: str, detail: str) -> None:
        """Record why it did not."""
        self._mark(key, channel, "failed", detail[:500])

    def _mark(self, key: str, channel: str, state: str, detail: str) -> None:
        place = {"event_key": key, "channel": channel, "state": state, "detail": detail}
        with self.engine.begin() as connection:
            connection.execute(query("mark_delivery"), place)
