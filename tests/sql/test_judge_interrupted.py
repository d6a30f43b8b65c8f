"""A judging night through faults, a short budget, eight tasks at a time and kills: nothing lost or paid twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.judge_stub import FAULTS, Asked, Reply, Stub, judge_stub, supported, verdict
from tests.sql.test_judge_night import found, some
from tests.sql.tools import DAY, MakePipeline, a_log, insert, rows
from trace_core.reasons import REASONS
from trace_pipeline.steps.aggregate_day import aggregate_day
from trace_pipeline.steps.check_ledger import check_ledger
from trace_pipeline.steps.plan_batches import plan_batches
from trace_pipeline.steps.score_batch import score_batch
from trace_pipeline.window import Window

TASKS = 8
BALANCED = (
    "select s.name, source_rows, scored + skipped + quarantined + sampled_out + failed"
    " from trace.ledger join trace.scorer s using (scorer_id) order by 1"
)
PAID_TWICE = (
    "select content_hash from trace.judge_call where outcome = 'answered' group by content_hash"
    " having count(*) > 1"
)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A judge's endpoint, for a client that does not wait long."""
    monkeypatch.setattr("trace_pipeline.judges.asking.FIRST_PAUSE_SECONDS", 0.005)
    with judge_stub() as running:
        yield running


def settings(stub: Stub, scorers: str = "lexical,judge", **judge: Any) -> dict[str, Any]:
    """Return the settings of a pipeline that asks the stub about every log."""
    own = {"endpoint": stub.url, "model": "m", "timeout_seconds": 0.5, "attempts": 2, "sampling_rate": 1.0}
    return {"scorers": scorers, "judge": {**own, "calls_per_night": None, "sampling_least": 0, **judge}}


def storm(seed: int) -> Any:
    """Answer half of the requests, and meet each of the faults about as often as any other."""
    chance, lock = random.Random(seed), Lock()
    names = sorted(FAULTS)

    def behaviour(asked: Asked) -> Reply:
        with lock:
            fault = None if chance.random() < 0.5 else chance.choice(names)
        return replace(FAULTS[fault](asked), pause=0.002) if fault else verdict(asked)

    return behaviour


def run_side_by_side(make_pipeline: MakePipeline, window: Window, late_days: int, options: Any) -> None:
    """Run a night with eight tasks at a time, each with its own context; the ledger is checked."""
    planner, *workers = [make_pipeline(**options) for _ in range(TASKS + 1)]
    batches = plan_batches(planner, window, late_days=late_days, debt=True)
    with ThreadPoolExecutor(TASKS) as pool:
        results = list(
            pool.map(lambda job: score_batch(*job), [(workers[n % TASKS], b) for n, b in enumerate(batches)])
        )
    check_ledger(planner, aggregate_day(planner, window, batches, results, late_days=late_days))


@pytest.mark.parametrize("seed", [1, 2])
def test_every_log_ends_scored_or_with_a_reason_and_no_call_is_beyond_the_budget(
    engine: Engine, make_pipeline: MakePipeline, stub: Stub, seed: int
) -> None:
    """Eight tasks, a random mixture of all faults, a budget that does not suffice; later nights heal it."""
    many, most = 96, 60
    insert(engine, *some(many - 2), a_log("empty", response=""), a_log("refusal", response="I don't know."))
    stub.behaviour = storm(seed)
    options = {**settings(stub, "lexical,judge,hybrid", calls_per_night=most), "batch_rows": many // TASKS}
    window = Window(DAY, DAY)
    run_side_by_side(make_pipeline, window, 0, options)
    for name in ("lexical", "judge", "hybrid"):
        stored = found(engine, name)
        assert len(stored) == many
        assert all(status == "scored" or reason in REASONS for status, reason, *_ in stored.values())
    assert {row[0] for row in found(engine, "lexical").values()} == {"scored", "skipped"}
    booked = "select calls, (select count(*) from trace.judge_call) from trace.judge_budget"
    ((calls, made),) = rows(engine, booked)
    # A call that timed out before the stub had read it is booked as well.
    assert len(stub.asked) <= calls == made <= most
    assert rows(engine, "select count(*) from trace.judge_call where outcome = 'under_way'") == [(0,)]
    assert all(source == many == outcomes for _, source, outcomes in rows(engine, BALANCED))
    assert rows(engine, PAID_TWICE) == []
    stub.behaviour = supported
    options["judge"]["calls_per_night"] = None
    run_side_by_side(make_pipeline, Window(DAY + timedelta(days=1), DAY + timedelta(days=1)), 1, options)
    for name in ("judge", "hybrid"):
        assert {row[1] for row in found(engine, name).values()} <= {"", "sampling", "empty_response"}
    assert rows(engine, PAID_TWICE) == []


def test_an_endpoint_that_is_down_leaves_lexical_rows_and_reasons(
    engine: Engine, make_pipeline: MakePipeline, stub: Stub
) -> None:
    """Nobody listens: after a few attempts nobody is asked any more, and the night ends."""
    insert(engine, *some(30), a_log("sure"))
    options = settings(stub, "lexical,hybrid", endpoint="http://127.0.0.1:9/v1", concurrency=2)
    run_side_by_side(make_pipeline, Window(DAY, DAY), 0, options)
    assert {row[0] for row in found(engine, "lexical").values()} == {"scored"}
    hybrid = found(engine, "hybrid")
    assert hybrid.pop("sure")[:3] == ("scored", "", "lexical")
    assert {row[:2] for row in hybrid.values()} == {("failed", "judge_unavailable")}
    assert rows(engine, "select calls < 12 from trace.judge_budget") == [(True,)]


def test_a_killed_night_pays_again_only_for_calls_under_way(
    engine: Engine, database: str, stub: Stub, tmp_path: Path
) -> None:
    """kill -9 six times while the judge is asked; the run that is left alone ends as if nothing had been."""
    many, concurrency, kills = 60, 3, 6
    insert(engine, *some(many))
    dice = random.Random(5)
    with nights_in_processes(database, stub, tmp_path, concurrency) as run:
        for _ in range(kills):
            assert run(kill_at=len(stub.asked) + dice.randint(1, 8)) == signal.SIGKILL
        assert rows(engine, "select count(*) from trace.evaluation where status = 'scored'") == [(0,)]
        assert run(kill_at=None) == 0
    assert {row[0] for row in found(engine, "judge").values()} == {"scored"}
    assert all(source == many == outcomes for _, source, outcomes in rows(engine, BALANCED))
    lost = dict(
        rows(
            engine,
            "select content_hash, count(*) from trace.judge_call where outcome = 'under_way' group by 1",
        )
    )
    assert sum(lost.values()) <= kills * concurrency
    made = rows(engine, "select content_hash, count(*) from trace.judge_call group by 1")
    assert len(made) == many and all(count == 1 + lost.get(key, 0) for key, count in made)
    assert len({str(request.body["messages"]) for request in stub.asked}) == many
    assert many <= len(stub.asked) <= many + sum(lost.values())
    assert rows(engine, "select calls from trace.judge_budget") == [(many + sum(lost.values()),)]


# Imports once, then runs each command line it reads in a process of its own.
_RUNNER = """
import os, sys
import trace_pipeline.judges.making, trace_pipeline.judges.judge, trace_pipeline.nightly
from trace_core import evaluate
from trace_pipeline.cli.main import main
evaluate("Why?", "So.", ["So."])
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.dup2(2, 1)
        sys.argv = ["trace-pipeline", *line.split()]
        main()
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@contextmanager
def nights_in_processes(
    database: str, stub: Stub, folder: Path, concurrency: int
) -> Iterator[Callable[..., int]]:
    """Give a function that runs the night in a process, kills it at a request, and returns how it ended."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRACE_")}
    environment |= {
        "TRACE_RESULTS_URL": database,
        "TRACE_SCORERS": "judge",
        "TRACE_JUDGE__ENDPOINT": stub.url,
        "TRACE_JUDGE__MODEL": "m",
        "TRACE_JUDGE__SAMPLING_RATE": "1",
        "TRACE_JUDGE__CONCURRENCY": str(concurrency),
        "TRACE_JUDGE__ANCHOR": "false",
    }
    with (
        (folder / "run.txt").open("ab") as said,
        subprocess.Popen(
            [sys.executable, "-c", _RUNNER],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        ) as runner,
    ):
        assert runner.stdin and runner.stdout

        def run(kill_at: int | None) -> int:
            started = Event()
            child: list[int] = []

            def behaviour(asked: Asked) -> Reply:
                if kill_at is not None and asked.number >= kill_at and started.wait(30):
                    with suppress(ProcessLookupError):
                        os.kill(child[0], signal.SIGKILL)
                return replace(supported(asked), delay=0.02)

            stub.behaviour = behaviour
            print(f"run --date {DAY} --late-days 0", file=runner.stdin, flush=True)
            child.append(int(runner.stdout.readline()))
            started.set()
            return int(runner.stdout.readline())

        yield run
        runner.stdin.close()
