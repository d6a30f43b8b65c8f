"""# trace_rescore

Scores any range of days: history older than the installation, or history under a new scorer fingerprint.

- `check_source`: refuses a source that does not fit the settings.
- `plan_batches`: parts the days into key ranges.
- `score_batch`: scores one range in one transaction, mapped over all of them.
- `aggregate_day`: restates sums and ledger of each day that changed.
- `check_ledger`: holds the days against the checks, then starts the watch.

Trigger it with `from_day` and `to_day` (both included; one day needs only the first). Results of an earlier
fingerprint stay; days already scored by the current one are left as they are unless `force` is set.

After an upgrade that changes the scorer, run it with `bridge` over days that the earlier version has scored:
the shift is measured on the logs scored by both, and the watch goes on without learning anew.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import Param, dag
from trace_airflow.defaults import DEFAULT_ARGS, START, TAGS
from trace_airflow.failures import tell_failure
from trace_airflow.scoring import aggregate_day, check_ledger, check_source, plan_batches, score_batch


@dag(
    dag_id="trace_rescore",
    description="Score a range of days: history, or a new fingerprint.",
    schedule=None,
    start_date=START,
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(days=2),
    default_args=DEFAULT_ARGS,
    on_failure_callback=tell_failure,
    tags=TAGS,
    doc_md=__doc__,
    params={
        "from_day": Param(None, type=["null", "string"], format="date", description="First day; required."),
        "to_day": Param(
            None,
            type=["null", "string"],
            format="date",
            description="Last day, included; empty = the first day.",
        ),
        "scorer": Param(
            None, type=["null", "string"], description="One scorer by name; empty = the setting scorers."
        ),
        "force": Param(
            False, type="boolean", description="Score logs again although nothing about them changed."
        ),
        "bridge": Param(
            False,
            type="boolean",
            description="Measure what the new scorer version alone changes, so that the trend goes on.",
        ),
    },
)
def trace_rescore() -> None:
    """Wire the same steps as the nightly run over the given days."""
    batches = plan_batches()
    scored = score_batch.expand(batch=batches)
    days = aggregate_day(batches, scored)
    check_source() >> batches
    check_ledger(days)


trace_rescore()
