#!/bin/sh
# Everything CI runs. BIN is the folder of the virtual environment's commands.
set -eu
BIN=${BIN:-.venv/bin}
BIN=$BIN sh scripts/lint.sh
# A process a core, four at most: each has a database server of its own.
SIDE_BY_SIDE="-n auto --maxprocesses 4"
# The core's own tests also say how much of it they reach, in branches. Tracing the drift benchmark, which reaches
# nothing new, would take a minute.
"$BIN/python" -m pytest tests/unit/core tests/unit/drift tests/unit/trust -q \
    --ignore=tests/unit/drift/test_drift_benchmark.py --cov=trace_core --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=95 $SIDE_BY_SIDE
# Airflow is kept out of the other tests' processes: it changes logging and warnings when it is imported.
"$BIN/python" -m pytest tests/unit tests/sql tests/deploy -q \
    --ignore=tests/unit/core --ignore=tests/unit/drift --ignore=tests/unit/trust $SIDE_BY_SIDE
"$BIN/python" -m pytest trace_core tests/unit/drift/test_drift_benchmark.py --doctest-modules -q
"$BIN/python" -m pytest tests/dags -q
"$BIN/python" -m pytest tests/browser -q
"$BIN/python" -m pytest tests/e2e -q
