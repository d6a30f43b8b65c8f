"""`python -m trace_pipeline.local.keeper COMMAND ...`: run a command and start it again when it ends.

Airflow's scheduler, DAG processor and triggerer end when their database goes away. Elsewhere a
service manager starts them again; here this process does. A command that ends right after its first start is
wrong, not unlucky: that is told to the caller by ending too.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence

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
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603
    try:
        return process.wait()
    except _Stopped:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough; the caller kills what stays
        process.terminate()
        process.wait()
        raise


def _stop(_signal: int, _frame: object) -> None:
    raise _Stopped


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
