"""`python -m trace_pipeline.local.keeper COMMAND ...`: run a command and start it again when it ends.

Airflow's scheduler, DAG processor and triggerer end when their database goes away. Elsewhere a
service manager starts them again; here this process does. A command that ends right after its first start is
wrong, not unlucky: that is told to the caller by ending too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

_STARTED_WELL_AFTER_SECONDS = 20.0
_PAUSE_SECONDS = 2.0
_MOST_RESTARTS_IN_A_ROW = 60


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
        code = process.wait()
        _end_group(process.pid)
        return code
    except _Stopped:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough; the caller kills what stays
        process.terminate()
        process.wait()
        raise


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
