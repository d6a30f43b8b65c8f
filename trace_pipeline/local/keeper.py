"""`python -m trace_pipeline.local.keeper COMMAND ...`: run a command and start it again when it ends.

Airflow's scheduler, DAG processor and triggerer end when their database goes away. Elsewhere a
service manager starts them again; here this process does. A command that ends right after its first start is
wrong, not unlucky: that is told to the caller by ending too. A scheduler whose executor can no longer work is
ended first.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from trace_pipeline.local.idle_workers import IdleWorkers

_STARTED_WELL_AFTER_SECONDS = 20.0
_PAUSE_SECONDS = 2.0
_MOST_RESTARTS_IN_A_ROW = 60
_LOOK_EVERY_SECONDS = 1.0


class _Stopped(Exception):
    """SIGTERM has come."""


def keep(command: Sequence[str]) -> int:
    """Run `command` until SIGTERM, which is handed on; returns the exit code of its last run."""
    signal.signal(signal.SIGTERM, _stop)
    failures = 0
    lived = False
    while True:
        started = time.monotonic()
        try:
            code = _run(command)
        except _Stopped:
            return 0
        if time.monotonic() - started >= _STARTED_WELL_AFTER_SECONDS:
            lived, failures = True, 0
        failures += 1
        if not lived or failures > _MOST_RESTARTS_IN_A_ROW:
            return code
        sys.stderr.write(f"{' '.join(command[:2])} ended with code {code}; starting it again.\n")
        try:
            time.sleep(_PAUSE_SECONDS)
        except _Stopped:
            return 0


def _run(command: Sequence[str]) -> int:
    # A process group of its own, so that what it leaves behind can be found.
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)  # noqa: S603
    try:
        code = _watched(process) if "scheduler" in command else process.wait()
        _end_group(process.pid)
        return code
    except _Stopped:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough; the caller kills what stays
        process.terminate()
        process.wait()
        raise


def _watched(scheduler: subprocess.Popen[bytes]) -> int:
    """Wait for a scheduler to end; end it, workers and all, when an idle one of these was killed."""
    workers = IdleWorkers(scheduler.pid)
    while True:
        try:
            return scheduler.wait(_LOOK_EVERY_SECONDS)
        except subprocess.TimeoutExpired:
            if workers.lost_one():
                sys.stderr.write("An idle worker was killed, so no other can take a task; ")
                scheduler.kill()  # asked to end, it would wait for its workers for ever


def _end_group(group: int) -> None:
    """End what a command that died has left running, as a service manager or a container would.

    The workers of a killed scheduler are forks of it and hold its database connections open: a lock that it
    had taken would stay, and the next scheduler would queue nothing.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _stop(_signal: int, _frame: object) -> None:
    raise _Stopped


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
