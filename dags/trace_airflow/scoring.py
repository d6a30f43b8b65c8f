"""The tasks of a scoring run, shared by the nightly DAG and the rescoring one. Each calls one step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from airflow.sdk import TriggerRule, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException

from trace_airflow.defaults import DAILY_METRIC, POOL, RAG_LOG


@task
def check_source() -> list[str]:
    """Refuse a source that does not fit the settings; return advice."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.check_source import check_source as step

    with open_run() as run:
        return step(run.pipeline)


@task
def plan_batches() -> list[Any]:
    """Part the run's days, and those that owe a judge, into key ranges."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.plan_batches import plan_batches as step

    with open_run() as run:
        return list(step(run.pipeline, run.window, late_days=run.late_days, debt=run.pays_debts))


# What the UI calls a batch: 0007 from 2026-11-30.
_LABEL = "{{ task.op_kwargs['batch']['batch_id'] }} from {{ task.op_kwargs['batch']['from_at'][:10] }}"


@task(
    pool=POOL,
    map_index_template=_LABEL,
    execution_timeout=timedelta(hours=1),
)
def score_batch(batch: Any) -> Any:
    """Ask a judge, where one is to be asked; then score one key range in one transaction."""
    from structlog.contextvars import bound_contextvars

    from trace_airflow.runs import open_run
    from trace_pipeline.steps.score_batch import score_batch as step

    with open_run() as run, bound_contextvars(batch_id=batch["batch_id"], batch_from=batch["from_at"]):
        return step(run.pipeline, batch, force=run.force)


@task(trigger_rule=TriggerRule.ALL_DONE)
def aggregate_day(batches: list[Any] | None, results: Sequence[Any] | None) -> list[str]:
    """Restate sums and ledger, also when a batch has failed: its logs are counted as failed."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.aggregate_day import aggregate_day as step
    from trace_pipeline.steps.measure_bridge import measure_bridge

    if batches is None:
        raise AirflowFailException(
            "The night was not planned, so there is nothing to add up: see the task before."
        )
    with open_run() as run:
        # A slice fetches all results at once; iterating would fetch them one by one.
        done = [] if results is None else list(results[:])
        days = step(run.pipeline, run.window, batches, done, late_days=run.late_days)
        if run.params.get("bridge"):
            measure_bridge(run.pipeline, run.window)
        return days


@task(inlets=[RAG_LOG], outlets=[DAILY_METRIC])
def check_ledger(days: list[str]) -> list[str]:
    """Hold the days against the checks, then tell the watch which days changed."""
    from trace_airflow.runs import open_run
    from trace_pipeline.headline import headline
    from trace_pipeline.steps.check_ledger import check_ledger as step

    with open_run() as run:
        notes = step(run.pipeline, days)
        get_current_context()["outlet_events"][DAILY_METRIC].extra = headline(run.pipeline, days)
        return notes
