#!/bin/sh
# Prints the first interpreter that really runs, is 3.11 to 3.13 and can build virtual environments.
# A name on PATH proves nothing: version managers leave shims that only print an error.
for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3 python /usr/bin/python3; do
    "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
        >/dev/null 2>&1 && { command -v "$candidate"; exit 0; }
done
echo "No Python 3.11 to 3.13 with venv found. Install one (Debian: python3 python3-venv) or run: make PYTHON=/path/to/python3" >&2
exit 1
