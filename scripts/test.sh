#!/bin/sh
# Everything CI runs. BIN is the folder of the virtual environment's commands.
set -eu
BIN=${BIN:-.venv/bin}
BIN=$BIN sh scripts/lint.sh
# Airflow is kept out of the other tests' processes: it changes logging and warnings when it is imported.
"$BIN/python" -m pytest tests/unit tests/sql tests/deploy -q
"$BIN/python" -m pytest trace_core --doctest-modules -q
"$BIN/python" -m pytest tests/dags -q
"$BIN/python" -m pytest tests/e2e -q
