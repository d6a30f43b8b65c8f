"""The same nights judged one by one, in one go, or again after a break: one history, one message an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from sqlalchemy import Engine, text

from tests.fakes import FakeChannel, use_channel
from tests.sql.watching import publish
from trace_core.errors import TemporaryFault
from trace_pipeline.context import Pipeline
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.send_alerts import send_alerts

MakePipeline = Callable[..., Pipeline]
NIGHTS = 75
DROP, BACK = 50, 62


def kept(number: int) -> int:
    """Return the adherent logs of a night: a drop of fifteen points, later undone, with a little rhythm."""
    return 360 - (60 if DROP <= number < BACK else 0) + (number * 7) % 5


def history(engine: Engine) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return all verdicts and all incidents, without ids."""
    checks = (
        "select metric, day, measure, dimension, value, state, page, event, observed, expected, difference, low, high,"
        " z, threshold, p, n, window_nights, fired, evidence, text from trace.drift_check order by 1, 2, 3, 4, 5"
    )
    incidents = "select metric, opened_day, onset_day, closed_day, state, size, evidence, text from trace.incident order by 1, 2"
    with engine.connect() as connection:
        return tuple([tuple(row) for row in connection.execute(text(query))] for query in (checks, incidents))  # type: ignore[return-value]


def run(engine: Engine, make_pipeline: MakePipeline, cuts: Iterable[int]) -> list[str]:
    """Publish the nights up to each cut, judge, and send; returns the keys of what was sent."""
    done, sent = 0, []
    for cut in cuts:
        publish(engine, {number: kept(number) for number in range(done, cut)}, n=400)
        done = cut
        pipeline = make_pipeline(watch_metrics="adherence")
        detect_drift(pipeline)
        sent += send_alerts(pipeline, "log")
    return sent


def test_night_by_night_is_one_go(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Judged each night, the story is told as it happens; judged at once afterwards, no verdict differs."""
    sent = run(engine, make_pipeline, range(1, NIGHTS + 1))
    assert [key.split(":")[1] for key in sent] == ["opened", "recovered"]
    nightly = history(engine)
    with engine.begin() as connection:
        connection.execute(text("truncate trace.drift_check, trace.incident, trace.alert_delivery"))
    detect_drift(make_pipeline(watch_metrics="adherence"))
    assert history(engine) == nightly


def test_nights_in_uneven_portions_are_told_once(engine: Engine, make_pipeline: MakePipeline) -> None:
    """With outages between, the messages of the open incident and its end still come once each."""
    sent = run(engine, make_pipeline, [30, 49, 55, 55, 61, 75, 75])
    assert [key.split(":")[1] for key in sent] == ["opened", "recovered"]


def test_a_channel_that_fails_twice_gets_it_once(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two refusals, then success, then further runs: one delivered message."""
    publish(engine, {number: kept(number) for number in range(55)}, n=400)
    pipeline = make_pipeline(watch_metrics="adherence")
    detect_drift(pipeline)
    channel = FakeChannel(refusals=2)
    use_channel(monkeypatch, channel)
    for _ in range(2):
        with pytest.raises(TemporaryFault):
            send_alerts(pipeline, "fake")
    for _ in range(3):
        detect_drift(pipeline)
        send_alerts(pipeline, "fake")
    assert len(channel.delivered) == 1
