"""# trace_score_nightly

Scores the day that has just ended, and logs of the days before it that came late or changed.

- `score_anchor`: lets a scorer that asks a judge judge the frozen logs; its failure stops nothing.
- `check_source`: refuses a source that does not fit the settings.
- `plan_batches`: parts the days into key ranges.
- `score_batch`: scores one range in one transaction, mapped over all of them.
- `aggregate_day`: restates sums and ledger of each day that changed.
- `check_ledger`: holds the days against the checks, then starts the watch.

`score_batch` needs the pool `trace_scoring` (Admin, Pools; 4 slots for a start).

A run that is not done `alerts.deadline_minutes` after it was queued is told to the channels, and goes on.

Running it again for a day changes nothing. A batch that fails is retried; one that fails for good leaves its
logs counted as `failed` in the ledger, and the next night takes them up.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import Param, TriggerRule, dag
from trace_airflow.anchors import score_anchor
from trace_airflow.defaults import DEFAULT_ARGS, START, TAGS, nightly_timetable
from trace_airflow.failures import tell_failure
from trace_airflow.lateness import night_deadline
from trace_airflow.scoring import aggregate_day, check_ledger, check_source, plan_batches, score_batch


@dag(
    dag_id="trace_score_nightly",
    description="Score the day's RAG logs with the TRACe metrics and restate late days.",
    schedule=nightly_timetable(),
    start_date=START,
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(hours=12),
    deadline=night_deadline(),
    default_args=DEFAULT_ARGS,
    on_failure_callback=tell_failure,
    tags=TAGS,
    doc_md=__doc__,
    params={
        "late_days": Param(
            None,
            type=["null", "integer"],
            minimum=0,
            maximum=90,
            description="Days looked back for late or changed logs; empty = the setting late_days.",
        ),
        "force": Param(
            False, type="boolean", description="Score logs again although nothing about them changed."
        ),
    },
)
def trace_score_nightly() -> None:
    """Wire the nightly run."""
    batches = plan_batches()
    scored = score_batch.expand(batch=batches)
    days = aggregate_day(batches, scored)
    # Before the batches, which spend the budget, and yet no condition of theirs.
    score_anchor() >> check_source.override(trigger_rule=TriggerRule.ALL_DONE)() >> batches
    check_ledger(days)


trace_score_nightly()
