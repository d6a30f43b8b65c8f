"""send_digest: what stored nights become in the digest, and that it goes to a channel once a week."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Engine

from tests.fakes import FakeChannel
from tests.sql.tools import MakePipeline, a_log, execute, insert, login, night, noon, rows, url_of
from tests.sql.watching import publish
from trace_core.errors import TemporaryFault
from trace_pipeline.context import open_pipeline
from trace_pipeline.digest import Period, load_facts
from trace_pipeline.load import load_logs
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.steps import send_digest as step
from trace_pipeline.steps.detect_drift import detect_drift

# Night 0 of the tests is Thursday, 2026-10-01.
WEEK = Period(date(2026, 10, 12), date(2026, 10, 18))
MONDAY = datetime(2026, 10, 19, 7, tzinfo=UTC)
THIS, BEFORE = range(11, 18), range(4, 11)


@pytest.fixture
def channel(monkeypatch: pytest.MonkeyPatch) -> FakeChannel:
    """The channel to which every digest goes."""
    channel = FakeChannel()
    monkeypatch.setattr(step, "make_channel", lambda *_: channel)
    return channel


def test_the_numbers_are_those_of_the_week(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Sums of seven nights beside the seven before; nights outside of both do not count."""
    publish(engine, dict.fromkeys(BEFORE, 80) | dict.fromkeys(THIS, 90) | {3: 0, 18: 0})
    pipeline = make_pipeline(watch_metrics="adherence,unscored_share")
    with pipeline.results.connect() as connection:
        facts = load_facts(connection, pipeline.settings, WEEK)
    adherence, unscored = facts.metrics
    assert (adherence.now.n, adherence.now.mean, adherence.before.mean) == (700, 0.9, 0.8)
    assert adherence.change is not None and adherence.change.is_certain
    assert unscored.now.mean == 0.0 and unscored.change is not None and not unscored.change.is_certain
    assert (facts.rows.source, facts.rows_before.source, facts.empty_nights) == (700, 700, ())


def test_a_changed_scorer_is_not_compared(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Two versions without a bridge have levels, and no difference."""
    publish(engine, BEFORE, "f1", kept=50)
    publish(engine, THIS, "f2")
    message = step.digest_message(make_pipeline(watch_metrics="adherence"), now=MONDAY)
    assert "Adherence: 90.0 %" in message.body
    assert "not compared: the scorer's version changed" in message.body


def test_a_sample_week_is_told_with_its_segments(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Of real logs: the planted release's tenant is the worst segment, quarantine has its reasons, a night is empty."""
    settings = SampleSettings(
        first_day=WEEK.before.first_day, nights=14, logs_per_night=150, release_night=7, malformed_share=0.02
    )
    gone = WEEK.first_day + timedelta(days=2)
    for _ in load_logs(engine, (log for log in generate(settings) if str(gone) not in str(log["logged_at"]))):
        pass
    insert(engine, a_log("unreadable", noon(WEEK.first_day), question=None))
    pipeline = make_pipeline()
    night(pipeline, WEEK.before.first_day, nights=14)
    detect_drift(pipeline)
    body = step.digest_message(pipeline, now=MONDAY).body
    assert f"Nights without data: 1 of 7 ({gone})." in body
    assert "still learning its level" in body
    assert "missing_question" in body
    assert "Worst segment: " in body and "of more" not in body
    assert "tenant=acme" in body or "app_version=" in body
    assert "documents that were retrieved" in body


def test_incidents_of_the_week_are_counted(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Opened in it, closed in it, open at its end: each by its own days; one closed before is not named."""
    publish(engine, THIS)
    for opened, closed in ((1, None), (12, 14), (13, None), (2, 10), (18, None), (14, 18)):
        execute(
            engine,
            "insert into trace.incident (scorer, metric, opened_day, onset_day, closed_day, state, dimension, value,"
            " size, text) values ('lexical', 'adherence', :opened, :opened, cast(:closed as date), :state, 'tenant',"
            " :value, -0.1, '')",
            opened=date(2026, 10, 1) + timedelta(days=opened),
            closed=closed and date(2026, 10, 1) + timedelta(days=closed),
            state="closed" if closed else "open",
            value=f"t{opened}",
        )
    body = step.digest_message(make_pipeline(), now=MONDAY).body
    assert "Incidents: 3 opened, 1 closed, 3 open." in body
    assert "tenant=t1, since 2026-10-02" in body and "tenant=t18" not in body and "tenant=t2," not in body


def test_nothing_at_all_is_told_as_no_data(make_pipeline: MakePipeline) -> None:
    """Before the first night, too, there is a digest, and it claims nothing."""
    message = step.digest_message(make_pipeline(), now=MONDAY)
    assert message.title.endswith("no data")
    assert "Adherence: no data (before: no data)." in message.body


def test_it_goes_to_a_channel_once_a_week(
    engine: Engine, make_pipeline: MakePipeline, channel: FakeChannel
) -> None:
    """A retry, another run of the week and four at once send nothing more; the next week and another channel do."""
    publish(engine, THIS)
    pipeline = make_pipeline(watch_metrics="adherence")
    assert step.send_digest(pipeline, "fake", now=MONDAY) == ["digest:lexical:2026-10-12:2026-10-18"]
    assert step.send_digest(pipeline, "fake", now=MONDAY + timedelta(days=3)) == []
    assert len(step.send_digest(pipeline, "fake", now=MONDAY + timedelta(days=7))) == 1

    def send(_: int) -> None:
        try:
            step.send_digest(make_pipeline(), "fake", now=MONDAY + timedelta(days=14))
        except TemporaryFault as fault:
            assert "held by another attempt" in str(fault)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(4)))
    assert len(channel.delivered) == 3
    channel.name = "other"
    assert len(step.send_digest(pipeline, "other", now=MONDAY)) == 1


def test_a_refused_digest_is_sent_by_the_retry(
    engine: Engine, make_pipeline: MakePipeline, channel: FakeChannel
) -> None:
    """The fault is raised for Airflow to retry, and the record says why."""
    channel.refusals = 1
    with pytest.raises(TemporaryFault):
        step.send_digest(make_pipeline(), "fake", now=MONDAY)
    assert rows(engine, "select state, detail from trace.alert_delivery") == [
        ("failed", "the channel is busy")
    ]
    assert len(step.send_digest(make_pipeline(), "fake", now=MONDAY)) == 1
    assert len(channel.delivered) == 1


def test_the_pipeline_role_is_enough(engine: Engine) -> None:
    """The login of the DAGs reads what it needs and records the delivery."""
    publish(engine, THIS)
    with login(engine, "trace_pipeline") as member:
        pipeline = open_pipeline(load_settings(), results_url=url_of(member))
        assert len(step.send_digest(pipeline, "log", now=MONDAY)) == 1
        pipeline.close()
