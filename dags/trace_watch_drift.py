"""# trace_watch_drift

Judges each night that a scoring run has restated, and tells people about changes, once each.

- `detect_drift`: judges every stored night anew.
- `send_alerts`: sends what has not been sent, mapped over the channels.

Started by the asset `trace_daily_metric`. The verdicts are a pure function of the stored sums, so this DAG
may be run again at any time: nothing is sent twice.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import dag
from trace_airflow.defaults import DEFAULT_ARGS, START, TAGS
from trace_airflow.failures import tell_failure
from trace_airflow.watching import detect_drift, send_alerts, watch_schedule


@dag(
    dag_id="trace_watch_drift",
    description="Judge the trend of adherence and completeness and alert with evidence.",
    schedule=watch_schedule(),
    start_date=START,
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(hours=3),
    default_args=DEFAULT_ARGS,
    on_failure_callback=tell_failure,
    tags=TAGS,
    doc_md=__doc__,
)
def trace_watch_drift() -> None:
    """Wire the watch."""
    send_alerts.expand(channel=detect_drift())


trace_watch_drift()
