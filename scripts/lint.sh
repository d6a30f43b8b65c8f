#!/bin/sh
# Format, lint, types, import contracts, SQL. BIN is the folder of the virtual environment's commands.
set -eu
BIN=${BIN:-.venv/bin}
"$BIN/ruff" format --check .
"$BIN/ruff" check .
"$BIN/ruff" check --preview --select AIR dags
"$BIN/mypy"
PYTHONPATH=plugins "$BIN/lint-imports"
"$BIN/sqlfluff" lint --disable-progress-bar sql
