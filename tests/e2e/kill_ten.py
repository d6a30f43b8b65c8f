"""Ten kills in one night: `python -m tests.e2e.kill_ten [SEED]`.

SIGKILL hits ten batches at random moments, two of them through their LocalExecutor worker; Airflow's retries
finish the night. Prints when each was hit and whether the rows are those of an undisturbed night.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from tests.conftest import checksum
from tests.e2e.stack import BATCH_ROWS, Local, fill, kill_batches, traffic, undisturbed
from trace_pipeline.local.stack import destroy_stack

NIGHT = traffic(date(2026, 3, 1), nights=1, logs=24 * BATCH_ROWS)


def main(seed: int) -> int:
    """Start a stack, kill, compare; returns the exit code."""
    folder = Path(tempfile.mkdtemp(prefix="trace-kills-"))
    folder.chmod(0o755)
    try:
        local = Local.start(folder)
        fill(local.engine, NIGHT)
        local.api.pause("trace_rescore", paused=False)
        begun = time.monotonic()
        run = local.rescore(NIGHT.first_day, NIGHT.first_day)
        kills = kill_batches(local, run, most=10, seed=seed, workers=2)
        state = local.api.wait_for_run("trace_rescore", run)
        tries = [batch["try_number"] for batch in local.batches("trace_rescore", run)]
        sys.stdout.write(f"Killed (seconds after the start, what): {kills.landed}\n")
        sys.stdout.write(
            f"Run: {state} after {time.monotonic() - begun:.0f} s; tries of the batches: {sorted(tries)}\n"
        )
        same = checksum(local.engine) == undisturbed(local, NIGHT)
        sys.stdout.write(f"Rows as in an undisturbed night: {'yes' if same else 'NO'}\n")
        local.close()
        return 0 if same and state == "success" and len(kills.landed) == 10 else 1
    finally:
        destroy_stack(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
