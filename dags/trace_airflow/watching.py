"""The tasks of the watch. Each calls one step."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from airflow.sdk import AssetOrTimeSchedule, CronTriggerTimetable, task

from trace_airflow.defaults import DAILY_METRIC, DELIVERY_RETRIES
from trace_pipeline.settings import load_settings


def watch_schedule() -> Any:
    """Start the watch by the asset; with quiet hours also at their end, for the messages that waited."""
    settings = load_settings()
    if settings.alerts.quiet_hours is None:
        return [DAILY_METRIC]
    hour, minute = settings.alerts.quiet_hours.partition("-")[2].split(":")
    morning = CronTriggerTimetable(f"{minute} {hour} * * *", timezone=settings.day_time_zone)
    return AssetOrTimeSchedule(timetable=morning, assets=[DAILY_METRIC])


@task(inlets=[DAILY_METRIC])
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
        address = channel_addresses(run.pipeline.settings)[channel]
        return step(run.pipeline, address, now=datetime.now(UTC))
