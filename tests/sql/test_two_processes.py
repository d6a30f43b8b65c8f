"""Two commands over the same night, as real processes: one works, the other waits, says so and finds all done."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from tests.conftest import checksum
from tests.judge_stub import judge_stub
from tests.sql.tools import DAY, MakePipeline, a_log, insert, night, noon, rows
from trace_pipeline.sqlfiles import query

A_DAY = timedelta(days=1)
NEXT = DAY + A_DAY
WAITS = "is at work on the same days: this batch waits until it is done."


def fill(engine: Engine) -> int:
    """Write two small nights; returns their logs."""
    with (
        engine.begin() as connection
    ):  # what is planned makes no partition: that would wait for the lock below
        connection.execute(
            query("ensure_partitions"), {"first_day": DAY - 2 * A_DAY, "last_day": NEXT + 2 * A_DAY}
        )
    logs = [a_log(f"{day}-{at}", noon(day, minutes=at)) for day in (DAY, NEXT) for at in range(12)]
    # No two questions alike, so that no answer of a judge is found again.
    insert(engine, *({**log, "question": f"How long is the warranty of {log['log_id']}?"} for log in logs))
    return len(logs)


def start(url: str, folder: Path, *arguments: str, **settings: str) -> subprocess.Popen[str]:
    """Start `trace-pipeline run` in a process; what it says goes to a file."""
    environment = {"TRACE_RESULTS_URL": url, "TRACE_SCORERS": "lexical", "COLUMNS": "200", **settings}
    with (folder / f"{time.monotonic_ns()}.log").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "trace_pipeline.cli", "run", *arguments],
            env={**os.environ, **environment},
            stdout=said,
            stderr=said,
            text=True,
        )
    process.said = Path(said.name)  # type: ignore[attr-defined]
    return process


def two_runs(
    engine: Engine,
    url: str,
    folder: Path,
    first: tuple[str, ...],
    second: tuple[str, ...],
    settings: Mapping[str, str],
) -> list[str]:
    """Hold the first run in mid-batch until the second waits for it; returns what the two said."""
    claims = "select count(*) from pg_locks where locktype = 'advisory' and objsubid = 2"
    runs = []
    try:
        with engine.begin() as holder:
            holder.execute(text("lock table trace.evaluation in exclusive mode"))  # read, but not written
            runs.append(start(url, folder, *first, **settings))
            _until(lambda: rows(engine, claims)[0][0] > 0)
            runs.append(start(url, folder, *second, **settings))
            _until(lambda: WAITS in " ".join(runs[1].said.read_text().split()))  # type: ignore[attr-defined]
        assert [run.wait(90) for run in runs] == [0, 0]
    finally:
        for run in runs:
            run.kill()
            run.wait()
    return [" ".join(run.said.read_text().split()) for run in runs]  # type: ignore[attr-defined]


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def changed(said: str) -> int:
    """Return how many logs a run says it changed."""
    found = re.search(r"([\d,]+) changed", said)
    assert found, said
    return int(found[1])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("--date", str(NEXT), "--late-days", "1"), ("--date", str(NEXT), "--late-days", "1")),
        (("--date", str(DAY), "--to", str(NEXT)), ("--date", str(NEXT), "--late-days", "1")),
    ],
    ids=["the same night twice", "a rescore over the night"],
)
def test_one_run_works_and_the_other_waits(
    engine: Engine,
    database: str,
    make_pipeline: MakePipeline,
    tmp_path: Path,
    first: tuple[str, ...],
    second: tuple[str, ...],
) -> None:
    """Each log is changed by one of them, and the rows are those of a single run."""
    logs = fill(engine)
    said = two_runs(engine, database, tmp_path, first, second, {})
    assert "Run command-line, process " in said[1] and WAITS in said[1] and WAITS not in said[0]
    assert [changed(one) for one in said] == [logs, 0]
    both = checksum(engine)
    assert both["evaluation"][0] == logs
    night(make_pipeline(), nights=2, force=True)
    assert checksum(engine) == both


def test_a_judge_is_paid_once(engine: Engine, database: str, tmp_path: Path) -> None:
    """The endpoint hears of each log once, and of each frozen log once, though two runs meet."""
    logs = fill(engine) // 2
    with judge_stub() as stub:
        judge = {"TRACE_JUDGE__ENDPOINT": stub.url, "TRACE_JUDGE__MODEL": "m", "TRACE_SCORERS": "judge"}
        judge |= {"TRACE_JUDGE__SAMPLING_RATE": "1.0", "TRACE_JUDGE__ATTEMPTS": "1"}
        night_of = ("--date", str(NEXT), "--late-days", "0")
        said = two_runs(engine, database, tmp_path, night_of, night_of, judge)
        asked = [json.dumps(request.body["messages"]) for request in stub.asked]
    assert [changed(one) for one in said] == [logs, 0]
    assert len(asked) == len(set(asked)) >= logs
    calls = rows(engine, "select count(*) from trace.judge_call")[0][0]
    assert calls == len(asked)
