"""# trace_digest

Tells the alert channels what the last whole week was like, Monday to Sunday, beside the week before.

- `plan_digest`: names the channels; none unless the setting `alerts.weekly_digest` is on.
- `send_digest`: sends one message, mapped over the channels, once a channel and week whatever is retried.

Mondays at 07:00 in `day_time_zone`, or at the end of quiet hours that cover it. A run by hand is about the
last week that is over.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import dag
from trace_airflow.defaults import DEFAULT_ARGS, START, TAGS
from trace_airflow.digesting import digest_timetable, plan_digest, send_digest
from trace_airflow.failures import tell_failure


@dag(
    dag_id="trace_digest",
    description="Tell the alert channels once a week how the nights were.",
    schedule=digest_timetable(),
    start_date=START,
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(hours=3),
    default_args=DEFAULT_ARGS,
    on_failure_callback=tell_failure,
    tags=TAGS,
    doc_md=__doc__,
)
def trace_digest() -> None:
    """Wire the weekly message."""
    send_digest.expand(channel=plan_digest())


trace_digest()
