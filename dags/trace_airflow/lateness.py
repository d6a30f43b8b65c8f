"""The deadline of a night: a run that is not done by then is told to the channels, once, and goes on."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import AsyncCallback, DeadlineAlert, DeadlineReference

from trace_pipeline.settings import load_settings

if TYPE_CHECKING:
    from trace_pipeline.alerts import AlertMessage
    from trace_pipeline.settings import Settings

log = logging.getLogger(__name__)


def night_deadline() -> DeadlineAlert | None:
    """Return the deadline of the settings, counted from the moment a run is queued; None when it is unset.

    From then, not from the interval: a backfill of last year's nights is not late before it begins.
    """
    minutes = load_settings().alerts.deadline_minutes
    if minutes is None:
        return None
    return DeadlineAlert(
        name="night is late",
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(minutes=minutes),
        # In the triggerer: what runs in an executor is refused the connections of Airflow's own database. The
        # triggerer finds modules of the plugins folder only.
        callback=AsyncCallback("trace_deadline_plugin.tell_late"),
    )


def tell_late(context: dict[str, Any]) -> None:
    """Tell each alert channel which run is late. Airflow gives the run as plain values."""
    from trace_airflow.failures import tell_message

    run = context.get("dag_run") or {}
    dag_id, run_id = str(run.get("dag_id") or "a TRACe DAG"), str(run.get("dag_run_id") or "?")
    log.error("%s: run %s is late.", dag_id, run_id)
    settings = load_settings()
    tell_message(settings, late_message(settings, dag_id, run_id, run.get("run_after")))


def late_message(
    settings: Settings, dag_id: str, run_id: str, run_after: str | datetime | None
) -> AlertMessage:
    """Return the message of a run that is not done by its deadline: its key is DAG and run."""
    from datetime import UTC

    from trace_airflow.failures import run_link
    from trace_pipeline.alerts import AlertMessage
    from trace_pipeline.alerts.plain_text import one_line
    from trace_pipeline.window import day_of

    moment = datetime.fromisoformat(run_after) if isinstance(run_after, str) else run_after
    lines = [
        f"Run {one_line(run_id, 200)} of {dag_id} is not done {settings.alerts.deadline_minutes} minutes "
        "after it was queued. It goes on; there is no verdict on the night before it ends.",
        "Look whether its tasks run or wait: for slots of the pool trace_scoring, the source, or a worker.",
        *run_link(settings, dag_id, run_id),
    ]
    return AlertMessage(
        key=f"run_late:{dag_id}:{run_id}",
        title=one_line(f"RAG quality: {dag_id} is late", 160),
        body="\n".join(lines),
        severity="page",
        incident_id=None,
        metric="",
        day=day_of(moment or datetime.now(UTC), settings.day_time_zone),
    )
