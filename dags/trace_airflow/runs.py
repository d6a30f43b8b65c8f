"""Opens a run: the task's context and the Airflow connections become a Pipeline and its days."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import structlog
from airflow.sdk import BaseHook, get_current_context
from sqlalchemy import URL

from trace_core.errors import ConfigurationError
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.setting_types import web_address
from trace_pipeline.settings import load_settings
from trace_pipeline.window import Window, resolve_window

RESULTS, SOURCE, ALERTS, JUDGE = "trace_results", "rag_logs", "trace_alerts", "trace_judge"


@dataclass(frozen=True)
class Run:
    """One task's view of its DAG run."""

    pipeline: Pipeline
    params: dict[str, Any]

    @property
    def window(self) -> Window:
        """The days of this run; runs without a data interval are about the last complete day."""
        # Not by the form's schema: a param without default breaks the context Airflow gives to callbacks.
        if "from_day" in self.params and not self.params["from_day"]:
            raise ConfigurationError(
                "Give from_day, the first day to score, and to_day if it is more than one day."
            )
        run = get_current_context()["dag_run"]
        return resolve_window(
            self.pipeline.settings.day_time_zone,
            interval_start=run.data_interval_start,
            interval_end=run.data_interval_end,
            run_after=run.run_after,
            from_day=self.params.get("from_day"),
            to_day=self.params.get("to_day"),
        )

    @property
    def late_days(self) -> int:
        """How many days before the window are looked through for late logs; none for an explicit range."""
        return 0 if self.params.get("from_day") else self.pipeline.settings.late_days

    @property
    def pays_debts(self) -> bool:
        """Whether days are read again that a judge's budget did not reach; not in a run over given days."""
        return not self.params.get("from_day") and not self.force

    @property
    def force(self) -> bool:
        """Whether logs are scored although nothing about them changed."""
        return bool(self.params.get("force"))


@contextmanager
def open_run() -> Iterator[Run]:
    """Open the current task's run and close its connections afterwards.

    Each line that is logged meanwhile has `dag_id`, `run_id` and, as `day`, the run's days.
    """
    context = get_current_context()
    params = dict(context["params"])
    scorer = params.get("scorer")
    settings = load_settings(scorers=(scorer,) if scorer else None, late_days=params.get("late_days"))
    results = connection_url(RESULTS)
    judge_url, judge_key = judge_endpoint() if {"judge", "hybrid"} & {*settings.scorers} else ("", "")
    pipeline = open_pipeline(
        settings,
        results_url=results,
        source_url=connection_url(SOURCE, default=results),
        run_id=f"{context['dag_run'].dag_id}:{context['dag_run'].run_id}",
        results_named=f"Airflow connection {RESULTS}",
        source_named=f"Airflow connection {SOURCE}",
        judge_url=judge_url,
        judge_key=judge_key,
    )
    run = Run(pipeline, params)
    marks = {"dag_id": context["dag_run"].dag_id, "run_id": context["dag_run"].run_id}
    with suppress(ConfigurationError):  # the step says it
        first, last = run.window.first_day, run.window.last_day
        marks["day"] = str(first) if first == last else f"{first}..{last}"
    try:
        with structlog.contextvars.bound_contextvars(**marks):
            yield run
    finally:
        pipeline.close()


def connection_url(name: str, *, default: str | None = None) -> str:
    """Return the psycopg2 URL of an Airflow connection; `default` where there is no such connection."""
    found = _connection(name)
    if found is None:
        if default is not None:
            return default
        raise ConfigurationError(
            f"There is no Airflow connection {name!r}: add one of type postgres that leads to "
            "the results database."
        )
    if found.conn_type not in ("postgres", "postgresql"):
        raise ConfigurationError(
            f"Airflow connection {name!r} is of type {found.conn_type!r}; it must be of type postgres."
        )
    options = {key: str(value) for key, value in found.extra_dejson.items() if key in _LIBPQ_OPTIONS}
    url = URL.create(
        "postgresql+psycopg2",
        found.login,
        found.password,
        found.host,
        found.port,
        found.schema,
        options,
    )
    return url.render_as_string(hide_password=False)


def judge_endpoint() -> tuple[str, str]:
    """Return address and key of the connection `trace_judge`; empty strings where there is none.

    Its host is the whole address (`https://host:port/v1`), or a name beside a port and, as the schema, `http`
    or `https`; then the extra field's `path` is what follows. The key is the password.
    """
    found = _connection(JUDGE)
    if found is None:
        return "", ""
    host = (found.host or "").strip().rstrip("/")
    if host and "://" not in host:
        scheme = found.schema if found.schema in ("http", "https") else "http"
        port = f":{found.port}" if found.port else ""
        path = str(found.extra_dejson.get("path", "")).strip("/")
        host = f"{scheme}://{host}{port}/{path}".rstrip("/")
    try:
        return web_address(host, credentials=f"the password of the connection {JUDGE}"), found.password or ""
    except ValueError as error:
        raise ConfigurationError(f"Airflow connection {JUDGE!r}, its host: {error}.") from None


def connection_extra(name: str) -> dict[str, Any]:
    """Return the extra fields of an Airflow connection; none where there is no such connection."""
    found = _connection(name)
    return dict(found.extra_dejson) if found is not None else {}


def _connection(name: str) -> Any:
    """Return an Airflow connection, None where there is none of that name."""
    try:
        return BaseHook.get_connection(name)
    except Exception as error:
        if type(error).__name__ != "AirflowNotFoundException":
            raise
        return None


_LIBPQ_OPTIONS = frozenset(
    (
        "sslmode",
        "sslrootcert",
        "sslcert",
        "sslkey",
        "target_session_attrs",
        "keepalives_idle",
        "channel_binding",
    )
)
