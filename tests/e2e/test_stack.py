"""The demo's path with real components, small; then kills, a restarted Postgres, a second start and the stop.

The tests share one stack and build on each other in this order; each compares with the same traffic scored in
one process, in a database of its own.
"""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import psutil
import pytest
from sqlalchemy import text

from tests.conftest import checksum
from tests.e2e.stack import BATCH_ROWS, Local, fill, kill_batches, processes_of, traffic, undisturbed
from trace_pipeline.local import postgres
from trace_pipeline.local.demo import last_complete_day
from trace_pipeline.local.stack import stop_stack

pytestmark = pytest.mark.e2e

NIGHTS = 6
RECENT = traffic(last_complete_day(datetime.now(UTC)) - timedelta(days=NIGHTS - 1), nights=NIGHTS, logs=60)
KILLED = traffic(date(2026, 3, 1), nights=1, logs=16 * BATCH_ROWS)
RESTARTED = traffic(date(2026, 4, 1), nights=1, logs=8 * BATCH_ROWS)


def test_history_and_nights_are_scored_and_watched(local: Local) -> None:
    """trace_rescore, then two nights queued while the DAG is paused, then the watch by itself."""
    fill(local.engine, RECENT)
    for dag_id in ("trace_watch_drift", "trace_rescore"):
        local.api.pause(dag_id, paused=False)
    nights = [RECENT.day(NIGHTS - 2), RECENT.day(NIGHTS - 1)]
    run = local.rescore(RECENT.first_day, nights[0] - timedelta(days=1))
    assert local.api.wait_for_run("trace_rescore", run) == "success"
    queued = [local.api.trigger_night("trace_score_nightly", night) for night in nights]
    local.api.pause("trace_score_nightly", paused=False)
    assert [local.api.wait_for_run("trace_score_nightly", run) for run in queued] == ["success", "success"]
    local.api.wait_until_idle("trace_watch_drift")
    assert {run["state"] for run in local.api.runs("trace_watch_drift")} == {"success"}
    assert checksum(local.engine) == undisturbed(local, RECENT)


def test_a_night_queued_by_hand_is_not_run_again_by_the_schedule(local: Local) -> None:
    """The latest night, which an unpaused DAG starts by itself, is there once; the order is kept."""
    runs = sorted(local.api.runs("trace_score_nightly"), key=lambda run: run["start_date"])
    assert [run["logical_date"][:10] for run in runs] == [
        RECENT.day(NIGHTS - 2).isoformat(),
        RECENT.day(NIGHTS - 1).isoformat(),
    ]


def test_batches_are_labelled_by_number_and_day(local: Local) -> None:
    """The grid shows which key range a mapped task is about."""
    run = local.api.runs("trace_rescore")[0]
    labels = {task["rendered_map_index"] for task in local.batches("trace_rescore", run["dag_run_id"])}
    assert f"0001 from {RECENT.first_day}" in labels


def test_each_line_of_a_batch_says_run_day_and_batch(local: Local) -> None:
    """A task's log, as Airflow's API gives it, names what a line is about in fields of its own."""
    run = local.api.runs("trace_rescore")[0]["dag_run_id"]
    path = f"dags/trace_rescore/dagRuns/{run}/taskInstances/score_batch/logs/1?map_index=0"
    lines = [line for line in local.api.call("GET", path)["content"] if "Batch 0001" in line["event"]]
    assert [line["event"].split()[2].rstrip(":") for line in lines] == ["begins", "ends"]
    days = f"{RECENT.first_day}..{RECENT.day(NIGHTS - 3)}"
    wanted = {"dag_id": "trace_rescore", "run_id": run, "day": days, "batch_id": "0001"}
    for line in lines:
        assert wanted.items() <= line.items()


def test_everything_listens_on_loopback_alone(local: Local) -> None:
    """No component of the stack is reachable from another machine."""
    listening = set()
    for process in local.processes():
        try:
            connections = process.net_connections(kind="inet")
        except psutil.Error:
            continue
        listening |= {found.laddr.ip for found in connections if found.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


@pytest.mark.parametrize("path", ["dags", "dags/trace_score_nightly/dagRuns", "connections", "variables"])
def test_anonymous_callers_are_refused(local: Local, path: str) -> None:
    """Without a session the API tells nothing."""
    answer = httpx.get(f"{local.stack.ui_url}/api/v2/{path}", trust_env=False)
    assert answer.status_code in (401, 403)


def test_a_failed_run_fails_at_once_and_is_told(local: Local) -> None:
    """A rescore without days spends no retry, and Airflow's failure callback reaches the alert channel."""
    run = local.api.trigger("trace_rescore")
    assert local.api.wait_for_run("trace_rescore", run) == "failed"
    tasks = local.api.task_instances("trace_rescore", run)
    assert all(task["try_number"] <= 1 for task in tasks)
    place = {"key": f"run_failed:trace_rescore:{run}"}
    statement = text("select channel, state from trace.alert_delivery where event_key = :key")
    deadline = time.monotonic() + 60
    rows: list[tuple[str, str]] = []
    while not rows and time.monotonic() < deadline:
        with local.engine.connect() as connection:
            rows = [(row.channel, row.state) for row in connection.execute(statement, place)]
        time.sleep(0.5)
    assert rows == [("log", "sent")]


def test_batches_killed_at_random_moments_leave_the_same_rows(local: Local) -> None:
    """Two task processes and one LocalExecutor worker die by SIGKILL; Airflow's retries finish the night."""
    fill(local.engine, KILLED)
    run = local.rescore(KILLED.first_day, KILLED.first_day)
    kills = kill_batches(local, run, most=3, seed=5, workers=1)
    assert len(kills.landed) == 3
    assert local.api.wait_for_run("trace_rescore", run) == "success"
    retried = [batch for batch in local.batches("trace_rescore", run) if batch["try_number"] > 1]
    assert retried
    assert checksum(local.engine) == undisturbed(local, RECENT, KILLED)


def test_postgres_restarted_in_the_night_leaves_the_same_rows(local: Local) -> None:
    """Postgres, Airflow's own metadata in it, dies and comes back; the night is finished all the same."""
    fill(local.engine, RESTARTED)
    run = local.rescore(RESTARTED.first_day, RESTARTED.first_day)
    deadline = time.monotonic() + 120
    while not any(batch["state"] == "running" for batch in local.batches("trace_rescore", run)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert postgres.stop(local.folder / "postgres", mode="immediate")
    time.sleep(2)
    postgres.start(local.folder / "postgres")
    assert patient_wait(local, run) == "success"
    assert checksum(local.engine) == undisturbed(local, RECENT, KILLED, RESTARTED)


def patient_wait(local: Local, run: str) -> str:
    """Wait for a run while the API may answer with errors because its database has just come back."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        try:
            return local.api.wait_for_run("trace_rescore", run, timeout_seconds=240)
        except httpx.HTTPError:
            time.sleep(1)
    raise TimeoutError(run)


def test_starting_twice_is_safe(local: Local) -> None:
    """A second start stops what runs and starts it again with the same data, users and address."""
    before, runs = checksum(local.engine), local.api.runs("trace_rescore")
    again = Local.start(local.folder)
    assert again.stack == local.stack
    assert checksum(again.engine) == before
    assert len(again.api.runs("trace_rescore")) == len(runs)
    again.close()


def test_stopping_leaves_no_process_and_stopping_again_is_no_error(local: Local, folder: Path) -> None:
    """Every process of the stack is gone, workers and their children among them."""
    stopped = stop_stack(folder)
    assert set(stopped) == {"api-server", "scheduler", "dag-processor", "triggerer", "Postgres"}
    left = [(process.pid, process.cmdline()) for process in processes_of(folder)]
    assert left == []
    assert stop_stack(folder) == []
