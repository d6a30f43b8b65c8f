"""A real local Airflow: four components on loopback, LocalExecutor, its metadata in the embedded Postgres."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class AirflowHome:
    """Where one local Airflow lives. Nothing is outside of `folder`."""

    folder: Path
    dags: Path
    plugins: Path

    @property
    def logs(self) -> Path:
        """Folder of the components' and the tasks' logs."""
        return self.folder / "logs"

    def secret(self, name: str) -> str:
        """Return a random value that is made once and kept in a file only its owner can read."""
        path = self.folder / "secrets" / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.is_file():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(32))
        return path.read_text()

    def port(self) -> int:
        """Return the API server's port: the one of last time while it is free, else another."""
        path = self.folder / "port"
        if path.is_file():
            kept = int(path.read_text())
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if probe.connect_ex(("127.0.0.1", kept)) != 0:
                    return kept
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        path.write_text(str(port))
        return port


def environment(
    home: AirflowHome, metadata_url: str, port: int, connections: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of every component. `connections` maps Airflow connection ids to URIs."""
    import base64

    home.folder.mkdir(parents=True, exist_ok=True)
    users = home.folder / "passwords.json"
    if not users.is_file():
        users.touch(mode=0o600)
        users.write_text(json.dumps({"admin": secrets.token_urlsafe(12)}))
    fernet = base64.urlsafe_b64encode(home.secret("fernet")[:32].encode()).decode()
    ours = {
        "AIRFLOW_HOME": str(home.folder),
        "AIRFLOW__CORE__DAGS_FOLDER": str(home.dags),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(home.plugins),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__PARALLELISM": str(max(4, 2 * (os.cpu_count() or 2))),
        "AIRFLOW__CORE__FERNET_KEY": fernet,
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(users),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": metadata_url,
        "AIRFLOW__API__SECRET_KEY": home.secret("api"),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API_AUTH__JWT_SECRET": home.secret("jwt"),
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(home.logs),
        "AIRFLOW__SCHEDULER__ENABLE_HEALTH_CHECK": "False",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "30",
        # A file that changed is read at once all the same; reading the others again takes a tenth of a core.
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "300",
        # Without these two a mapped task costs a second instead of a quarter of one.
        "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
        "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.3",
        # A killed worker is noticed after a minute, not five; a task outlives half a minute without database.
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
        "AIRFLOW__WORKERS__MAX_FAILED_HEARTBEATS": "30",
        # What a scheduler that died had queued is taken up by the next one in half a minute, not in five.
        "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "15",
        "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "30",
        "PYTHONPATH": os.pathsep.join([str(home.dags.parent), os.environ.get("PYTHONPATH", "")]).rstrip(
            os.pathsep
        ),
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": "*",
    }
    ours |= {f"AIRFLOW_CONN_{name.upper()}": uri for name, uri in connections.items()}
    # Connections of the user's own (alert channels) go along; settings of another Airflow must not.
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("AIRFLOW") or name.startswith("AIRFLOW_CONN_")
    }
    return inherited | ours


def migrate_metadata(env: Mapping[str, str]) -> None:
    """Create or upgrade Airflow's own tables; raises RuntimeError with the end of the output."""
    done = subprocess.run(  # noqa: S603
        [executable(), "db", "migrate"],
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"airflow db migrate failed:\n{(done.stdout + done.stderr)[-3000:]}")


def executable() -> str:
    """Return the `airflow` command of this interpreter's environment."""
    return str(Path(sys.executable).parent / "airflow")
