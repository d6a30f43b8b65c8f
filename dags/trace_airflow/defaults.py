"""What all DAGs share: owner, retries, the table of errors, the asset and the pool."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import Asset, ExceptionRetryPolicy, RetryAction, RetryRule

log = logging.getLogger(__name__)

DAILY_METRIC = Asset("trace_daily_metric")
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
        RetryRule(exception=error, action=RetryAction.FAIL, reason=reason) for error, reason in _FAIL_NOW.items()
    ]
)

DEFAULT_ARGS: dict[str, Any] = {
    "owner": "rag-quality",
    "retries": 4,
    "retry_delay": timedelta(seconds=20),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=10),
    "retry_policy": RETRY_POLICY,
    "execution_timeout": timedelta(hours=2),
}


def tell_failure(context: Any) -> None:
    """Log one line that says which run failed; the failed task's own log says why."""
    run = context.get("dag_run")
    log.error(
        "%s: run %s failed. Its results stay as they were; open the failed task's log for the reason.",
        getattr(run, "dag_id", "a TRACe DAG"),
        getattr(run, "run_id", "?"),
    )
