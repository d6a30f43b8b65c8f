"""Runs that are disturbed: logs move meanwhile, batches fail or are killed, two runs meet."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.sql.tools import DAY, LEDGER, MakePipeline, a_log, execute, insert, night, noon, outcomes, rows
from trace_pipeline.batches import BatchMessage, BatchResult
from trace_pipeline.context import Pipeline
from trace_pipeline.results import Known, load_known
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.steps.aggregate_day import aggregate_day
from trace_pipeline.steps.check_ledger import LedgerUnbalanced, check_ledger
from trace_pipeline.steps.plan_batches import plan_batches
from trace_pipeline.steps.score_batch import score_batch
from trace_pipeline.window import Window

NEXT = DAY + timedelta(days=1)
WINDOW = Window(NEXT, NEXT)


def disturbed(
    pipeline: Pipeline,
    *,
    planned: Callable[[], object] = lambda: None,
    scored: Callable[[], object] = lambda: None,
    lost: Callable[[BatchMessage], bool] = lambda batch: False,
    late_days: int = 1,
) -> list[str]:
    """Run the window, with something happening after planning and after scoring, and some batches lost."""
    batches = plan_batches(pipeline, WINDOW, late_days=late_days)
    planned()
    results = [score_batch(pipeline, batch) for batch in batches if not lost(batch)]
    scored()
    return aggregate_day(pipeline, WINDOW, batches, results, late_days=late_days)


def four_logs(engine: Engine) -> None:
    """Two logs in each of two days."""
    insert(
        engine, a_log("a"), a_log("b", noon(hours=1)), a_log("c", noon(NEXT)), a_log("d", noon(NEXT, hours=1))
    )


def test_logs_that_come_and_go_after_planning(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Batches are ranges: what is there when a batch reads is scored, what has gone is not missed."""
    four_logs(engine)

    def meanwhile() -> None:
        insert(engine, a_log("new", noon(NEXT, minutes=30)), a_log("early", noon(hours=-11)))
        execute(engine, "delete from trace.rag_log where log_id = 'd'")

    pipeline = make_pipeline(batch_rows=1)
    days = disturbed(pipeline, planned=meanwhile)
    assert check_ledger(pipeline, days) == []
    assert rows(engine, LEDGER) == [(DAY, 3, 3, 0, 0, 0), (NEXT, 2, 2, 0, 0, 0)]


def test_logs_that_come_and_go_after_scoring(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The ledger is of what was read, and balances; the next night takes up the rest."""
    four_logs(engine)

    def meanwhile() -> None:
        insert(engine, a_log("new", noon(NEXT, minutes=30)))
        execute(engine, "delete from trace.rag_log where log_id in ('a', 'c')")

    pipeline = make_pipeline()
    days = disturbed(pipeline, scored=meanwhile)
    assert check_ledger(pipeline, days) == []
    assert rows(engine, LEDGER) == [(DAY, 2, 2, 0, 0, 0), (NEXT, 2, 2, 0, 0, 0)]
    night(make_pipeline(), NEXT, late_days=1)
    assert rows(engine, LEDGER) == [(DAY, 1, 1, 0, 0, 0), (NEXT, 2, 2, 0, 0, 0)]


def test_a_failed_batch_is_in_the_ledger_and_heals(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Logs that no batch reached are failed(batch_failed), the check ends the run, the next run is whole."""
    four_logs(engine)
    pipeline = make_pipeline(batch_rows=1)
    days = disturbed(pipeline, lost=lambda batch: batch["from_id"] == "d")
    assert rows(engine, LEDGER)[-1] == (NEXT, 2, 1, 0, 0, 1)
    assert rows(engine, "select reasons from trace.ledger where day = :day", day=NEXT) == [
        ({"batch_failed": 1},)
    ]
    with pytest.raises(LedgerUnbalanced, match="2026-10-02, scorer lexical: 1 of 2 logs were not reached"):
        check_ledger(pipeline, days)
    night(make_pipeline(), NEXT, late_days=1)
    assert rows(engine, LEDGER)[-1] == (NEXT, 2, 2, 0, 0, 0)


def test_all_batches_failed(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Not one result: both days are accounted for as failed, nothing is lost."""
    four_logs(engine)
    disturbed(make_pipeline(), lost=lambda batch: True)
    assert rows(engine, LEDGER) == [(DAY, 2, 0, 0, 0, 2), (NEXT, 2, 0, 0, 0, 2)]
    night(make_pipeline(), NEXT, late_days=1)
    assert rows(engine, LEDGER) == [(DAY, 2, 2, 0, 0, 0), (NEXT, 2, 2, 0, 0, 0)]


def test_a_batch_killed_before_it_could_report(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Its rows are written; the retry changes nothing and reports the same, and the late day is restated all the same."""
    four_logs(engine)
    pipeline = make_pipeline()
    batches = plan_batches(pipeline, WINDOW, late_days=1)
    for batch in batches:
        score_batch(pipeline, batch)  # killed here: nobody hears of it
    results = [score_batch(pipeline, batch) for batch in batches]
    assert [result["changed"] for result in results] == [0, 0]
    assert sum(sum(result["read"].values()) for result in results) == 4
    assert aggregate_day(pipeline, WINDOW, batches, results, late_days=1) == [
        DAY.isoformat(),
        NEXT.isoformat(),
    ]
    assert rows(engine, LEDGER) == [(DAY, 2, 2, 0, 0, 0), (NEXT, 2, 2, 0, 0, 0)]
    assert rows(engine, "select * from trace.day_to_restate") == []


def test_a_batch_that_breaks_writes_nothing(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is one transaction: an error in its last moment leaves no row."""
    four_logs(engine)
    pipeline = make_pipeline()
    (batch,) = plan_batches(pipeline, WINDOW, late_days=0)

    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("trace_pipeline.results.BatchWriter.finish", broken)
    with pytest.raises(OSError, match="disk"):
        score_batch(pipeline, batch)
    assert outcomes(engine) == {}


def test_aggregating_again_changes_nothing(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A retry of aggregate_day after its commit writes the same rows."""
    four_logs(engine)
    pipeline = make_pipeline()
    batches = plan_batches(pipeline, WINDOW, late_days=1)
    results: list[BatchResult] = [score_batch(pipeline, batch) for batch in batches]
    aggregate_day(pipeline, WINDOW, batches, results, late_days=1)
    before = checksum(engine)
    assert aggregate_day(pipeline, WINDOW, batches, results, late_days=1) == [NEXT.isoformat()]
    assert checksum(engine) == before


def test_runs_at_the_same_time_end_like_one(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Three runs over the same days in three threads, batches of different sizes: the rows of a single run."""
    settings = SampleSettings(
        first_day=DAY, nights=2, logs_per_night=60, malformed_share=0.1, release_night=None
    )
    insert(engine, *generate(settings))
    pipelines = [make_pipeline(f"run-{size}", batch_rows=size) for size in (10, 25, 1_000)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda pipeline: night(pipeline, nights=2, force=True), pipelines))
    together = checksum(engine)
    for table in ("evaluation", "quarantine", "ledger", "daily_metric", "daily_document"):
        execute(engine, f"delete from trace.{table}")
    night(make_pipeline(), nights=2)
    assert checksum(engine) == together


def test_a_run_never_removes_what_another_has_just_scored(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that arrives and is scored by another run just as this one starts to read keeps its evaluation.

    Runs of the same days take turns; this is what holds when the session with a claim is lost.
    """
    monkeypatch.setattr("trace_pipeline.steps.score_batch.claimed", lambda *_place: nullcontext())
    insert(engine, a_log("a"), a_log("c"))
    other = make_pipeline("other")

    def meanwhile(*place: Any) -> Known:
        monkeypatch.setattr("trace_pipeline.steps.score_batch.load_known", load_known)
        insert(engine, a_log("b"))
        night(other)
        return load_known(*place)

    monkeypatch.setattr("trace_pipeline.steps.score_batch.load_known", meanwhile)
    night(make_pipeline())
    assert outcomes(engine) == {"a": "scored", "b": "scored", "c": "scored"}
    assert rows(engine, LEDGER) == [(DAY, 3, 3, 0, 0, 0)]
