"""Does every Python version say the same?

    python -m benchmarks.versions [--work DIR] [--python PATH ...]

Looks for the Python versions that the project supports: on PATH, among pyenv's, and where `--python` says.
Each gets an environment with the locked core packages below DIR and digests the fixed corpus, twice, with
different hash seeds. Prints a Markdown table; the exit code is 1 when any two outputs differ, and the logs on
which they do are named.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks import environments
from benchmarks.environments import ROOT

SUPPORTED: Final = ("3.11", "3.12", "3.13")
HASH_SEEDS: Final = ("0", "12345")
_PROBE: Final = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"


def candidates(named: Iterable[str]) -> Iterator[str]:
    """Where interpreters may be; not every one of them runs."""
    yield from named
    yield sys.executable
    yield from (found for version in SUPPORTED if (found := shutil.which(f"python{version}")))
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    yield from map(str, sorted(pyenv.glob("3.*/bin/python")))


def interpreters(named: Iterable[str]) -> dict[str, str]:
    """Version -> the first interpreter of it that runs and can build environments."""
    found: dict[str, str] = {}
    for candidate in candidates(named):
        try:
            done = subprocess.run([candidate, "-c", _PROBE], capture_output=True, text=True)
        except OSError:
            continue
        version = done.stdout.strip()
        if done.returncode == 0 and version in SUPPORTED:
            found.setdefault(version, candidate)
    return dict(sorted(found.items()))


def digests(python: str | Path, hash_seed: str) -> dict[str, Any]:
    """What an interpreter says about the corpus."""
    done = subprocess.run(
        [python, "-m", "benchmarks.core_digest", "--logs"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{python} failed:\n{done.stderr.strip()}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What two outputs do not share, one line each."""
    lines = []
    for scorer, expected in one["scorers"].items():
        got = other["scorers"].get(scorer, {"fingerprint": None, "by_log": {}})
        if expected["fingerprint"] != got["fingerprint"]:
            lines.append(f"{scorer}: fingerprint {expected['fingerprint']} and {got['fingerprint']}")
        parts = [log for log, value in expected["by_log"].items() if got["by_log"].get(log) != value]
        lines += [f"{scorer}: {log}" for log in parts]
    return lines


def main() -> None:
    """Digest everywhere and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--work", type=Path, default=ROOT / ".local" / "versions", help="default: %(default)s"
    )
    parser.add_argument("--python", action="append", default=[], help="an interpreter (may be repeated)")
    options = parser.parse_args()
    print("| Python | hash seed | scorer | logs | fingerprint | evaluations |\n|---|---|---|---|---|---|")
    first: dict[str, Any] | None = None
    parted: list[str] = []
    for version, python in interpreters(options.python).items():
        own = environments.create(options.work.resolve() / version, python)
        for seed in HASH_SEEDS:
            said = digests(own, seed)
            for name, entry in said["scorers"].items():
                figures = f"{entry['logs']} | `{entry['fingerprint']}` | `{entry['evaluations']}`"
                print(f"| {said['python']} | {seed} | {name} | {figures} |", flush=True)
            first = first or said
            parted += [f"{said['python']}, {line}" for line in differences(first, said)]
    print("\n".join(["", *dict.fromkeys(parted)]) if parted else "\nNo difference.")
    sys.exit(1 if parted else 0)


if __name__ == "__main__":
    main()
