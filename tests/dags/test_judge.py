"""The nightly DAG with scorers that ask a judge, whose endpoint is the Airflow connection `trace_judge`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.judge_stub import judge_stub
from tests.sql.test_judge_night import found, some
from tests.sql.tools import DAY, a_log, insert, rows
from trace_core.errors import ConfigurationError

pytestmark = pytest.mark.airflow


def test_a_night_asks_the_judge_of_the_connection(
    engine: Engine,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """lexical and hybrid in parallel batches: the doubtful logs are the judge's, the key goes to it alone."""
    insert(engine, *some(6), a_log("sure"))
    monkeypatch.setenv("TRACE_SCORERS", "lexical,hybrid")
    monkeypatch.setenv("TRACE_JUDGE__MODEL", "m")
    monkeypatch.setenv("TRACE_BATCH_ROWS", "3")
    monkeypatch.setenv("TRACE_JUDGE__ANCHOR", "false")
    with judge_stub() as stub:
        connection = {"conn_type": "http", "host": stub.url, "password": "key-of-the-test"}
        monkeypatch.setenv("AIRFLOW_CONN_TRACE_JUDGE", json.dumps(connection))
        assert run_dag("trace_score_nightly", DAY).state == "success"
        assert {request.headers["authorization"] for request in stub.asked} == {"Bearer key-of-the-test"}
        assert len(stub.asked) == 6
    assert {row[0] for row in found(engine, "lexical").values()} == {"scored"}
    decided = {log_id: row[2] for log_id, row in found(engine, "hybrid").items()}
    assert decided.pop("sure") == "lexical" and set(decided.values()) == {"judge"}
    assert rows(engine, "select night, calls from trace.judge_budget") == [(DAY, 6)]
    assert "key-of-the-test" not in "".join(capfd.readouterr())


def test_a_night_judges_the_frozen_logs_first(
    engine: Engine, run_dag: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they leave of the budget is for traffic; a run again asks for nothing more."""
    insert(engine, *some(6))
    monkeypatch.setenv("TRACE_SCORERS", "lexical,hybrid")
    monkeypatch.setenv("TRACE_JUDGE__MODEL", "m")
    monkeypatch.setenv("TRACE_JUDGE__CALLS_PER_NIGHT", "60")
    with judge_stub() as stub:
        monkeypatch.setenv("AIRFLOW_CONN_TRACE_JUDGE", json.dumps({"conn_type": "http", "host": stub.url}))
        assert run_dag("trace_score_nightly", DAY).state == "success"
        assert run_dag("trace_score_nightly", DAY).state == "success"
        assert len(stub.asked) == 60
    judged = "select night, status, count(*) from trace.anchor_verdict group by 1, 2"
    assert rows(engine, judged) == [(DAY, "scored", 58)]
    assert sorted(row[0] for row in found(engine, "hybrid").values()) == ["sampled_out"] * 4 + ["scored"] * 2


def test_frozen_logs_that_cannot_be_read_stop_no_night(
    engine: Engine, run_dag: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The task fails and is told; the night is scored, and is a success."""
    insert(engine, *some(2))
    path = tmp_path / "anchors.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    monkeypatch.setenv("TRACE_SCORERS", "lexical,hybrid")
    monkeypatch.setenv("TRACE_JUDGE__MODEL", "m")
    monkeypatch.setenv("TRACE_JUDGE__ANCHOR_FILE", str(path))
    with judge_stub() as stub:
        monkeypatch.setenv("AIRFLOW_CONN_TRACE_JUDGE", json.dumps({"conn_type": "http", "host": stub.url}))
        run = run_dag("trace_score_nightly", DAY)
    states = {instance.task_id: instance.state for instance in run.get_task_instances()}
    assert run.state == "success"
    assert (states["score_anchor"], states["check_ledger"]) == ("failed", "success")
    assert {row[0] for row in found(engine, "hybrid").values()} == {"scored"}
    told = rows(engine, "select event_key, state from trace.alert_delivery")
    assert [(key.split(":")[0], state) for key, state in told] == [("anchor_failed", "sent")]


def test_a_judge_without_an_endpoint_is_refused_by_name(
    engine: Engine,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Before anything is planned, with the setting and the connection to choose from."""
    monkeypatch.setenv("TRACE_SCORERS", "lexical,judge")
    monkeypatch.setenv("TRACE_JUDGE__MODEL", "m")
    assert run_dag("trace_score_nightly", DAY, retries=None).state == "failed"
    assert "judge.endpoint" in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("connection", "address"),
    [
        ({"host": "https://judge.example/v1/"}, "https://judge.example/v1"),
        ({"host": "judge.example", "port": 8000, "extra": {"path": "/v1"}}, "http://judge.example:8000/v1"),
        ({"host": "judge.example", "schema": "https", "extra": {"path": "v1"}}, "https://judge.example/v1"),
    ],
)
def test_the_connection_gives_the_address_and_the_key(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch, connection: dict[str, Any], address: str
) -> None:
    """A whole address as the host, or its parts; the password is the key."""
    from trace_airflow.runs import judge_endpoint

    assert judge_endpoint() == ("", "")
    monkeypatch.setenv(
        "AIRFLOW_CONN_TRACE_JUDGE", json.dumps({"conn_type": "http", "password": "k", **connection})
    )
    assert judge_endpoint() == (address, "k")


@pytest.mark.parametrize("host", ["ftp://judge.example", "http://me:secret@judge.example/v1", "two words"])
def test_a_connection_that_leads_nowhere_is_refused_without_its_secrets(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """The sentence names the connection and quotes nothing of it."""
    from trace_airflow.runs import judge_endpoint

    monkeypatch.setenv("AIRFLOW_CONN_TRACE_JUDGE", json.dumps({"conn_type": "http", "host": host}))
    with pytest.raises(ConfigurationError, match="trace_judge") as refused:
        judge_endpoint()
    assert "secret" not in str(refused.value)
