"""The tasks of the watch. Each calls one step."""

from __future__ import annotations

from airflow.sdk import task

from trace_airflow.defaults import DELIVERY_RETRIES


@task
def detect_drift() -> list[str]:
    """Judge the nights; return the names of the channels that may have something to send."""
    from trace_airflow.channels import channel_addresses
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.detect_drift import detect_drift as step

    with open_run() as run:
        step(run.pipeline)
        return list(channel_addresses(run.pipeline.settings))


@task(map_index_template="{{ task.op_kwargs['channel'] }}", **DELIVERY_RETRIES)
def send_alerts(channel: str) -> list[str]:
    """Send what has not been sent through one channel; return the keys of the messages."""
    from trace_airflow.channels import channel_addresses
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.send_alerts import send_alerts as step

    with open_run() as run:
        return step(run.pipeline, channel_addresses(run.pipeline.settings)[channel])
