"""The DAGs, run by Airflow in this process over a real Postgres."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.conftest import checksum
from tests.dags.conftest import states
from trace_pipeline.load import load_logs
from trace_pipeline.sample import SampleSettings, generate

pytestmark = pytest.mark.airflow

FIRST = date(2026, 10, 1)
SECOND = FIRST + timedelta(days=1)


def fill(engine: Engine, nights: int = 2, logs: int = 60) -> None:
    """Write a few nights of sample traffic."""
    settings = SampleSettings(
        first_day=FIRST, nights=nights, logs_per_night=logs, malformed_share=0.1, release_night=None
    )
    for _ in load_logs(engine, generate(settings)):
        pass


def ledger(engine: Engine) -> dict[date, tuple[int, int]]:
    """Return day -> (source rows, rows of failed batches)."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("select day, source_rows, failed from trace.ledger order by day")
        ).all()
    return {row.day: (row.source_rows, row.failed) for row in rows}


def test_a_night_run_twice_and_rescored_leaves_the_same_rows(
    engine: Engine, run_dag: Callable[..., Any]
) -> None:
    """trace_score_nightly twice, then trace_rescore over the same days, also by force: one checksum."""
    fill(engine)
    assert run_dag("trace_score_nightly", SECOND).state == "success"
    before = checksum(engine)
    assert before["evaluation"][0] > 100
    assert run_dag("trace_score_nightly", SECOND).state == "success"
    assert checksum(engine) == before
    days = {"from_day": FIRST.isoformat(), "to_day": SECOND.isoformat()}
    assert run_dag("trace_rescore", **days, force=True).state == "success"
    assert checksum(engine) == before


def test_a_run_without_interval_is_about_the_last_complete_day(
    engine: Engine, run_dag: Callable[..., Any]
) -> None:
    """Triggered by hand in the morning, the nightly DAG scores yesterday; watch and housekeeping follow."""
    fill(engine)
    morning = datetime(2026, 10, 3, 9, tzinfo=UTC)
    run = run_dag("trace_score_nightly", run_after=morning)
    assert (run.logical_date, run.data_interval_start, run.state) == (None, None, "success")
    assert max(ledger(engine)) == SECOND
    watch = run_dag("trace_watch_drift", run_after=morning)
    assert states(watch) == {"detect_drift": "success", "send_alerts[0]": "success"}
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from trace.drift_check")) > 0
    assert run_dag("trace_maintain", run_after=morning).state == "success"


def test_the_digest_is_sent_once_a_week_where_it_is_wanted(
    engine: Engine, run_dag: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off, nothing is sent and nothing fails; on, one message about the week that ended, once."""
    monday = datetime(2026, 10, 5, 7, tzinfo=UTC)
    off = run_dag("trace_digest", run_after=monday)
    assert (off.state, states(off)["plan_digest"]) == ("success", "success")
    monkeypatch.setenv("TRACE_ALERTS__WEEKLY_DIGEST", "true")
    for moment in (monday, monday + timedelta(days=2)):
        assert states(run_dag("trace_digest", run_after=moment))["send_digest[0]"] == "success"
    with engine.connect() as connection:
        told = connection.execute(text("select event_key, channel, state from trace.alert_delivery")).all()
    assert [tuple(row) for row in told] == [("digest:lexical:2026-09-28:2026-10-04", "log", "sent")]


def test_a_failing_batch_fails_the_run_and_is_in_the_ledger(
    engine: Engine, run_dag: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch is lost: the others count, its logs are `failed`, the run is red; clearing it heals all."""
    fill(engine, nights=1)
    monkeypatch.setenv("TRACE_BATCH_ROWS", "20")
    break_batch(monkeypatch, "0002")
    run = run_dag("trace_score_nightly", FIRST)
    found = states(run)
    assert sorted(state for name, state in found.items() if name.startswith("score_batch"))[0] == "failed"
    assert (found["aggregate_day"], found["check_ledger"], run.state) == ("success", "failed", "failed")
    assert ledger(engine)[FIRST][1] == 20
    break_batch(monkeypatch, "none")
    assert run_dag("trace_score_nightly", FIRST).state == "success"
    assert ledger(engine)[FIRST][1] == 0


def break_batch(monkeypatch: pytest.MonkeyPatch, batch_id: str) -> None:
    """Make one batch meet a fault that passes (not in this test's time)."""
    from trace_core.errors import TemporaryFault
    from trace_pipeline.steps import score_batch as module

    whole = module.score_batch

    def broken(pipeline: Any, message: Any, **options: Any) -> Any:
        if message["batch_id"] == batch_id:
            raise TemporaryFault("The source went away.")
        return whole(pipeline, message, **options)

    whole = getattr(whole, "whole", whole)
    broken.whole = whole  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "score_batch", broken)


def test_a_wrong_setting_fails_at_once_with_its_name(
    engine: Engine,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """No retry is spent on a table that does not exist, and the task's log names the setting."""
    monkeypatch.setenv("TRACE_SOURCE__TABLE", "no_such_table")
    run = run_dag("trace_rescore", retries=None, from_day="2026-10-01", to_day="2026-10-01")
    tries = {task.task_id: (task.try_number, str(task.state)) for task in run.get_task_instances()}
    assert tries["check_source"] == (1, "failed")
    assert tries["aggregate_day"] == (1, "failed")
    assert run.state == "failed"
    assert "Settings source.table_schema and source.table: there is no table or view 'no_such_table'" in told(
        capfd
    )


def test_a_missing_connection_is_named(
    engine: Engine,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Without trace_results the task says which connection to add, and is not retried."""
    monkeypatch.delenv("AIRFLOW_CONN_TRACE_RESULTS")
    run = run_dag("trace_maintain", retries=None)
    tries = {task.task_id: task.try_number for task in run.get_task_instances()}
    assert (run.state, tries["ensure_partitions"]) == ("failed", 1)
    assert "There is no Airflow connection 'trace_results'" in told(capfd)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (
            {"from_day": "2026-10-05", "to_day": "2026-10-01"},
            "from_day 2026-10-05 is after to_day 2026-10-01",
        ),
        ({"from_day": "2026-10-01", "to_day": "2026-10-01", "scorer": "nonsense"}, "scorers"),
    ],
)
def test_a_rescore_of_impossible_days_or_scorers_is_refused(
    run_dag: Callable[..., Any], capfd: pytest.CaptureFixture[str], params: dict[str, str], expected: str
) -> None:
    """What the form's schema cannot know is refused by the first task that meets it, with a sentence."""
    run = run_dag("trace_rescore", retries=None, **params)
    assert run.state == "failed"
    assert all(task.try_number <= 1 for task in run.get_task_instances())
    assert expected in told(capfd)


def told(capfd: pytest.CaptureFixture[str]) -> str:
    """Return what the tasks logged."""
    captured = capfd.readouterr()
    return captured.out + captured.err
