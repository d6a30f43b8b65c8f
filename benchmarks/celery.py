"""Two Celery workers behind Redis: do they score the same, share the work, and outlive each other?

    python -m benchmarks.celery [--logs 2000] [--queued-timeout 60]

Starts redis-server, an embedded Postgres, an Airflow with CeleryExecutor and two workers, all on loopback in
a folder of its own. `trace_rescore` scores one day with both workers, and another one during which the first
worker is killed with its tasks (SIGKILL) and never comes back. Each time the results are compared with those
of one undisturbed process. Prints Markdown; ends whatever it started.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil

from tests.conftest import checksum
from tests.e2e.stack import ENVIRONMENT, Local, fill, traffic, undisturbed
from trace_pipeline.database import connect
from trace_pipeline.local import components
from trace_pipeline.local.airflow import executable
from trace_pipeline.local.demo import last_complete_day
from trace_pipeline.local.stack import airflow_home, destroy_stack, start_stack
from trace_pipeline.sample import SampleSettings

_DAG = "trace_rescore"
_WORKERS = ("worker-a", "worker-b")
_SLOTS = 2  # tasks a worker runs at once: together the four of the pool trace_scoring


@dataclass(frozen=True)
class Night:
    """What was seen of one run."""

    name: str
    seconds: float
    batches: Mapping[str, int]  # by the worker that ended them
    retried: int
    same: bool


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run a redis-server on loopback that keeps nothing on disk; yields its URL, password and all."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    password = secrets.token_urlsafe(24)
    settings = folder / "redis.conf"  # a file, since others can list a command line
    settings.touch(mode=0o600)
    settings.write_text(
        f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\nappendonly no\ndir {folder}\n'
    )
    with (folder / "redis.log").open("wb") as output:
        server = subprocess.Popen(["redis-server", settings], stdout=output, stderr=output)
    try:
        yield f"redis://:{password}@127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def worker(folder: Path, name: str) -> Iterator[psutil.Process]:
    """Run a Celery worker with the environment of the scheduler and a host name of its own."""
    home = airflow_home(folder)
    environment = components.running(home)["scheduler"].environ() | {"BENCH_WORKER": name}
    options = ["--celery-hostname", f"{name}@%h", "--concurrency", str(_SLOTS), "--skip-serve-logs"]
    with (home.logs / f"{name}.log").open("wb") as output:
        started = subprocess.Popen(
            [executable(), "celery", "worker", *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home.folder,
        )
    try:
        yield psutil.Process(started.pid)
    finally:
        with suppress(psutil.Error):
            kill(psutil.Process(started.pid))
        started.wait()


def kill(process: psutil.Process) -> int:
    """Kill a worker and all it has started, as a machine that loses its power; returns how many."""
    family = [process, *process.children(recursive=True)]
    for member in family:  # the parent first: it would start its children again
        with suppress(psutil.Error):
            member.kill()
    return len(family)


def score(
    local: Local, day: date, victim: psutil.Process | None = None
) -> tuple[float, list[dict[str, Any]]]:
    """Score a day, kill `victim` once it has ended a batch and works on another; return seconds, batches."""
    run = local.rescore(day, day)

    def look(tasks: list[dict[str, Any]]) -> None:
        nonlocal victim
        of_victim = [task for task in tasks if task["hostname"] == _WORKERS[0] and task["map_index"] >= 0]
        states = {task["state"] for task in of_victim if task["task_id"] == "score_batch"}
        if victim is not None and {"success", "running"} <= states:
            _say(f"Killing {_WORKERS[0]}: {kill(victim)} processes")
            victim = None

    if local.api.wait_for_run(_DAG, run, timeout_seconds=400, tick=look, every_seconds=0.2) != "success":
        raise RuntimeError("The run failed.")
    if victim is not None:
        raise RuntimeError("The run had ended before the worker could be killed: take more --logs.")
    whole = local.api.call("GET", f"dags/{_DAG}/dagRuns/{run}")
    begun, ended = (datetime.fromisoformat(whole[key]) for key in ("start_date", "end_date"))
    return (ended - begun).total_seconds(), local.batches(_DAG, run)


def measure(local: Local, logs: int, first: psutil.Process) -> list[Night]:
    """Score two days, the second one while `first` is killed."""
    last = last_complete_day(datetime.now(UTC))
    parts: list[SampleSettings] = []
    nights = []
    local.api.pause(_DAG, paused=False)
    for name, day, victim in (
        ("both workers", last - timedelta(days=40), None),
        (f"{_WORKERS[0]} killed", last - timedelta(days=30), first),
    ):
        _say(f"A night with {name}")
        parts.append(traffic(day, 1, logs))
        fill(local.engine, parts[-1])
        seconds, batches = score(local, day, victim)
        done = Counter(str(batch["hostname"]) for batch in batches)
        retried = sum(batch["try_number"] > 1 for batch in batches)
        same = checksum(local.engine) == undisturbed(local, *parts)
        nights.append(Night(name, seconds, done, retried, same))
    return nights


def table(nights: Sequence[Night]) -> str:
    """Return what was measured as Markdown, a row a night."""
    lines = [
        f"| night | end to end | batches of {' / '.join(_WORKERS)} | batches tried again | same results |",
        "|---|---:|---:|---:|---|",
    ]
    for night in nights:
        shares = " / ".join(str(night.batches.get(name, 0)) for name in _WORKERS)
        same = "yes" if night.same else "**no**"
        lines.append(f"| {night.name} | {night.seconds:.0f} s | {shares} | {night.retried} | {same} |")
    return "\n".join(lines)


def _start(folder: Path, broker: str, queued_timeout: int) -> Local:
    environment = ENVIRONMENT | {
        "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor",
        "AIRFLOW__CORE__HOSTNAME_CALLABLE": "benchmarks.celery_host.name",
        "AIRFLOW__CELERY__BROKER_URL": broker,
        "AIRFLOW__CELERY__WORKER_PREFETCH_MULTIPLIER": "1",
        "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT": str(queued_timeout),
        "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT_CHECK_INTERVAL": "10",
    }
    stack = start_stack(folder, say=_say, extra_environment=environment)
    return Local(folder, stack, stack.api(), connect(stack.admin_url, setting="benchmark"))


def _say(words: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {words}", file=sys.stderr, flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=int, default=2_000, help="logs of a night")
    parser.add_argument(
        "--queued-timeout", type=int, default=60, help="seconds, Airflow's task_queued_timeout"
    )
    options = parser.parse_args()
    if shutil.which("redis-server") is None:
        raise SystemExit(
            "redis-server is not installed: on Debian and Ubuntu it is the package redis-server."
        )
    for name in [name for name in os.environ if name.startswith(("TRACE_", "AIRFLOW"))]:
        del os.environ[name]  # settings of another Airflow
    folder = Path(tempfile.mkdtemp(prefix="trace-celery-"))
    folder.chmod(0o755)
    try:
        with redis(folder) as broker:
            local = _start(folder, broker, options.queued_timeout)
            with worker(folder, _WORKERS[0]) as first, worker(folder, _WORKERS[1]):
                time.sleep(15)  # so that both are there when the first task comes
                nights = measure(local, options.logs, first)
            local.close()
    finally:
        destroy_stack(folder)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, {options.logs:,} logs a night\n")
    print(table(nights))


if __name__ == "__main__":
    main()
