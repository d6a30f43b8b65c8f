"""What the end-to-end tests ask of a local stack: processes, a second database to compare with, and kills."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import Engine, create_engine, text

from tests.conftest import checksum
from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local import postgres
from trace_pipeline.local.rest import AirflowApi
from trace_pipeline.local.stack import Stack, start_stack
from trace_pipeline.migrations import migrate
from trace_pipeline.nightly import run_window
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.window import Window

BATCH_ROWS = 100
# A worker process killed together with its knowledge of the task is noticed when its heartbeats stop.
ENVIRONMENT = {
    "TRACE_BATCH_ROWS": str(BATCH_ROWS),
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "2",
}


@dataclass
class Local:
    """A running stack and what is needed to look at it."""

    folder: Path
    stack: Stack
    api: AirflowApi
    engine: Engine

    @classmethod
    def start(cls, folder: Path) -> Local:
        """Start (or start again) the stack of a folder."""
        stack = start_stack(folder, extra_environment=ENVIRONMENT)
        return cls(folder, stack, stack.api(), connect(stack.admin_url, setting="test"))

    def close(self) -> None:
        """Close what this process holds open; the stack goes on."""
        self.api.close()
        self.engine.dispose()

    def processes(self) -> list[psutil.Process]:
        """Return every living process that belongs to the folder, by its environment or its command line."""
        return list(processes_of(self.folder))

    def rescore(self, first: date, last: date) -> str:
        """Start trace_rescore over the days; returns the run's id."""
        return self.api.trigger("trace_rescore", from_day=first.isoformat(), to_day=last.isoformat())

    def batches(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """Return the mapped batches of a run."""
        found = self.api.task_instances(dag_id, run_id)
        return [task for task in found if task["task_id"] == "score_batch" and task["map_index"] >= 0]


def processes_of(folder: Path) -> Iterator[psutil.Process]:
    """Yield the living processes that mention a folder; the server's uid may differ from ours."""
    server = postgres.load(folder / "postgres")
    marks = [str(folder), *([server.data] if server else [])]
    for process in psutil.process_iter():
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                continue
            words = [*process.cmdline(), *process.environ().values()]
        except psutil.Error:
            continue
        if any(mark in word for mark in marks for word in words):
            yield process


def traffic(first: date, nights: int, logs: int) -> SampleSettings:
    """Return settings of sample traffic with some malformed rows."""
    return SampleSettings(
        first_day=first, nights=nights, logs_per_night=logs, malformed_share=0.05, release_night=None
    )


def fill(engine: Engine, settings: SampleSettings) -> None:
    """Write the traffic into a database's own log table."""
    for _ in load_logs(engine, generate(settings)):
        pass


def undisturbed(local: Local, *parts: SampleSettings) -> dict[str, tuple[int, str]]:
    """Score the same traffic in a database of its own, in one process, and return the checksum."""
    server = postgres.load(local.folder / "postgres")
    assert server is not None
    name = f"undisturbed_{time.monotonic_ns()}"
    admin = create_engine(server.url(), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"create database {name}"))
    admin.dispose()
    engine = connect(server.url(name), setting="test")
    migrate(engine)
    pipeline = open_pipeline(load_settings(), results_url=server.url(name))
    try:
        for settings in parts:
            fill(engine, settings)
            last = settings.first_day + timedelta(days=settings.nights - 1)
            run_window(pipeline, Window(settings.first_day, last), late_days=0)
        return checksum(engine)
    finally:
        pipeline.close()
        engine.dispose()


@dataclass
class Kills:
    """What was killed: (seconds after the process was seen, which process)."""

    landed: list[tuple[float, str]]


# Less than a batch takes on a quiet machine, so that most moments come before its end.
_LONGEST_LIFE_SECONDS = 0.8


def kill_batches(local: Local, run_id: str, *, most: int, seed: int, workers: int = 0) -> Kills:
    """Kill `most` first tries of a run's batches by SIGKILL, each at a random moment of its life.

    The first `workers` of them lose their LocalExecutor worker, the others the process of the task itself.
    """
    moments = random.Random(seed)
    kills = Kills([])
    waiting = _first_tries(local, run_id)
    due: dict[str, tuple[float, float]] = {}
    deadline = time.monotonic() + 240
    while waiting and len(kills.landed) < most and time.monotonic() < deadline:
        titles = _titles(local)
        now = time.monotonic()
        for name in list(waiting):
            if name in titles and name not in due:
                due[name] = (now, now + moments.uniform(0, _LONGEST_LIFE_SECONDS))
            elif name in due and name not in titles:
                waiting.remove(name)  # done before its moment came
            elif name in due and now >= due[name][1]:
                waiting.remove(name)
                kind = "worker" if len(kills.landed) < workers else "task"
                if _kill(titles, f"LocalExecutor: {name}" if kind == "worker" else name):
                    kills.landed.append((round(now - due[name][0], 2), kind))
        time.sleep(0.02)
    return kills


def _first_tries(local: Local, run_id: str) -> list[str]:
    """Wait until the batches are there; return their ids, which the processes carry in their titles."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        batches = local.batches("trace_rescore", run_id)
        if batches:
            return [str(batch["id"]) for batch in batches if batch["try_number"] <= 1]
        time.sleep(0.1)
    raise TimeoutError("The run made no batches.")


def _titles(local: Local) -> dict[str, psutil.Process]:
    """Return the scheduler's descendants by what follows `airflow worker -- ` in their titles."""
    scheduler = psutil.Process(int((local.folder / "airflow" / "scheduler.pid").read_text().split()[0]))
    found = {}
    for process in scheduler.children(recursive=True):
        try:
            title = " ".join(process.cmdline())
        except psutil.Error:
            continue
        found[title.partition("airflow worker -- ")[2].strip()] = process
    return found


def _kill(titles: dict[str, psutil.Process], title: str) -> bool:
    process = titles.get(title)
    if process is None:
        return False
    try:
        process.send_signal(signal.SIGKILL)
    except psutil.Error:
        return False
    return True
