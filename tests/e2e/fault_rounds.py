"""Faults, round after round: `python -m tests.e2e.fault_rounds [--rounds N] [--seed S]`.

Each round scores a day of its own through trace_rescore on one real stack and, at a random moment, harms one
of its parts: SIGKILL, or a stop of some seconds (SIGSTOP, SIGCONT), of the scheduler, the API server, the DAG
processor, the triggerer, a worker or a task; or Postgres dies (`immediate`) and comes back. Postgres holds
Airflow's own metadata too. The keeper starts components again, Airflow's retries finish the run. A run that
Airflow gave up is started again once, as an operator would, and counted. At the end all rows are compared
with those of the same traffic scored undisturbed in one process, and no message may have been sent twice.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import httpx
import psutil
from sqlalchemy import text

from tests.conftest import checksum
from tests.e2e.stack import BATCH_ROWS, Local, fill, traffic, undisturbed
from trace_pipeline.local import postgres
from trace_pipeline.local.components import running
from trace_pipeline.local.stack import airflow_home, destroy_stack

FIRST_DAY = date(2025, 1, 1)
COMPONENTS = ("scheduler", "api-server", "dag-processor", "triggerer")
TARGETS = (*COMPONENTS, "worker", "task", "postgres")
_RUN_SECONDS = 420
_LATEST_HARM_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did and how it ended."""

    number: int
    target: str
    how: str
    after: float
    seconds: float
    state: str
    again: bool


def main() -> int:
    """Start a stack, do the rounds, compare; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no round after so many minutes")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trace-faults-"))
    folder.chmod(0o755)
    try:
        local = Local.start(folder)
        local.api.pause("trace_rescore", paused=False)
        local.api.pause("trace_watch_drift", paused=False)
        return _rounds(local, options.rounds, options.seed, options.minutes)
    finally:
        destroy_stack(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _rounds(local: Local, rounds: int, seed: int, minutes: float) -> int:
    chance, begun, done = random.Random(seed), time.monotonic(), []
    nights = []
    for number in range(rounds):
        if time.monotonic() - begun > 60 * minutes:
            break
        night = traffic(FIRST_DAY + timedelta(days=number), nights=1, logs=4 * BATCH_ROWS)
        nights.append(night)
        fill(local.engine, night)
        local = _awake(local)
        found = _round(local, number, night.first_day, chance)
        done.append(found)
        sys.stdout.write(
            f"{found.number:>4} {found.target:<13} {found.how:<8} after {found.after:4.1f} s: {found.state} "
            f"in {found.seconds:5.1f} s{', started again' if found.again else ''}\n"
        )
        sys.stdout.flush()
    local = _awake(local)
    local.api.wait_until_idle("trace_watch_drift")
    same = checksum(local.engine) == undisturbed(local, *nights)
    twice, marks = _left(local)
    bad = [found for found in done if found.state != "success"]
    sys.stdout.write(
        f"{len(done)} rounds in {(time.monotonic() - begun) / 60:.0f} min; by part: "
        f"{dict(sorted(Counter(found.target for found in done).items()))}\n"
        f"runs that did not end well: {len(bad)}; started again: {sum(found.again for found in done)}\n"
        f"rows as in undisturbed nights: {'yes' if same else 'NO'}; messages sent twice: {twice}; days left "
        f"marked: {marks}\n"
    )
    return 0 if same and not bad and not twice and not marks else 1


def _round(local: Local, number: int, day: date, chance: random.Random) -> Round:
    target, after = chance.choice(TARGETS), chance.uniform(0.3, _LATEST_HARM_SECONDS)
    how = "stopped" if target != "postgres" and chance.random() < 0.3 else "killed"
    pause = chance.uniform(2, 8)
    begun = time.monotonic()
    run = local.rescore(day, day)
    time.sleep(after)
    _harm(local, target, how, pause, chance)
    state, again = _ended(local, run), False
    if state != "success":
        again = True
        state = _ended(local, _start_again(local, day))
    return Round(number, target, how, after, time.monotonic() - begun, state, again)


def _harm(local: Local, target: str, how: str, pause: float, chance: random.Random) -> None:
    if target == "postgres":
        postgres.stop(local.folder / "postgres", mode="immediate")
        time.sleep(min(pause, 3))
        postgres.start(local.folder / "postgres")
        return
    process = _process(local, target, chance)
    if process is None:
        return  # no such task at that moment: a round without a fault
    try:
        if how == "killed":
            process.kill()
            return
        process.send_signal(signal.SIGSTOP)
        time.sleep(pause)
        process.send_signal(signal.SIGCONT)
    except psutil.Error:
        return


def _process(local: Local, target: str, chance: random.Random) -> psutil.Process | None:
    """Return the process to harm: of a component the one its keeper watches, never the keeper."""
    found = running(airflow_home(local.folder))
    name = "scheduler" if target in ("worker", "task") else target
    if name not in found:
        return None
    try:
        watched = found[name].children()
        if target in COMPONENTS:
            return watched[0] if watched else None
        below = [child for process in watched for child in process.children(recursive=True)]
        titled = [(child, " ".join(child.cmdline())) for child in below]
    except psutil.Error:
        return None
    mark = "LocalExecutor" if target == "worker" else "airflow worker -- "
    chosen = [
        child
        for child, title in titled
        if mark in title and ("LocalExecutor" in title) == (target == "worker")
    ]
    return chance.choice(chosen) if chosen else None


def _ended(local: Local, run: str) -> str:
    deadline = time.monotonic() + _RUN_SECONDS
    while time.monotonic() < deadline:
        try:
            return local.api.wait_for_run("trace_rescore", run, timeout_seconds=deadline - time.monotonic())
        except httpx.HTTPError:
            time.sleep(1)  # the API server, or its database, is on its way back
        except TimeoutError:
            break
    return "not ended"


def _start_again(local: Local, day: date) -> str:
    deadline = time.monotonic() + _RUN_SECONDS
    while True:
        try:
            return local.rescore(day, day)
        except httpx.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def _awake(local: Local) -> Local:
    """Wait until all components answer again, so that each round begins on a sound stack."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        try:
            state = local.api.call("GET", "monitor/health")
            if all(
                (state.get(part) or {}).get("status") == "healthy" for part in ("scheduler", "dag_processor")
            ):
                return local
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    raise TimeoutError("The stack did not become healthy again.")


def _left(local: Local) -> tuple[int, int]:
    with local.engine.connect() as connection:
        twice = connection.scalar(
            text(
                "select count(*) from (select from trace.alert_delivery where state = 'sent'"
                " group by event_key, channel having count(*) > 1) as t"
            )
        )
        marks = connection.scalar(text("select count(*) from trace.day_to_restate"))
    return int(twice or 0), int(marks or 0)


if __name__ == "__main__":
    sys.exit(main())
