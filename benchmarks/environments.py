"""Separate virtual environments for what must not share the project's own."""

import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def core_packages() -> list[str]:
    """The packages that trace_core stands on, as pyproject.toml names them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [dependency.partition(">")[0].lower() for dependency in project["dependencies"]]


def locked(names: Iterable[str]) -> str:
    """The entries of some packages in requirements.lock, with their hashes; ValueError if one is missing."""
    entries: dict[str, list[str]] = {}
    name = ""
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            name = line.partition("==")[0].strip().lower()
        entries.setdefault(name, []).append(line)
    missing = [wanted for wanted in names if wanted not in entries]
    if missing:
        raise ValueError(f"not in requirements.lock: {', '.join(missing)}")
    return "\n".join(line for wanted in names for line in entries[wanted]) + "\n"


def create(folder: Path, python: str | Path = sys.executable, requirements: Path | None = None) -> Path:
    """The interpreter of an environment with the locked core packages and more requirements.

    An environment that a run finished before is used again, unless its requirements have changed.
    """
    core = locked(core_packages())
    wanted = core + (requirements.read_text(encoding="utf-8") if requirements else "")
    interpreter, ready = folder / "bin" / "python", folder / "ready.txt"
    if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
        return interpreter
    _run([python, "-m", "venv", "--clear", folder])
    lock = folder / "core.lock"
    lock.write_text(core, encoding="utf-8")
    pip = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    _run([*pip, "--no-deps", "--require-hashes", "-r", lock])
    if requirements:
        _run([*pip, "-r", requirements])
    ready.write_text(wanted, encoding="utf-8")
    return interpreter


def _run(command: Sequence[str | Path]) -> None:
    """Run a command and end with its message when it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr.strip()}")
