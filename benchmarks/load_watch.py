"""Memory and CPU of every process of a local stack, sampled while a night runs.

RSS counts a page that processes share (forks, Postgres' buffers) once in each of them; PSS divides it among
them, so that sums are true. CPU seconds of processes that ended are in their parents' count of children.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import psutil

from trace_pipeline.local import components, postgres
from trace_pipeline.local.stack import airflow_home

_EVERY_SECONDS = 1.0
_PSS_EVERY = 5  # samples: PSS makes the kernel walk all pages


@dataclass
class Watch:
    """Peaks in bytes by kind of process, and the highest sum of PSS over all of the stack."""

    folder: Path
    rss: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    pss: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    whole_pss: int = 0
    load: list[float] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._stop.wait(_EVERY_SECONDS):
            self._sample(number % _PSS_EVERY == 0)
            number += 1

    def _sample(self, with_pss: bool) -> None:
        self.load.append(psutil.getloadavg()[0])
        whole = 0
        for kind, process in processes(self.folder):
            try:
                self.rss[kind] = max(self.rss[kind], process.memory_info().rss)
                if with_pss:
                    shared = process.memory_full_info().pss
                    self.pss[kind] = max(self.pss[kind], shared)
                    whole += shared
            except psutil.Error:
                continue
        self.whole_pss = max(self.whole_pss, whole)


def processes(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Yield the living processes of a stack with their kind."""
    roots = dict(components.running(airflow_home(folder)))
    server = postgres.load(folder / "postgres")
    if server is not None:
        first = Path(server.data, "postmaster.pid").read_text().split()[0]
        roots["postgres"] = psutil.Process(int(first))
    for name, root in roots.items():
        try:
            family = [root, *root.children(recursive=True)]
        except psutil.Error:
            continue
        for process in family:
            try:
                yield kind_of(name, process.cmdline()), process
            except psutil.Error:
                continue


def kind_of(component: str, command: Sequence[str]) -> str:
    """Name what a process does: `airflow worker -- <id>` is a task, with LocalExecutor its supervisor."""
    title = " ".join(command)
    if component == "scheduler" and "airflow worker" in title:
        return "task supervisor" if "LocalExecutor" in title else "task"
    return component


def cpu_seconds(folder: Path) -> dict[str, float]:
    """Return CPU seconds so far by component, and of what ended below it; tasks note their own.

    The scheduler's ended children are left out: sometimes, not always, tasks are among them.
    """
    found: dict[str, float] = defaultdict(float)
    for kind, process in processes(folder):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        found[kind] += times.user + times.system
        if kind not in ("scheduler", "task", "task supervisor"):
            found[kind] += times.children_user + times.children_system
    return found


@dataclass(frozen=True)
class Bodies:
    """What the tasks of a run noted of themselves: intervals of their own work, and CPU seconds."""

    intervals: list[tuple[float, float]]
    start_cpu: float
    body_cpu: float
    peak: int
    started: dict[str, float]

    @property
    def covered(self) -> float:
        """Seconds in which at least one task was at its own work."""
        total, until = 0.0, float("-inf")
        for begin, end in sorted(self.intervals):
            total += max(0.0, end - max(begin, until))
            until = max(until, end)
        return total


def read_bodies(path: Path, run_id: str) -> Bodies:
    """Read the notes of a run."""
    notes = [json.loads(line) for line in path.read_text().splitlines()]
    begun = {note["id"]: note for note in notes if note["run"] == run_id and note["event"] == "begin"}
    ended = [note for note in notes if note["run"] == run_id and note["event"] == "end"]
    pairs = [(begun[note["id"]], note) for note in ended]
    return Bodies(
        intervals=[(begin["at"], end["at"]) for begin, end in pairs],
        start_cpu=sum(begin["cpu"] for begin, _ in pairs),
        body_cpu=sum(end["cpu"] - begin["cpu"] for begin, end in pairs),
        peak=max(end["peak"] for _, end in pairs),
        started={begin["id"]: begin["at"] for begin, _ in pairs},
    )
