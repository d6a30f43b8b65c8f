"""The keeper of the local stack: what a dead component leaves behind does not outlive it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil

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
