"""A real local Airflow: four components on loopback, LocalExecutor, its metadata in the embedded Postgres."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

COMPONENTS = ("api-server", "scheduler", "dag-processor", "triggerer")
_HEALTHY_WITHIN_SECONDS = 240
_STOP_WITHIN_SECONDS = 20


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
        # Without these two a mapped task costs a second instead of a quarter of one.
        "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
        "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.3",
        # A killed worker is noticed after a minute, not five; a task outlives half a minute without database.
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
        "AIRFLOW__WORKERS__MAX_FAILED_HEARTBEATS": "30",
        "PYTHONPATH": os.pathsep.join([str(home.dags.parent), os.environ.get("PYTHONPATH", "")]).rstrip(
            os.pathsep
        ),
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": "*",
    }
    ours |= {f"AIRFLOW_CONN_{name.upper()}": uri for name, uri in connections.items()}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    return inherited | ours


def migrate_metadata(env: Mapping[str, str]) -> None:
    """Create or upgrade Airflow's own tables; raises RuntimeError with the end of the output."""
    done = subprocess.run(  # noqa: S603
        [_executable(), "db", "migrate"],
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"airflow db migrate failed:\n{(done.stdout + done.stderr)[-3000:]}")


def start_components(home: AirflowHome, env: Mapping[str, str], port: int) -> None:
    """Start the four components, each the leader of its own process group; they outlive this process."""
    home.logs.mkdir(parents=True, exist_ok=True)
    options = {
        "api-server": ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"],
        "scheduler": [
            "--skip-serve-logs"
        ],  # the log servers would listen on every interface; the files are here
        "triggerer": ["--skip-serve-logs"],
    }
    for name in COMPONENTS:
        with (home.logs / f"{name}.log").open("ab") as output:
            process = subprocess.Popen(  # noqa: S603
                [_executable(), name, *options.get(name, [])],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd=home.folder,
            )
        _remember(home, name, process.pid)


def wait_until_healthy(home: AirflowHome, port: int, tick: Callable[[], None] = lambda: None) -> None:
    """Wait until all four components report healthy; raises RuntimeError naming one that ended or is late."""
    deadline = time.monotonic() + _HEALTHY_WITHIN_SECONDS
    late: list[str] = list(COMPONENTS)
    while time.monotonic() < deadline:
        alive = running(home)
        for name in COMPONENTS:
            if name not in alive:
                raise RuntimeError(f"Airflow's {name} ended:\n{log_tail(home, name)}")
        late = _unhealthy(port)
        if not late:
            return
        tick()
        time.sleep(0.5)
    raise RuntimeError(
        f"Airflow's {late[0]} was not healthy in {_HEALTHY_WITHIN_SECONDS} s:\n{log_tail(home, late[0])}"
    )


def _unhealthy(port: int) -> list[str]:
    try:
        answer = httpx.get(f"http://127.0.0.1:{port}/api/v2/monitor/health", timeout=5, trust_env=False)
        state = answer.json()
    except (httpx.HTTPError, ValueError):
        return ["api-server"]
    parts = {"scheduler": "scheduler", "dag-processor": "dag_processor", "triggerer": "triggerer"}
    return [name for name, key in parts.items() if (state.get(key) or {}).get("status") != "healthy"]


def log_tail(home: AirflowHome, name: str) -> str:
    """Return the end of a component's log."""
    path = home.logs / f"{name}.log"
    return path.read_text(errors="replace")[-3000:] if path.is_file() else "(no log)"


def running(home: AirflowHome) -> dict[str, psutil.Process]:
    """Return the living components started for this home, by name."""
    found = {}
    for name in COMPONENTS:
        path = home.folder / f"{name}.pid"
        if not path.is_file():
            continue
        try:
            pid, started = path.read_text().split()
            process = psutil.Process(int(pid))
            # A pid is used again by the system: only the start time proves that it is ours.
            if abs(process.create_time() - float(started)) < 1 and process.status() != psutil.STATUS_ZOMBIE:
                found[name] = process
        except (ValueError, psutil.Error):
            continue
    return found


def stop_components(home: AirflowHome) -> list[str]:
    """Stop the components and every process they started; returns the names of those that were running."""
    found = running(home)
    family: list[psutil.Process] = []
    for process in found.values():
        family += [*process.children(recursive=True), process]
    for process in found.values():
        _quietly(process.send_signal, signal.SIGTERM)
    _, alive = psutil.wait_procs(family, timeout=_STOP_WITHIN_SECONDS)
    for process in alive:
        _quietly(process.kill)
    psutil.wait_procs(alive, timeout=5)
    for name in COMPONENTS:
        (home.folder / f"{name}.pid").unlink(missing_ok=True)
    return list(found)


def _quietly(action: Callable[..., None], *arguments: object) -> None:
    try:
        action(*arguments)
    except psutil.Error:
        return


def _remember(home: AirflowHome, name: str, pid: int) -> None:
    (home.folder / f"{name}.pid").write_text(f"{pid} {psutil.Process(pid).create_time()}")


def _executable() -> str:
    return str(Path(sys.executable).parent / "airflow")
