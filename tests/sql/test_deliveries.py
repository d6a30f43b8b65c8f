"""send_alerts: each event is told once to each channel, and only what is still true is told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.fakes import FakeChannel, use_channel
from tests.sql.tools import MakePipeline, execute, rows
from tests.sql.watching import Script, follow, publish
from trace_core.errors import TemporaryFault
from trace_pipeline.alerts import CLAIM_STALE_AFTER
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.send_alerts import send_alerts

Tell = Any


@pytest.fixture
def channel(monkeypatch: pytest.MonkeyPatch) -> FakeChannel:
    """The channel to which every message goes."""
    channel = FakeChannel()
    use_channel(monkeypatch, channel)
    return channel


@pytest.fixture
def tell(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch, channel: FakeChannel
) -> Tell:
    """Return a function that watches `nights` under a script of events and tells; it returns the events told."""
    script = Script({})
    follow(monkeypatch, script)
    pipeline = make_pipeline(watch_metrics="adherence")

    def run(events: dict[int, str], nights: int = 20, onset_shift: int = 0) -> list[str]:
        publish(engine, range(nights))
        script.events, script.onset_shift = events, onset_shift
        detect_drift(pipeline)
        return [key.split(":")[1] for key in send_alerts(pipeline, "fake")]

    return run


def test_nothing_happened(tell: Tell, channel: FakeChannel) -> None:
    """Quiet nights, and no nights, tell nothing."""
    assert tell({}, nights=0) == []
    assert tell({}) == []
    assert channel.delivered == []


def test_an_opening_is_told_once(tell: Tell, channel: FakeChannel) -> None:
    """Neither a retry nor a later night tells it again."""
    assert tell({18: "opened"}) == ["opened"]
    assert tell({18: "opened"}) == []
    assert tell({18: "opened"}, nights=30) == []
    assert len(channel.delivered) == 1
    assert channel.delivered[0].severity == "page"


def test_restated_nights_do_not_page_again(tell: Tell) -> None:
    """The incident moves by a night, or its onset does: people know of it already."""
    assert tell({17: "opened"}) == ["opened"]
    assert tell({18: "opened"}) == []
    assert tell({16: "opened"}, onset_shift=2) == []


def test_a_whole_life_is_told_in_order(tell: Tell) -> None:
    """Opened, worsened, recovered: one message each."""
    assert tell({17: "opened", 18: "worsened"}) == ["opened", "worsened"]
    assert tell({17: "opened", 18: "worsened", 25: "recovered"}, nights=26) == ["recovered"]
    assert tell({17: "opened", 18: "worsened", 25: "recovered"}, nights=26) == []


def test_closed_incidents_of_the_past_are_not_told(tell: Tell) -> None:
    """A history that is scored afterwards pages nobody for what is over, nor tells that it is over."""
    assert tell({3: "opened", 6: "recovered", 9: "opened", 12: "rebaselined"}) == []


def test_an_old_worsening_is_not_told(tell: Tell) -> None:
    """An open incident that a channel first hears of is one message, not its whole history."""
    assert tell({3: "opened", 5: "worsened"}) == ["opened"]


def test_a_withdrawn_incident_is_not_told(tell: Tell) -> None:
    """Withdrawn before anybody heard of it, or after: no message."""
    assert tell({18: "opened"}) == ["opened"]
    assert tell({}) == []
    assert tell({18: "opened"}) == []  # it is back, and known


def test_recovery_is_told_only_where_the_opening_was(
    engine: Engine, tell: Tell, channel: FakeChannel, make_pipeline: MakePipeline
) -> None:
    """A channel that was added meanwhile does not hear the end of a story it never heard the start of."""
    tell({3: "opened"})
    channel.name = "new"
    assert tell({3: "opened", 15: "recovered"}) == []
    channel.name = "fake"
    assert tell({3: "opened", 15: "recovered"}) == ["recovered"]


def test_a_new_scorer_is_told_while_it_is_new(tell: Tell) -> None:
    """A change of fingerprint is news for a few nights."""
    assert tell({18: "scorer_changed"}) == ["scorer_changed"]
    assert tell({18: "scorer_changed"}) == []
    assert tell({2: "scorer_changed"}, nights=30) == []


def test_a_refused_message_is_sent_by_the_retry(engine: Engine, tell: Tell, channel: FakeChannel) -> None:
    """The fault is raised, the record says failed and why; the retry sends it, once."""
    channel.refusals = 1
    with pytest.raises(TemporaryFault, match="1 of 1 alerts were not delivered"):
        tell({18: "opened"})
    assert rows(engine, "select state, attempts, detail from trace.alert_delivery") == [
        ("failed", 1, "the channel is busy")
    ]
    assert tell({18: "opened"}) == ["opened"]
    assert rows(engine, "select state, attempts, sent_at is not null, detail from trace.alert_delivery") == [
        ("sent", 2, True, "")
    ]
    assert len(channel.delivered) == 1


def test_a_claim_is_held_until_it_is_stale(engine: Engine, tell: Tell, channel: FakeChannel) -> None:
    """Killed between claim and mark: a fresh claim is waited for, an old one is taken over."""
    channel.refusals = 1
    with pytest.raises(TemporaryFault):
        tell({18: "opened"})
    age = (
        "update trace.alert_delivery set state = 'claimed', claimed_at = now() - make_interval(secs => :age)"
    )
    execute(engine, age, age=CLAIM_STALE_AFTER.total_seconds() - 30)
    with pytest.raises(TemporaryFault, match="held by another attempt"):
        tell({18: "opened"})
    assert channel.delivered == []
    execute(engine, age, age=CLAIM_STALE_AFTER.total_seconds() + 1)
    assert tell({18: "opened"}) == ["opened"]


def test_senders_at_the_same_time_send_once(
    engine: Engine, tell: Tell, channel: FakeChannel, make_pipeline: MakePipeline
) -> None:
    """Of four senders one delivers; the others see that it did, or that it is being done."""
    channel.refusals = 1
    with pytest.raises(TemporaryFault):
        tell({18: "opened"})

    def send(_: int) -> None:
        try:
            send_alerts(make_pipeline(watch_metrics="adherence"), "fake")
        except TemporaryFault as fault:
            assert "held by another attempt" in str(fault)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(4)))
    assert len(channel.delivered) == 1
    assert rows(engine, "select state, attempts from trace.alert_delivery") == [("sent", 2)]
