"""A run without Airflow: the same steps in the same order, in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trace_pipeline.context import Pipeline
from trace_pipeline.steps.aggregate_day import aggregate_day
from trace_pipeline.steps.check_ledger import check_ledger
from trace_pipeline.steps.check_source import check_source
from trace_pipeline.steps.plan_batches import plan_batches
from trace_pipeline.steps.score_anchor import score_anchor
from trace_pipeline.steps.score_batch import score_batch
from trace_pipeline.window import Window


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did: restated days (ISO), logs read, logs changed, sentences to read."""

    days: list[str]
    read: int
    changed: int
    notes: list[str]


def run_window(
    pipeline: Pipeline,
    window: Window,
    *,
    late_days: int,
    force: bool = False,
    debt: bool = False,
    anchors: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> RunReport:
    """Score the window, its late days and, with `debt`, days that owe; raises as the steps do.

    anchors: before it the frozen logs are judged, as in a nightly run.
    """
    notes = check_source(pipeline)
    if anchors:
        notes += score_anchor(pipeline, window.last_day)
    batches = plan_batches(pipeline, window, late_days=late_days, debt=debt)
    results = []
    for number, batch in enumerate(batches, start=1):
        results.append(score_batch(pipeline, batch, force=force))
        progress(number, len(batches))
    days = aggregate_day(pipeline, window, batches, results, late_days=late_days)
    notes += check_ledger(pipeline, days)
    read = sum(sum(result["read"].values()) for result in results)
    return RunReport(days, read, sum(result["changed"] for result in results), notes)
