"""Two runs of the same night at once: one works, the other waits; killed holders hold nothing."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from multiprocessing.synchronize import Event
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.conftest import checksum
from tests.sql.tools import rows
from trace_core.errors import TemporaryFault
from trace_core.scorers.lexical import LexicalScorer
from trace_pipeline.batches import Batch
from trace_pipeline.claims import claimed
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.load import load_logs
from trace_pipeline.nightly import run_window
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.source import Key
from trace_pipeline.window import Window, day_start

MakePipeline = Callable[..., Pipeline]
DAY = date(2026, 10, 1)
_spawned = multiprocessing.get_context("spawn")


def fill(engine: Engine, logs: int = 90) -> None:
    """Write a night of sample traffic."""
    settings = SampleSettings(first_day=DAY, nights=1, logs_per_night=logs, release_night=None)
    for _ in load_logs(engine, generate(settings)):
        pass


def whole_day(pipeline: Pipeline, first: date = DAY, last: date = DAY) -> Batch:
    """Return a batch of whole days."""
    zone = pipeline.settings.day_time_zone
    return Batch("0001", Key(day_start(first, zone)), Key(day_start(last + timedelta(days=1), zone)))


def run_night(url: str, run_id: str, counted: Any, begun: Event) -> None:
    """Run the night in a process of its own, slowly, and count the logs that it scores."""
    score_many = LexicalScorer.score_many

    def slowly(self: LexicalScorer, logs: Any) -> Iterator[Any]:
        for evaluation in score_many(self, logs):
            begun.set()
            time.sleep(0.01)
            with counted.get_lock():
                counted.value += 1
            yield evaluation

    LexicalScorer.score_many = slowly  # type: ignore[method-assign]
    settings = load_settings(scorers=("lexical",), batch_rows=30)
    pipeline = open_pipeline(settings, results_url=url, run_id=run_id)
    run_window(pipeline, Window(DAY, DAY), late_days=0)
    pipeline.close()


def hold(url: str, run_id: str, held: Event) -> None:
    """Claim the night in a process of its own until it is killed."""
    pipeline = open_pipeline(load_settings(scorers=("lexical",)), results_url=url, run_id=run_id)
    with claimed(pipeline, whole_day(pipeline)):
        held.set()
        time.sleep(60)


@contextmanager
def holding(url: str, run_id: str) -> Iterator[int]:
    """Let another process claim the night; yields its id and ends it."""
    held = _spawned.Event()
    process = _spawned.Process(target=hold, args=(url, run_id, held))
    process.start()
    try:
        assert held.wait(30) and process.pid is not None
        yield process.pid
    finally:
        process.kill()
        process.join(10)


def test_two_runs_of_a_night_score_each_log_once(
    database: str, engine: Engine, make_pipeline: MakePipeline
) -> None:
    """Two processes, two runs: together they score what there is, and the rows are those of one run."""
    fill(engine)
    counted, begun = _spawned.Value("i", 0), _spawned.Event()
    runs = [
        _spawned.Process(target=run_night, args=(database, name, counted, begun))
        for name in ("nightly:scheduled__1", "nightly:manual__2")
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0, 0]
    logs = rows(engine, "select count(*) from trace.evaluation")[0][0]
    assert logs > 60 and counted.value == logs
    both = checksum(engine)
    run_window(make_pipeline(), Window(DAY, DAY), late_days=0, force=True)
    assert checksum(engine) == both


def test_a_run_that_waits_says_for_whom_and_goes_on_when_that_one_is_killed(
    database: str, engine: Engine, make_pipeline: MakePipeline, caplog: pytest.LogCaptureFixture
) -> None:
    """SIGKILL leaves no claim behind."""
    fill(engine, 10)
    with holding(database, "trace_score_nightly:scheduled__2026-10-02") as other:
        begun = time.monotonic()
        alarm = signal.signal(signal.SIGALRM, lambda *_: os.kill(other, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, 1.5)
        try:
            with caplog.at_level(logging.WARNING, "trace_pipeline.claims"):
                report = run_window(make_pipeline("manual__1"), Window(DAY, DAY), late_days=0)
        finally:
            signal.signal(signal.SIGALRM, alarm)
        assert 1.4 < time.monotonic() - begun < 30 and report.changed > 5
    told = [record.getMessage() for record in caplog.records if record.name == "trace_pipeline.claims"]
    assert told == [
        "Run trace_score_nightly:scheduled__2026-10-02 is at work on the same days: this batch waits until it "
        "is done."
    ]


def test_a_run_that_waited_too_long_fails_in_a_sentence(database: str, make_pipeline: MakePipeline) -> None:
    """The other run and the setting are named; the task is retried later."""
    pipeline = make_pipeline("manual__1", results_lock_timeout_seconds=1)
    with (
        holding(database, "nightly:scheduled__1"),
        pytest.raises(TemporaryFault, match=r"Run nightly:scheduled__1 .* results_lock_timeout_seconds"),
        claimed(pipeline, whole_day(pipeline)),
    ):
        pass


def test_batches_of_one_run_work_side_by_side(make_pipeline: MakePipeline) -> None:
    """And so do runs of other days, or of other scorers."""
    one, again = make_pipeline("night"), make_pipeline("night")
    other_scorer = make_pipeline("other", scorers="heuristic", results_lock_timeout_seconds=1)
    other_day = make_pipeline("other", results_lock_timeout_seconds=1)
    next_day = whole_day(one, DAY + timedelta(days=1), DAY + timedelta(days=8))
    with (
        claimed(one, whole_day(one)),
        claimed(again, whole_day(again)),
        claimed(other_scorer, whole_day(other_scorer)),
        claimed(other_day, next_day),
    ):
        pass


def test_a_batch_of_years_meets_a_batch_of_a_day(make_pipeline: MakePipeline) -> None:
    """It claims months, of which each day is one; the server has not room for a lock a day."""
    years, day = make_pipeline("rescore"), make_pipeline("night", results_lock_timeout_seconds=1)
    long = whole_day(years, DAY - timedelta(days=1_500), DAY + timedelta(days=1_500))
    with (
        claimed(years, long),
        pytest.raises(TemporaryFault, match="Run rescore "),
        claimed(day, whole_day(day)),
    ):
        pass
    years = make_pipeline("rescore", results_lock_timeout_seconds=1)
    with (
        claimed(day, whole_day(day)),
        pytest.raises(TemporaryFault, match="Run night "),
        claimed(years, long),
    ):
        pass


def test_nothing_is_claimed_after_a_batch(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Neither after its end nor after an error in it."""
    pipeline = make_pipeline("night")
    with claimed(pipeline, whole_day(pipeline)):
        assert rows(engine, "select count(*) from pg_locks where locktype = 'advisory'")[0][0] == 1
    with pytest.raises(LookupError), claimed(pipeline, whole_day(pipeline)):
        raise LookupError
    deadline = time.monotonic() + 10
    while (left := rows(engine, "select count(*) from pg_locks where locktype = 'advisory'")[0][0]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.05)  # the server notices the end of a connection a moment later
    assert left == 0


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("select pg_sleep(5)", "TRACE_RESULTS_URL: a statement was ended after the longest time"),
        ("select pg_advisory_xact_lock(7)", "TRACE_RESULTS_URL: another session held what was needed"),
    ],
)
def test_a_timeout_is_told_in_a_sentence(
    engine: Engine, make_pipeline: MakePipeline, statement: str, sentence: str
) -> None:
    """And is a fault that a retry may cure."""
    limits = {"results_statement_timeout_seconds": 2, "results_lock_timeout_seconds": 1}
    pipeline = make_pipeline(**limits)
    with engine.begin() as holder, pipeline.results.connect() as connection:
        holder.execute(text("select pg_advisory_xact_lock(7)"))
        with pytest.raises(TemporaryFault, match=sentence):
            connection.execute(text(statement))
