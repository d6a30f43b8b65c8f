"""A thin client of Airflow's REST API: what the demo and the end-to-end tests ask of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import httpx

_ENDED = ("success", "failed")


class AirflowApi:
    """One signed-in session. Raises httpx.HTTPStatusError for refused calls."""

    def __init__(self, base_url: str, password: str, user: str = "admin") -> None:
        self._client = httpx.Client(base_url=base_url, timeout=30, trust_env=False)
        try:
            answer = self._client.post("/auth/token", json={"username": user, "password": password})
            answer.raise_for_status()
            self._client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        except Exception:
            self._client.close()
            raise

    def close(self) -> None:
        """End the session."""
        self._client.close()

    def call(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        """Send a request to /api/v2 and return its JSON."""
        answer = self._client.request(method, f"/api/v2/{path}", json=body or None)
        if answer.is_error:
            raise httpx.HTTPStatusError(
                f"{method} {path}: {answer.status_code} {answer.text[:500]}",
                request=answer.request,
                response=answer,
            )
        return dict(answer.json()) if answer.content else {}

    def wait_for_dags(self, *dag_ids: str, timeout_seconds: float = 120) -> None:
        """Wait until the DAGs are parsed; raises RuntimeError with the import errors when they are not."""
        deadline = time.monotonic() + timeout_seconds
        known: set[str] = set()
        while time.monotonic() < deadline:
            known = {dag["dag_id"] for dag in self.call("GET", "dags")["dags"]}
            if known >= set(dag_ids):
                return
            time.sleep(0.5)
        errors = [error["stack_trace"] for error in self.call("GET", "importErrors")["import_errors"]]
        raise RuntimeError(f"DAGs missing: {sorted(set(dag_ids) - known)}. Import errors: {errors}")

    def ensure_pool(self, name: str, slots: int, description: str) -> None:
        """Create a pool, or give it this size."""
        try:
            self.call("POST", "pools", name=name, slots=slots, description=description)
        except httpx.HTTPStatusError as error:
            if error.response.status_code != httpx.codes.CONFLICT:
                raise
            self.call(
                "PATCH",
                f"pools/{name}",
                name=name,
                slots=slots,
                description=description,
                include_deferred=False,
            )

    def pause(self, dag_id: str, *, paused: bool) -> None:
        """Pause a DAG or let it run."""
        self.call("PATCH", f"dags/{dag_id}", is_paused=paused)

    def trigger(self, dag_id: str, **conf: Any) -> str:
        """Start a run without a logical date; returns its id."""
        return str(self.call("POST", f"dags/{dag_id}/dagRuns", logical_date=None, conf=conf)["dag_run_id"])

    def trigger_night(self, dag_id: str, day: date, hour: int = 2) -> str:
        """Queue the run of the data interval that begins on `day`, as the timetable would; returns its id."""
        start = datetime.fromisoformat(f"{day}T{hour:02d}:00:00+00:00")
        interval = {
            "data_interval_start": start.isoformat(),
            "data_interval_end": (start + timedelta(days=1)).isoformat(),
        }
        body = {"logical_date": start.isoformat(), "dag_run_id": f"night__{day}", **interval}
        return str(self.call("POST", f"dags/{dag_id}/dagRuns", **body)["dag_run_id"])

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """Return the runs of a DAG, newest first."""
        return list(self.call("GET", f"dags/{dag_id}/dagRuns?limit=100&order_by=-run_after")["dag_runs"])

    def task_instances(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """Return the task instances of a run."""
        path = f"dags/{dag_id}/dagRuns/{run_id}/taskInstances?limit=1000"
        return list(self.call("GET", path)["task_instances"])

    def wait_for_run(
        self,
        dag_id: str,
        run_id: str,
        *,
        timeout_seconds: float = 600,
        tick: Callable[[list[dict[str, Any]]], None] = lambda _: None,
        every_seconds: float = 0.5,
    ) -> str:
        """Wait until a run has ended and return its state; raises TimeoutError."""
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            state = str(self.call("GET", f"dags/{dag_id}/dagRuns/{run_id}")["state"])
            tick(self.task_instances(dag_id, run_id))
            if state in _ENDED:
                return state
            time.sleep(every_seconds)
        raise TimeoutError(f"{dag_id} {run_id} had not ended after {timeout_seconds:.0f} s.")

    def wait_until_idle(self, dag_id: str, *, timeout_seconds: float = 300, quiet_seconds: float = 3) -> None:
        """Wait until a DAG has had a run and none is queued or running for a while; raises TimeoutError."""
        deadline = time.monotonic() + timeout_seconds
        quiet_since: float | None = None
        while time.monotonic() < deadline:
            runs = self.runs(dag_id)
            if runs and all(run["state"] in _ENDED for run in runs):
                quiet_since = quiet_since or time.monotonic()
                if time.monotonic() - quiet_since >= quiet_seconds:
                    return
            else:
                quiet_since = None
            time.sleep(0.5)
        raise TimeoutError(f"{dag_id} was not idle after {timeout_seconds:.0f} s.")
