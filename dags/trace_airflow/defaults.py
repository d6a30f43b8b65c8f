"""What all DAGs share: owner, retries, the table of errors, the asset, the pool and the timetable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import CronDataIntervalTimetable, ExceptionRetryPolicy, RetryAction, RetryRule
from airflow.sdk.exceptions import AirflowTimetableInvalid

from trace_airflow.assets import daily_metric_asset, rag_log_asset
from trace_core.errors import ConfigurationError
from trace_pipeline.settings import load_settings

DAILY_METRIC, RAG_LOG = daily_metric_asset(), rag_log_asset()
POOL = "trace_scoring"
START = datetime(2024, 1, 1, tzinfo=UTC)
TAGS = ["rag-quality", "trace"]

# The one place where errors of the pipeline become actions of Airflow. All else is retried with backoff.
_FAIL_NOW = {
    "trace_core.errors.ConfigurationError": "A setting is wrong; a retry cannot cure it.",
    "trace_core.errors.BadInput": "The data cannot be read; a retry cannot cure it.",
    "trace_pipeline.steps.check_ledger.LedgerUnbalanced": "The night does not add up; a person must look.",
}
RETRY_POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(exception=error, action=RetryAction.FAIL, reason=reason)
        for error, reason in _FAIL_NOW.items()
    ]
)

DEFAULT_ARGS: dict[str, Any] = {
    "owner": "rag-quality",
    "retries": 4,
    "retry_delay": timedelta(seconds=20),
    "retry_exponential_backoff": 2.0,  # a factor: True would be 1, which is none
    "max_retry_delay": timedelta(minutes=10),
    "retry_policy": RETRY_POLICY,
    "execution_timeout": timedelta(hours=2),
}

# Together at least 15 minutes: longer than the claim of a killed delivery lasts (CLAIM_STALE_AFTER in
# trace_pipeline/alerts/delivery.py), or its message would wait for the next night.
DELIVERY_RETRIES: dict[str, Any] = {"retries": 5, "retry_delay": timedelta(seconds=30)}


def nightly_timetable() -> CronDataIntervalTimetable:
    """Return the timetable of the settings; ConfigurationError when the schedule is no cron expression."""
    settings = load_settings()
    timetable = CronDataIntervalTimetable(settings.schedule, timezone=settings.day_time_zone)
    try:
        timetable.validate()
    except AirflowTimetableInvalid:
        raise ConfigurationError(
            f"Setting schedule (TRACE_SCHEDULE): {settings.schedule!r} is not a cron expression "
            "such as '0 2 * * *'."
        ) from None
    return timetable
