"""The tasks of the weekly digest. Each calls one step."""

from __future__ import annotations

from datetime import datetime

from airflow.sdk import CronDataIntervalTimetable, get_current_context, task

from trace_airflow.defaults import DELIVERY_RETRIES
from trace_pipeline.settings import load_settings

_MONDAY_AT = "07:00"


def digest_timetable() -> CronDataIntervalTimetable:
    """Return Mondays at 07:00 in day_time_zone, or the end of quiet hours that cover it."""
    settings = load_settings()
    clock = _MONDAY_AT
    if settings.alerts.quiet_hours is not None:
        start, _, end = settings.alerts.quiet_hours.partition("-")
        quiet = start <= clock < end if start < end else clock >= start or clock < end
        clock = end if quiet else clock
    hour, minute = clock.split(":")
    return CronDataIntervalTimetable(f"{minute} {hour} * * 1", timezone=settings.day_time_zone)


@task
def plan_digest() -> list[str]:
    """Return the names of the channels; none unless the setting alerts.weekly_digest is on."""
    from trace_airflow.channels import channel_addresses

    settings = load_settings()
    return list(channel_addresses(settings)) if settings.alerts.weekly_digest else []


@task(map_index_template="{{ task.op_kwargs['channel'] }}", **DELIVERY_RETRIES)
def send_digest(channel: str) -> list[str]:
    """Send the last week's digest through one channel; return the keys of what was sent."""
    from trace_airflow.channels import channel_addresses
    from trace_airflow.runs import open_run
    from trace_pipeline.steps.send_digest import send_digest as step

    with open_run() as run:
        address = channel_addresses(run.pipeline.settings)[channel]
        return step(run.pipeline, address, now=_moment())


def _moment() -> datetime:
    """Return the end of the run's data interval, so that a run of last month is about its own week."""
    run = get_current_context()["dag_run"]
    moment: datetime = run.data_interval_end or run.run_after
    return moment
