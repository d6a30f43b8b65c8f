"""The failure callback: a failed run reaches each alert channel once and never breaks Airflow."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine, text

pytestmark = pytest.mark.airflow

RUN = SimpleNamespace(
    dag_id="trace_score_nightly",
    run_id="scheduled__2026-10-02T02:00:00+00:00",
    run_after=datetime(2026, 10, 2, 2, tzinfo=UTC),
)


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """The messages that reached a webhook of the alert connection."""
    messages: list[dict[str, Any]] = []

    class Webhook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Webhook)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"json://127.0.0.1:{server.server_port}/hook"
    connection = {"conn_type": "apprise", "extra": {"config": [{"path": url}]}}
    monkeypatch.setenv("AIRFLOW_CONN_TRACE_ALERTS", json.dumps(connection))
    yield messages
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_failed_run_is_told_once_a_channel(
    connections: str, engine: Engine, received: list[dict[str, Any]], dags: dict[str, Any]
) -> None:
    """Cleared and failed again, the same run is no second message; another run is."""
    tell = dags["trace_score_nightly"].on_failure_callback
    tell({"dag_run": RUN, "reason": "task_failure"})
    tell({"dag_run": RUN, "reason": "task_failure"})
    assert [message["title"] for message in received] == ["RAG quality: trace_score_nightly failed"]
    assert RUN.run_id.partition("__")[2] in received[0]["message"]  # underscores are markup in some channels
    tell({"dag": SimpleNamespace(dag_id="trace_watch_drift"), "run_id": "another", "reason": "timed_out"})
    assert "Run another of trace_watch_drift ran out of time." in received[1]["message"]
    with engine.connect() as connection:
        rows = connection.execute(text("select channel, state from trace.alert_delivery")).all()
    assert len(rows) == 4
    assert {row.state for row in rows} == {"sent"}


def test_a_database_that_is_away_does_not_keep_the_message_back(
    connections: str, received: list[dict[str, Any]], dags: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results database is a likely reason of the failure, so the message is sent without its record."""
    monkeypatch.setenv("AIRFLOW_CONN_TRACE_RESULTS", "postgres://nobody:x@127.0.0.1:1/trace")
    dags["trace_score_nightly"].on_failure_callback({"dag_run": RUN})
    assert len(received) == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("AIRFLOW_CONN_TRACE_ALERTS", '{"conn_type": "apprise", "extra": {"config": 5}}', "trace_alerts"),
        ("TRACE_LATE_DAYS", "many", "Setting late_days"),
        ("AIRFLOW_CONN_TRACE_RESULTS", "", "There is no Airflow connection 'trace_results'"),
    ],
)
def test_a_callback_that_cannot_tell_says_so_and_never_raises(
    connections: str,
    dags: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    value: str,
    said: str,
) -> None:
    """Whatever is wrong with the settings, the log says that the run failed, and why nobody else was told."""
    monkeypatch.setenv(name, value)
    if not value:
        monkeypatch.delenv(name)
    with caplog.at_level(logging.ERROR):
        dags["trace_score_nightly"].on_failure_callback({"dag_run": RUN})
        dags["trace_score_nightly"].on_failure_callback({})
    assert RUN.run_id in caplog.text
    assert said in caplog.text


def test_a_late_night_is_told_once_a_channel(
    connections: str, engine: Engine, received: list[dict[str, Any]], dags: dict[str, Any]
) -> None:
    """The deadline counts from the queue; its callback takes the plain values that Airflow gives it."""
    (deadline,) = dags["trace_score_nightly"].deadline
    assert deadline.interval.total_seconds() == 240 * 60
    module, _, name = deadline.callback.path.rpartition(".")
    tell = getattr(import_module(module), name)
    run = {"dag_id": RUN.dag_id, "dag_run_id": RUN.run_id, "run_after": "2026-10-02T02:00:00Z"}
    for _ in range(2):
        asyncio.run(tell(context={"dag_run": run, "deadline": {"id": "1"}}, anything="else"))
    assert [message["title"] for message in received] == ["RAG quality: trace_score_nightly is late"]
    assert "240 minutes after it was queued" in received[0]["message"]
    with engine.connect() as connection:
        row = connection.execute(text("select distinct event_key from trace.alert_delivery")).one()
    assert row[0] == f"run_late:{RUN.dag_id}:{RUN.run_id}"


def test_a_deadline_that_is_unset_watches_nothing(monkeypatch: pytest.MonkeyPatch, load_dags: Any) -> None:
    """An empty setting takes the deadline away."""
    monkeypatch.setenv("TRACE_ALERTS__DEADLINE_MINUTES", "")
    from trace_airflow.lateness import night_deadline

    assert night_deadline() is None
