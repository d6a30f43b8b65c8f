"""Airflow, by its REST API: components, DAGs, pool, import errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trace_pipeline.doctor.finding import Finding, advice, fault, ok

if TYPE_CHECKING:
    from trace_pipeline.local.rest import AirflowApi

_PART = "airflow"
DAGS = (
    "trace_score_nightly",
    "trace_watch_drift",
    "trace_rescore",
    "trace_maintain",
    "trace_digest",
    "trace_import",
)
_MUST_RUN = ("trace_score_nightly", "trace_watch_drift", "trace_maintain")
POOL = "trace_scoring"
_RESULTS = "trace_results"
_COMPONENTS = ("metadatabase", "scheduler", "dag_processor", "triggerer")


def check(url: str, user: str, password: str, max_batches: int) -> Iterator[Finding]:
    """Yield findings about the Airflow at `url`; needs the extra `local` (httpx)."""
    try:
        import httpx

        from trace_pipeline.local.rest import AirflowApi
    except ImportError:
        yield fault(_PART, "Airflow's API cannot be asked.", "Install the extra local (httpx).")
        return
    try:
        api = AirflowApi(url, password, user)
    except httpx.HTTPStatusError:
        yield fault(_PART, f"Airflow refuses the user {user}.", "Give TRACE_AIRFLOW_PASSWORD and its user.")
        return
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError) as error:
        yield fault(
            _PART,
            f"No Airflow answers at {url}: {type(error).__name__}.",
            "Is the api-server up, and the address that of its root?",
        )
        return
    try:
        findings = [*_components(api), *_dags(api), *_pool(api, max_batches), *_runs(api)]
    except httpx.HTTPError as error:
        findings = [fault(_PART, f"Airflow did not answer: {error}", "May this user read DAGs and pools?")]
    finally:
        api.close()
    yield from findings
    if not any(finding.level == "fault" for finding in findings):
        yield ok(_PART, "Its components are healthy and the DAGs are there.")


def _components(api: AirflowApi) -> Iterator[Finding]:
    state: dict[str, Any] = api.call("GET", "monitor/health")
    for name in _COMPONENTS:
        part = state.get(name) or {}
        if part.get("status") not in ("healthy", None):
            yield fault(_PART, f"The {name} is {part.get('status')}.", f"Start the {name}, read its log.")


def _dags(api: AirflowApi) -> Iterator[Finding]:
    for error in api.call("GET", "importErrors?limit=20")["import_errors"]:
        lines = str(error["stack_trace"]).strip().splitlines() or ["unknown"]
        yield fault(
            _PART,
            f"{error['filename']} cannot be imported: {lines[-1][:200]}",
            "Have dags/ and the installed package the same version, and is it installed where Airflow runs?",
        )
    found = {dag["dag_id"]: dag for dag in api.call("GET", "dags?dag_id_pattern=trace_%25&limit=100")["dags"]}
    missing = [name for name in DAGS if name not in found]
    if missing:
        yield fault(
            _PART,
            f"DAGs are missing: {', '.join(missing)}.",
            "Is dags/ in Airflow's DAGs folder, and the dag-processor running?",
        )
    paused = [name for name in _MUST_RUN if name in found and found[name]["is_paused"]]
    if paused:
        yield fault(
            _PART,
            f"DAGs are paused: {', '.join(paused)}.",
            "Unpause them: airflow dags unpause " + paused[0],
        )


def _pool(api: AirflowApi, max_batches: int) -> Iterator[Finding]:
    pools = {pool["name"]: pool for pool in api.call("GET", "pools?limit=100")["pools"]}
    slots = pools.get(POOL, {}).get("slots")
    if slots is None:
        yield fault(
            _PART,
            f"The pool {POOL} is missing, so no batch will start.",
            f'airflow pools set {POOL} 4 "Scoring batches that run at once"',
        )
    elif slots == 0:
        yield fault(
            _PART,
            f"The pool {POOL} has no slot, so no batch will start.",
            f'airflow pools set {POOL} 4 "Scoring batches that run at once"',
        )
    elif slots > max_batches > 0:
        yield advice(
            _PART,
            f"The pool {POOL} has {slots} slots, but a run has at most {max_batches} batches.",
            "Raise max_batches, or give the pool fewer slots.",
        )


def _runs(api: AirflowApi) -> Iterator[Finding]:
    """Look at the last nightly run; without a good one, also whether Airflow knows the databases."""
    known = {dag["dag_id"] for dag in api.call("GET", "dags?dag_id_pattern=trace_%25&limit=100")["dags"]}
    if _MUST_RUN[0] not in known:
        return  # which is said already
    found = api.call("GET", f"dags/{_MUST_RUN[0]}/dagRuns?order_by=-run_after&limit=10")["dag_runs"]
    ended = [run for run in found if run["state"] in ("success", "failed")]
    if ended and ended[0]["state"] == "success":
        return
    if ended:
        yield fault(
            _PART,
            f"The last run of {_MUST_RUN[0]} failed ({ended[0]['dag_run_id']}).",
            "Read the log of its failed task: the sentence at its end says what to do; then clear the task.",
        )
    connections = {
        found["connection_id"]
        for found in api.call("GET", "connections?connection_id_pattern=trace_%25&limit=100")["connections"]
    }
    if _RESULTS not in connections:
        yield advice(
            _PART,
            f"Airflow's database has no connection {_RESULTS}, and no run has succeeded lately.",
            f"Add it, or give every worker AIRFLOW_CONN_{_RESULTS.upper()} (README, On Airflow).",
        )
