"""doctor against a real Airflow: a sound stack, then a paused DAG, a missing pool, a wrong password."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.stack import Local
from trace_pipeline.doctor import airflow

_BATCHES = 200


@pytest.fixture
def restored(local: Local) -> Iterator[Local]:
    """The stack, with its DAGs' switches and its pool put back afterwards."""
    paused = {dag["dag_id"]: dag["is_paused"] for dag in local.api.call("GET", "dags?limit=100")["dags"]}
    yield local
    for dag_id, state in paused.items():
        local.api.pause(dag_id, paused=state)
    local.api.ensure_pool(airflow.POOL, 4, "Batches scored at once")


def faults(local: Local, password: str | None = None) -> list[str]:
    """Return what is wrong with the stack's Airflow, sentence and remedy."""
    found = airflow.check(local.stack.ui_url, "admin", password or local.stack.password, _BATCHES)
    return [f"{finding.text} {finding.remedy}" for finding in found if finding.level == "fault"]


def test_doctor_finds_what_is_wrong_with_an_airflow(restored: Local) -> None:
    """A paused DAG, a pool without slots and one that is gone, each with its remedy; no other fault."""
    api = restored.api
    for dag_id in airflow.DAGS:
        api.pause(dag_id, paused=False) if dag_id != "trace_score_nightly" else None
    api.pause("trace_score_nightly", paused=True)
    paused = faults(restored)
    assert len(paused) == 1 and "paused: trace_score_nightly" in paused[0], paused
    api.ensure_pool(airflow.POOL, 0, "none")
    assert any("no slot" in fault and "airflow pools set" in fault for fault in faults(restored))
    api.call("DELETE", f"pools/{airflow.POOL}")
    assert any("is missing, so no batch will start" in fault for fault in faults(restored))
    assert faults(restored, password="wrong") == [
        "Airflow refuses the user admin. Give TRACE_AIRFLOW_PASSWORD and its user."
    ]
