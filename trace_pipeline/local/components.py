"""The four components of a local Airflow: start them, wait for their health, stop all they have started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import httpx
import psutil

from trace_pipeline.local.airflow import AirflowHome, executable

_KEEPER = (sys.executable, "-m", "trace_pipeline.local.keeper")
COMPONENTS = ("api-server", "scheduler", "dag-processor", "triggerer")
_HEALTHY_WITHIN_SECONDS = 240
_STOP_WITHIN_SECONDS = 20
# Components that this very process has started: held, because only their parent can collect their ends.
_children: list[subprocess.Popen[bytes]] = []


def start_components(
    home: AirflowHome, env: Mapping[str, str], port: int, names: Sequence[str] = COMPONENTS
) -> None:
    """Start the components, each under a keeper that starts it again; they outlive this process."""
    home.logs.mkdir(parents=True, exist_ok=True)
    options = {
        "api-server": ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"],
        "scheduler": [
            "--skip-serve-logs"
        ],  # the log servers would listen on every interface; the files are here
        "triggerer": ["--skip-serve-logs"],
    }
    for name in names:
        with (home.logs / f"{name}.log").open("ab") as output:
            process = subprocess.Popen(  # noqa: S603
                [*_KEEPER, executable(), name, *options.get(name, [])],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd=home.folder,
            )
        _children.append(process)
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
    family = [*_family(home, found.values()), *found.values()]
    for process in found.values():
        _quietly(process.send_signal, signal.SIGTERM)
    psutil.wait_procs(family, timeout=_STOP_WITHIN_SECONDS)
    alive = [process for process in {*family, *_family(home, found.values())} if process.is_running()]
    for process in alive:
        _quietly(process.kill)
    psutil.wait_procs(alive, timeout=5)
    _children[:] = [process for process in _children if process.poll() is None]
    for name in COMPONENTS:
        (home.folder / f"{name}.pid").unlink(missing_ok=True)
    return list(found)


def _family(home: AirflowHome, components: Iterable[psutil.Process]) -> set[psutil.Process]:
    """Return what the components started: their descendants, and orphans, known by their environment."""
    found: set[psutil.Process] = set()
    for process in components:
        try:
            found.update(process.children(recursive=True))
        except psutil.Error:
            continue
    for process in psutil.process_iter():
        try:
            ours = process.environ().get("AIRFLOW_HOME") == str(home.folder)
            # A shell of the user may have the variable too; it is not ours to end.
            if ours and process.pid != os.getpid() and "airflow" in " ".join(process.cmdline()):
                found.add(process)
        except (psutil.Error, OSError):
            continue  # another user's
    return found


def _quietly(action: Callable[..., None], *arguments: object) -> None:
    try:
        action(*arguments)
    except psutil.Error:
        return


def _remember(home: AirflowHome, name: str, pid: int) -> None:
    (home.folder / f"{name}.pid").write_text(f"{pid} {psutil.Process(pid).create_time()}")
