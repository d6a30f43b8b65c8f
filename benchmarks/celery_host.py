"""The name under which a Celery worker of `benchmarks.celery` runs its tasks; Airflow calls it."""

import os
import socket


def name() -> str:
    """Return the worker's own name, so that two workers on one machine can be told apart."""
    return os.environ.get("BENCH_WORKER", socket.gethostname())
