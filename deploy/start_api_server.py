"""Starts the API server of the compose stack, after writing the password file of the simple auth manager.

The passwords come from the environment and leave it here, so that no page or log of the server can show them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main() -> None:
    """Write {"admin": ..., "viewer": ...} where Airflow looks for it, readable by this user only."""
    names = {"admin": "AIRFLOW_ADMIN_PASSWORD", "viewer": "AIRFLOW_VIEWER_PASSWORD"}
    passwords = {user: os.environ.pop(name, "") for user, name in names.items()}
    for user, name in names.items():
        if not passwords[user]:
            sys.exit(f"{name} is empty: set it in .env.")
    path = Path(os.environ["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"])
    path.unlink(missing_ok=True)  # a file left by an earlier start could be readable by others
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(passwords, file)
    os.execvp("airflow", ["airflow", "api-server", *sys.argv[1:]])  # noqa: S606, S607


if __name__ == "__main__":
    main()
