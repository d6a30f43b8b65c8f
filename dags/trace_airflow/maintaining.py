"""The tasks of the weekly housekeeping. Each calls one step."""

from __future__ import annotations

from airflow.sdk import task


@task
def ensure_partitions() -> int:
    """Make the months ahead."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.maintain import ensure_partitions as step

    with open_run() as run:
        return step(run.pipeline, run.window.last_day)


@task
def apply_retention() -> list[str]:
    """Drop the months past the retention."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.maintain import apply_retention as step

    with open_run() as run:
        return step(run.pipeline, run.window.last_day)


@task
def advise_source() -> list[str]:
    """Look at the source's columns and index again."""
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.check_source import check_source as step

    with open_run() as run:
        return step(run.pipeline)
