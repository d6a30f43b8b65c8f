"""One large night through a real Airflow: logs per second end to end, beside the scorers alone, in one run.

    python -m benchmarks.night [--logs 200000] [--scorers lexical,heuristic]

Prints ratios, not only seconds: the machine differs, the share of time that is not scoring should not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from types import TracebackType

import psutil
from rich.console import Console
from rich.table import Table

from trace_core import BadInput, get_scorer, parse_log
from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local import components
from trace_pipeline.local.demo import last_complete_day
from trace_pipeline.local.stack import Stack, airflow_home, destroy_stack, start_stack
from trace_pipeline.nightly import run_window
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.window import Window

_SCORER_ALONE_LOGS = 10_000
_LIMIT_MEGABYTES = 400
_LIMIT_TASKS = 512


@dataclass
class MemoryWatch:
    """Samples the resident memory of the scheduler's descendants: supervisors and tasks."""

    scheduler: psutil.Process
    peak: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> MemoryWatch:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            try:
                for process in self.scheduler.children(recursive=True):
                    self.peak = max(self.peak, process.memory_info().rss)
            except psutil.Error:
                continue


def scorers_alone(names: Sequence[str], settings: SampleSettings) -> float:
    """Return logs per second of the scorers together, over parsed logs of the same night, in this process."""
    logs = []
    for row in islice(generate(settings), _SCORER_ALONE_LOGS):
        try:
            logs.append(parse_log(row))
        except BadInput:
            continue
    scorers = [get_scorer(name) for name in names]
    for scorer in scorers:
        scorer.score(logs[0])
    started = time.perf_counter()
    for scorer in scorers:
        for _ in scorer.score_many(logs):
            pass
    return len(logs) / (time.perf_counter() - started)


def steps_alone(stack: Stack, settings: SampleSettings, names: Sequence[str]) -> tuple[int, float]:
    """Run the steps in this process over the same night, forced; returns (logs, seconds)."""
    pipeline = open_pipeline(
        load_settings(scorers=tuple(names)), results_url=stack.results_url, source_url=stack.source_url
    )
    started = time.perf_counter()
    report = run_window(pipeline, Window(settings.first_day, settings.first_day), late_days=0, force=True)
    pipeline.close()
    return report.read, time.perf_counter() - started


def through_airflow(stack: Stack, settings: SampleSettings, folder: Path) -> tuple[float, int, int]:
    """Run the nightly DAG over the night; returns (seconds, peak bytes of a task, mapped tasks)."""
    api = stack.api()
    scheduler = components.running(airflow_home(folder))["scheduler"].children()[0]  # the child of its keeper
    with MemoryWatch(scheduler) as watch:
        run = api.trigger_night("trace_score_nightly", settings.first_day)
        started = time.perf_counter()
        api.pause("trace_score_nightly", paused=False)
        state = api.wait_for_run("trace_score_nightly", run, timeout_seconds=3_600, every_seconds=2)
        seconds = time.perf_counter() - started
    if state != "success":
        raise RuntimeError(f"The run ended as {state}.")
    tasks = [
        task for task in api.task_instances("trace_score_nightly", run) if task["task_id"] == "score_batch"
    ]
    return seconds, watch.peak, len(tasks)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=int, default=200_000)
    parser.add_argument("--scorers", default=",".join(load_settings().scorers))
    options = parser.parse_args()
    names = options.scorers.split(",")
    console = Console()
    last = last_complete_day(datetime.now(UTC))
    day = last - timedelta(days=(last.weekday() - 2) % 7)  # a Wednesday: the sample's weekends are quieter
    settings = SampleSettings(first_day=day, nights=1, logs_per_night=options.logs, release_night=None)
    alone = scorers_alone(names, settings)
    folder = Path(tempfile.mkdtemp(prefix="trace-bench-"))
    folder.chmod(0o755)
    try:
        environment = {"TRACE_SCORERS": options.scorers}
        stack = start_stack(folder, say=console.print, fresh=True, extra_environment=environment)
        engine = connect(stack.admin_url, setting="benchmark")
        started = time.perf_counter()
        written = max(load_logs(engine, generate(settings)))
        loading = time.perf_counter() - started
        engine.dispose()
        seconds, peak, tasks = through_airflow(stack, settings, folder)
        _, steps = steps_alone(stack, settings, names)
    finally:
        destroy_stack(folder)
        shutil.rmtree(folder, ignore_errors=True)
    cores = os.cpu_count() or 1
    table = Table(title=f"One night of {written:,} logs, scored by {options.scorers}, {cores} cores")
    for heading in ("measure", "value", "logs/s", "of the scorers alone"):
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    rate = written / seconds
    table.add_row("scorers alone, one core", "", f"{alone:,.0f}", "1.00")
    table.add_row(
        "steps in one process", f"{steps:.0f} s", f"{written / steps:,.0f}", f"{written / steps / alone:.2f}"
    )
    table.add_row(
        "end to end through Airflow",
        f"{seconds:.0f} s",
        f"{rate:,.0f}",
        f"{rate / alone:.2f} ({rate / alone / cores:.2f} a core)",
    )
    table.add_row("COPY of the logs into the source", f"{loading:.0f} s", f"{written / loading:,.0f}", "")
    console.print(table)
    megabytes = peak / 1e6
    console.print(
        f"Peak memory of a task: {megabytes:.0f} MB (limit {_LIMIT_MEGABYTES}). "
        f"Mapped tasks: {tasks} (limit {_LIMIT_TASKS})."
    )
    if megabytes > _LIMIT_MEGABYTES or tasks > _LIMIT_TASKS:
        raise SystemExit("A limit was exceeded.")


if __name__ == "__main__":
    main()
