"""Airflow plugin of the load benchmark: notes when a task's own work begins and ends, in time and CPU.

The benchmark puts a copy of this file into a plugins folder of its own; BENCH_BODIES names the file of notes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin


def _note(event: str, instance: Any) -> None:
    """Append one line; CPU seconds and peak memory are of this process, which lives for one task."""
    import resource

    note = {
        "event": event,
        "task": instance.task_id,
        "run": instance.run_id,
        "id": str(instance.id),
        "at": time.time(),
        "cpu": time.process_time(),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    path = os.environ.get("BENCH_BODIES")
    if path:
        with Path(path).open("a", encoding="utf-8") as notes:
            notes.write(json.dumps(note) + "\n")


@hookimpl
def on_task_instance_running(previous_state: Any, task_instance: Any) -> None:  # noqa: ARG001
    """The task's function is called next."""
    _note("begin", task_instance)


@hookimpl
def on_task_instance_success(previous_state: Any, task_instance: Any) -> None:  # noqa: ARG001
    """The task's function has returned."""
    _note("end", task_instance)


class TraceLoadBenchmark(AirflowPlugin):
    """Registers this module as a listener."""

    name = "trace_load_benchmark"
    listeners = [sys.modules[__name__]]  # noqa: RUF012
