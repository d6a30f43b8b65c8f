"""Send once: how a message and its record stay together over retries and killed processes.

The order is claim, deliver, mark. The record (table `trace.alert_delivery`) and the service share no
transaction, so one window remains, stated here in full:

- sent and marked: never sent again, whatever is retried.
- failed and marked: sent by the next retry. A service that took the message but whose answer was lost or came
  too late counts as failed, so that retry is a second copy.
- killed between claim and mark: nobody knows whether the message left. The claim ages (the store's
  `stale_after`), then a retry sends it; if it had left, that is a second copy. Until then retries get
  TemporaryFault, so that the message is never counted as done while it may be lost.

That is at least once in that window and exactly once outside of it: a page read twice harms less than one
never sent. `stale_after` must be longer than a delivery can last, or two living processes could both send;
and the retries of `send_alerts` must together last longer than `stale_after`, or a killed one's message waits
for the next night.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, Protocol

from trace_core.errors import TemporaryFault, TraceError
from trace_pipeline.alerts.channels import Channel
from trace_pipeline.alerts.message import AlertMessage

CLAIM_STALE_AFTER = timedelta(minutes=2)  # four times the longest delivery


class DeliveryStore(Protocol):
    """The record of deliveries, one row for each key and channel.

    Each call is a committed transaction of its own.
    """

    def claim(self, key: str, channel: str, incident_id: int | None = None) -> bool:
        """Take the right to deliver; True for one caller only.

        Granted when there is no row, when the row is failed, or when it is claimed and older than
        `stale_after` by the store's own clock; counts the attempt. Never granted for a sent row.
        """
        ...

    def was_sent(self, key: str, channel: str) -> bool:
        """Return whether the row is marked as sent."""
        ...

    def mark_sent(self, key: str, channel: str) -> None:
        """Record that the channel accepted the message."""
        ...

    def mark_failed(self, key: str, channel: str, detail: str) -> None:
        """Record why it did not.

        Must change a claimed row only: another process may have sent the message meanwhile.
        """
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """The result for one message and channel: sent now, or found sent by an earlier attempt."""

    key: str
    channel: str
    outcome: Literal["sent", "already_sent"]


def deliver_once(message: AlertMessage, channel: Channel, store: DeliveryStore) -> Delivery:
    """Deliver a message unless the record says that it was.

    Raises TemporaryFault when the channel failed or another process holds a fresh claim, ConfigurationError
    when the channel is set up wrongly; any other exception of a channel is recorded by its type and raised.
    """
    if not store.claim(message.key, channel.name, message.incident_id):
        if store.was_sent(message.key, channel.name):
            return Delivery(message.key, channel.name, "already_sent")
        raise TemporaryFault(
            f"Alert {message.key} to {channel.name} is held by another attempt; "
            "it is sent by a retry once that claim is old enough."
        )
    try:
        channel.deliver(message)
    except TraceError as fault:
        store.mark_failed(message.key, channel.name, str(fault))
        raise
    except Exception as error:  # its text may hold an address, so only the type is kept
        store.mark_failed(message.key, channel.name, f"unexpected {type(error).__name__}")
        raise
    # A kill or a task timeout leaves the claim as it is: whether the message left is not known.
    store.mark_sent(message.key, channel.name)
    return Delivery(message.key, channel.name, "sent")


def deliver_all(
    messages: Iterable[AlertMessage], channel: Channel, store: DeliveryStore
) -> tuple[Delivery, ...]:
    """Deliver messages to one channel in order; one that fails does not keep back the next.

    Raises TemporaryFault at the end if any was not delivered, naming each and why. Other errors end it at
    once.
    """
    done: list[Delivery] = []
    faults: list[str] = []
    for message in messages:
        try:
            done.append(deliver_once(message, channel, store))
        except TemporaryFault as fault:
            faults.append(str(fault))
    if faults:
        raise TemporaryFault(
            f"{len(faults)} of {len(faults) + len(done)} alerts were not delivered. {' '.join(faults)}"
        )
    return tuple(done)
