"""# trace_maintain

Weekly housekeeping of the results.

- `ensure_partitions`: makes the months of `trace.evaluation` ahead.
- `apply_retention`: drops the months older than the setting `retention_days` (unset: none).
- `advise_source`: looks at the source's index and columns again.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import CronDataIntervalTimetable, dag
from trace_airflow.defaults import DEFAULT_ARGS, START, TAGS
from trace_airflow.failures import tell_failure
from trace_airflow.maintaining import advise_source, apply_retention, ensure_partitions


@dag(
    dag_id="trace_maintain",
    description="Partitions ahead, retention, source index advice.",
    schedule=CronDataIntervalTimetable("0 5 * * 0", timezone="UTC"),
    start_date=START,
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(hours=3),
    default_args=DEFAULT_ARGS,
    on_failure_callback=tell_failure,
    tags=TAGS,
    doc_md=__doc__,
)
def trace_maintain() -> None:
    """Wire the weekly run."""
    ensure_partitions() >> apply_retention() >> advise_source()


trace_maintain()
