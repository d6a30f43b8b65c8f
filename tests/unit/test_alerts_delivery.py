"""Send once, against a store in memory and channels that fail on purpose."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest

from trace_core.errors import ConfigurationError, TemporaryFault
from trace_pipeline.alerts import CLAIM_STALE_AFTER, AlertMessage, deliver_all, deliver_once
from trace_pipeline.alerts.apprise_channel import DELIVERY_TIMEOUT_SECONDS


def message(key: str = "k1") -> AlertMessage:
    return AlertMessage(key, f"title {key}", "body", "page", 7, "adherence", date(2026, 11, 29))


@dataclass
class Row:
    state: str
    attempts: int
    claimed_at: timedelta
    incident_id: int | None
    detail: str = ""


@dataclass
class MemoryStore:
    """The delivery record as the protocol describes it, with a clock that the test moves."""

    stale_after: timedelta = CLAIM_STALE_AFTER
    clock: timedelta = timedelta()
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)

    def claim(self, key: str, channel: str, incident_id: int | None = None) -> bool:
        row = self.rows.get((key, channel))
        if row and (
            row.state == "sent" or (row.state == "claimed" and self.clock - row.claimed_at < self.stale_after)
        ):
            return False
        self.rows[key, channel] = Row("claimed", row.attempts + 1 if row else 1, self.clock, incident_id)
        return True

    def was_sent(self, key: str, channel: str) -> bool:
        row = self.rows.get((key, channel))
        return row is not None and row.state == "sent"

    def mark_sent(self, key: str, channel: str) -> None:
        self.rows[key, channel].state = "sent"

    def mark_failed(self, key: str, channel: str, detail: str) -> None:
        row = self.rows[key, channel]
        if row.state == "claimed":
            row.state, row.detail = "failed", detail


@dataclass
class ScriptedChannel:
    """Keeps what it accepts; raises the next of `faults` first, as long as there are any."""

    name: str = "test"
    faults: list[BaseException | None] = field(default_factory=list)
    lost_after_sending: bool = False
    accepted: list[str] = field(default_factory=list)

    def deliver(self, message: AlertMessage) -> None:
        fault = self.faults.pop(0) if self.faults else None
        if fault is None or self.lost_after_sending:
            self.accepted.append(message.key)
        if fault is not None:
            raise fault


def test_a_message_is_sent_once_however_often_it_is_retried() -> None:
    """The second call finds the record and stays silent."""
    store, channel = MemoryStore(), ScriptedChannel()
    assert deliver_once(message(), channel, store).outcome == "sent"
    store.clock += timedelta(days=30)
    assert deliver_once(message(), channel, store).outcome == "already_sent"
    assert channel.accepted == ["k1"]
    assert store.rows["k1", "test"].incident_id == 7


def test_a_channel_that_fails_twice_and_then_works_sends_once() -> None:
    """Each failure is recorded with its reason, and a retry follows at once."""
    store, channel = (
        MemoryStore(),
        ScriptedChannel(faults=[TemporaryFault("HTTP 500"), TemporaryFault("HTTP 503")]),
    )
    for reason in ("HTTP 500", "HTTP 503"):
        with pytest.raises(TemporaryFault, match=reason):
            deliver_once(message(), channel, store)
        assert store.rows["k1", "test"].detail == reason
    assert deliver_once(message(), channel, store).outcome == "sent"
    assert channel.accepted == ["k1"]
    assert store.rows["k1", "test"].attempts == 3


def test_a_message_goes_to_every_channel() -> None:
    """The record is kept by channel: one that had it keeps no other from getting it."""
    store, first, second = MemoryStore(), ScriptedChannel("one"), ScriptedChannel("two")
    deliver_once(message(), first, store)
    deliver_once(message(), second, store)
    assert (first.accepted, second.accepted) == (["k1"], ["k1"])


def test_a_claim_left_by_a_killed_process_is_retried_after_its_time() -> None:
    """Before that a retry is told to come back, never that all is done; afterwards it sends."""
    store, channel = MemoryStore(), ScriptedChannel(faults=[KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        deliver_once(message(), channel, store)
    assert store.rows["k1", "test"].state == "claimed"
    store.clock += CLAIM_STALE_AFTER - timedelta(seconds=1)
    with pytest.raises(TemporaryFault, match="held by another attempt"):
        deliver_once(message(), channel, store)
    store.clock += timedelta(seconds=1)
    assert deliver_once(message(), channel, store).outcome == "sent"
    assert channel.accepted == ["k1"]


def test_the_one_window_sends_a_second_copy_and_no_third() -> None:
    """Killed after the service took the message and before it was marked: at least once, as documented."""
    store, channel = MemoryStore(), ScriptedChannel(faults=[SystemExit()], lost_after_sending=True)
    with pytest.raises(SystemExit):
        deliver_once(message(), channel, store)
    store.clock += CLAIM_STALE_AFTER
    deliver_once(message(), channel, store)
    store.clock += CLAIM_STALE_AFTER
    deliver_once(message(), channel, store)
    assert channel.accepted == ["k1", "k1"]


def test_a_late_failure_of_one_process_does_not_undo_the_success_of_another() -> None:
    """A process that was thought dead comes back: the sent record stands, so nothing is sent again."""
    store = MemoryStore()
    other = ScriptedChannel()

    class SlowChannel(ScriptedChannel):
        def deliver(self, message: AlertMessage) -> None:
            store.clock += CLAIM_STALE_AFTER
            deliver_once(message, other, store)
            raise TemporaryFault("too late")

    with pytest.raises(TemporaryFault, match="too late"):
        deliver_once(message(), SlowChannel(), store)
    assert deliver_once(message(), other, store).outcome == "already_sent"
    assert other.accepted == ["k1"]


def test_a_wrong_setting_is_recorded_and_raised_as_such() -> None:
    """The task must fail at once, not retry; after the repair the message is sent."""
    store, channel = (
        MemoryStore(),
        ScriptedChannel(faults=[ConfigurationError("Setting alerts.channels: no")]),
    )
    with pytest.raises(ConfigurationError):
        deliver_once(message(), channel, store)
    assert store.rows["k1", "test"].state == "failed"
    assert deliver_once(message(), channel, store).outcome == "sent"


def test_an_unexpected_error_is_recorded_by_its_type_alone() -> None:
    """Its text may hold an address or a token."""
    store, channel = MemoryStore(), ScriptedChannel(faults=[OSError("https://user:token@host")])
    with pytest.raises(OSError, match="token"):
        deliver_once(message(), channel, store)
    assert store.rows["k1", "test"].detail == "unexpected OSError"


def test_one_failing_message_does_not_keep_back_the_others() -> None:
    """All are tried; the fault at the end counts and names; the retry sends the missing one only."""
    store, channel = MemoryStore(), ScriptedChannel(faults=[None, TemporaryFault("HTTP 500"), None])
    messages = [message("k1"), message("k2"), message("k3")]
    with pytest.raises(TemporaryFault, match=r"1 of 3 alerts were not delivered\. HTTP 500"):
        deliver_all(messages, channel, store)
    assert channel.accepted == ["k1", "k3"]
    assert [delivery.outcome for delivery in deliver_all(messages, channel, store)] == [
        "already_sent",
        "sent",
        "already_sent",
    ]
    assert channel.accepted == ["k1", "k3", "k2"]


def test_a_claim_outlives_the_longest_delivery() -> None:
    """Otherwise a living process could be overtaken by its own retry."""
    assert CLAIM_STALE_AFTER.total_seconds() > 2 * DELIVERY_TIMEOUT_SECONDS
