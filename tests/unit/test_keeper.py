"""The keeper of the local stack: what a dead component leaves behind does not outlive it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

_LEAVES_A_CHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
os._exit(3)
"""


def test_what_a_dead_component_leaves_behind_is_ended(tmp_path: Path) -> None:
    """Forks of a killed scheduler would hold its locks; the keeper ends them with it."""
    note = tmp_path / "pid"
    keeper = [sys.executable, "-m", "trace_pipeline.local.keeper"]
    done = subprocess.run(
        [*keeper, sys.executable, "-c", _LEAVES_A_CHILD, str(note)], timeout=60, check=False, cwd=Path.cwd()
    )
    assert done.returncode == 3  # at its first start a command that ends at once is wrong, not unlucky
    left = int(note.read_text())
    deadline = time.monotonic() + 10
    while psutil.pid_exists(left) and time.monotonic() < deadline:
        if psutil.Process(left).status() == psutil.STATUS_ZOMBIE:
            break
        time.sleep(0.05)
    else:
        assert not psutil.pid_exists(left)


# Two workers by name: `bash -c` lets each title be what LocalExecutor's workers are called.
_HAS_WORKERS = """
import subprocess, sys, time
def worker(state):
    name = f"airflow worker -- LocalExecutor: {state}"
    return subprocess.Popen(["bash", "-c", "sleep 600 & wait", name])
idle, busy = worker("<idle>"), worker("01a2")
open(sys.argv[2], "a").write(f"{idle.pid} {busy.pid}\\n")
while True:
    idle.poll(), busy.poll()
    time.sleep(0.1)
"""


@pytest.mark.parametrize(("killed", "starts"), [(0, 2), (1, 1)])
def test_a_scheduler_that_lost_an_idle_worker_is_started_anew(
    tmp_path: Path, killed: int, starts: int
) -> None:
    """The idle worker dies with the lock of the queue; one that runs a task holds none."""
    note = tmp_path / "pids"
    command = [sys.executable, "-c", _HAS_WORKERS, "scheduler", str(note)]
    keeper = subprocess.Popen([sys.executable, "-c", _KEEPS_FROM_THE_START, *command])
    try:
        _wait_for_lines(note, 1)
        time.sleep(2.5)  # two looks
        psutil.Process(int(note.read_text().split()[killed])).kill()
        if starts > 1:
            _wait_for_lines(note, starts)
        else:
            time.sleep(6)
        assert len(note.read_text().splitlines()) == starts
    finally:
        keeper.terminate()
        keeper.wait(timeout=30)
        for pid in note.read_text().split():
            _kill(int(pid))


# The keeper takes a command that ends within 20 seconds of its first start for a wrong one.
_KEEPS_FROM_THE_START = """
import sys
from trace_pipeline.local import keeper
keeper._STARTED_WELL_AFTER_SECONDS = 0.5
keeper._PAUSE_SECONDS = 0.1
sys.exit(keeper.keep(sys.argv[1:]))
"""


def _wait_for_lines(note: Path, wanted: int) -> None:
    deadline = time.monotonic() + 30
    while not note.exists() or len(note.read_text().splitlines()) < wanted:
        assert time.monotonic() < deadline, f"{wanted} starts were expected"
        time.sleep(0.1)


def _kill(pid: int) -> None:
    try:
        process = psutil.Process(pid)
        for child in process.children():
            child.kill()
        process.kill()
    except psutil.Error:
        return
