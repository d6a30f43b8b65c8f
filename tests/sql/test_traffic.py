"""Watching what is not a metric: traffic, and the shares of logs that can be scored or are answered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Engine, text

from tests.sql.watching import day, publish
from trace_pipeline.context import Pipeline
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.send_alerts import is_quiet, pending_messages, send_alerts

MakePipeline = Callable[..., Pipeline]


def test_a_night_without_its_usual_logs_is_told_once(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Two silent nights after eight weeks of traffic are one message; nights that return say nothing."""
    publish(engine, range(56), n=400, kept=360)
    publish(engine, [56, 57], n=0, kept=0)
    publish(engine, [58], n=400, kept=360)
    pipeline = make_pipeline()
    detect_drift(pipeline)
    messages = [message for message in pending_messages(pipeline, "log") if message.metric == "volume"]
    assert [message.title for message in messages] == [f"RAG quality: no logs on {day(56)}"]
    assert messages[0].severity == "page"
    assert "usually 400" in messages[0].body
    assert len(send_alerts(pipeline, "log")) == 1
    detect_drift(pipeline)
    assert send_alerts(pipeline, "log") == []


def test_half_the_usual_traffic_is_told(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A night with a third of its logs is low; one with two thirds is not."""
    publish(engine, range(56), n=300, kept=270)
    publish(engine, [56], n=200, kept=180)
    publish(engine, [57], n=100, kept=90)
    pipeline = make_pipeline()
    detect_drift(pipeline)
    titles = [message.title for message in pending_messages(pipeline, "log") if message.metric == "volume"]
    assert titles == [f"RAG quality: half the usual traffic or less on {day(57)}"]


def test_a_new_source_without_logs_pages_nobody(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Without a usual volume nobody can say that logs are missing."""
    publish(engine, range(10), n=0, kept=0)
    pipeline = make_pipeline()
    detect_drift(pipeline)
    assert pending_messages(pipeline, "log") == []


def test_shares_are_watched_like_metrics(engine: Engine, make_pipeline: MakePipeline) -> None:
    """When a third of the logs cannot be scored any more, unscored_share opens an incident."""
    publish(engine, range(60), n=300, kept=270)
    with engine.begin() as connection:
        connection.execute(text("update trace.daily_metric set unscored = 3"))
        connection.execute(
            text("update trace.daily_metric set unscored = 150 where day >= :day"), {"day": day(58)}
        )
    pipeline = make_pipeline(watch_metrics="unscored_share,refusal_rate")
    detect_drift(pipeline)
    with engine.connect() as connection:
        found = connection.execute(text("select metric, opened_day from trace.incident")).all()
    assert [tuple(row) for row in found] == [("unscored_share", day(58))]


def test_quiet_hours_hold_back_what_is_no_page(engine: Engine, make_pipeline: MakePipeline) -> None:
    """In the quiet hours a recovery waits; a page goes out; in the morning the rest follows."""
    publish(engine, range(60), n=400, kept=360)
    publish(engine, [60, 61, 62], n=400, kept=200)
    pipeline = make_pipeline(alerts={"quiet_hours": "22:00-07:00"}, watch_metrics="adherence")
    night, morning = datetime(2026, 11, 30, 2, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)
    assert is_quiet(pipeline.settings, night)
    assert not is_quiet(pipeline.settings, morning)
    detect_drift(pipeline)
    assert len(send_alerts(pipeline, "log", now=night)) == 1
    publish(engine, range(63, 75), n=400, kept=360)
    detect_drift(pipeline)
    assert send_alerts(pipeline, "log", now=night) == []
    (recovered,) = send_alerts(pipeline, "log", now=morning)
    assert ":recovered:" in recovered


def test_an_open_incident_is_told_of_again_when_asked(engine: Engine, make_pipeline: MakePipeline) -> None:
    """With remind_days an incident that stays open gives one reminder a period, sent once."""
    publish(engine, range(60), n=400, kept=360)
    publish(engine, range(60, 70), n=400, kept=240)
    pipeline = make_pipeline(alerts={"remind_days": 3}, watch_metrics="adherence")
    detect_drift(pipeline)
    sent = send_alerts(pipeline, "log")
    assert [key.split(":")[1] for key in sent] == ["opened", "reminder"]
    assert send_alerts(pipeline, "log") == []


def test_thresholds_of_the_watch_are_settings(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A floor of thirty points leaves a drop of fifteen alone."""
    publish(engine, range(60), n=400, kept=360)
    publish(engine, [60, 61, 62], n=400, kept=300)
    detect_drift(make_pipeline(drift={"floor": 0.3}, watch_metrics="adherence"))
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from trace.incident")) == 0
    detect_drift(make_pipeline(watch_metrics="adherence"))
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from trace.incident")) == 1
