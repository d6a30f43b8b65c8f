"""The task that judges the frozen logs, and what is told when it fails: the night's scoring goes on."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import task

if TYPE_CHECKING:
    from trace_pipeline.alerts import AlertMessage
    from trace_pipeline.settings import Settings

log = logging.getLogger(__name__)


def tell_anchor_failure(context: Any) -> None:
    """Tell each alert channel that a night has no verdict on its scorers. Never raises."""
    from trace_airflow.failures import tell_message
    from trace_pipeline.settings import load_settings

    run = context.get("dag_run")
    log.error("The frozen logs were not judged; the night is scored all the same.")
    try:
        settings = load_settings()
        tell_message(settings, anchor_failure_message(settings, run))
    except Exception as error:
        # The text of a foreign error may hold an address with its password; its type does not.
        log.error("The failure was not told: %s", type(error).__name__)


def anchor_failure_message(settings: Settings, run: Any) -> AlertMessage:
    """Return the message of a night whose frozen logs were not judged: its key is DAG and run."""
    from trace_airflow.failures import run_link
    from trace_pipeline.alerts import AlertMessage
    from trace_pipeline.alerts.plain_text import one_line
    from trace_pipeline.window import day_of

    dag_id, run_id = str(run.dag_id), str(run.run_id)
    lines = [
        f"Task score_anchor of {dag_id}, run {one_line(run_id, 200)}, failed.",
        "The night is scored all the same, but nothing tells a judge that changed from answers that did.",
        "Open the task's log for the reason; clear the task alone once it is cured.",
        *run_link(settings, dag_id, run_id),
    ]
    return AlertMessage(
        key=f"anchor_failed:{dag_id}:{run_id}",
        title=one_line("RAG quality: the frozen logs were not judged", 160),
        body="\n".join(lines),
        severity="info",
        incident_id=None,
        metric="scorer",
        day=day_of(run.run_after, settings.day_time_zone),
    )


# The night waits for it: it asks before the budget is spent on traffic.
@task(execution_timeout=timedelta(minutes=30), on_failure_callback=tell_anchor_failure)
def score_anchor() -> list[str]:
    """Let each scorer that may change under its name judge the frozen logs; nothing where there is none."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.score_anchor import score_anchor as step

    with open_run() as run:
        return step(run.pipeline, run.window.last_day)
