"""Mutation testing of the metrics and their sums: does a changed line break a test?

    python -m benchmarks.mutation [--work DIR] [--explained FILE]

mutmut changes one expression at a time in a copy of the package and runs the tests that reach it. The first
run builds an environment of its own in DIR. Mutants that no test notices are printed with their change; the
exit code is 1 when one of them is not explained in FILE. It takes some minutes on one core.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from benchmarks import environments
from benchmarks.environments import ROOT

MUTATED: Final = ("metrics/*", "aggregates.py", "keys.py", "annotation.py", "evaluation_log.py")
TESTS: Final = ("test_core_metrics.py", "test_core_counts.py")
EXPLAINED: Final = ROOT / "docs" / "metrics" / "mutation.md"
#: Exit codes of the tests of a mutant: it lived, or no test reached it. Any other means that it was noticed.
LIVED: Final = {0: "survived", 33: "no test"}
_PROPERTY: Final = re.compile(r"^    @property\n    def (\w+)\(self\)", re.MULTILINE)
_CLASS_OR_PROPERTY: Final = re.compile(r"^class (\w+)|^    @property\n    def (\w+)\(", re.MULTILINE)
_CACHE: Final = re.compile(r"^@lru_cache\(maxsize=\d+\)\n", re.MULTILINE)


def plain(source: str) -> str:
    """The same module without decorators, whose functions mutmut would leave alone.

    A property becomes a method that the end of the module makes a property of; caches go.
    """
    assigned = []
    owner = ""
    for match in _CLASS_OR_PROPERTY.finditer(source):
        owner = match[1] or owner
        if match[2]:
            assigned.append(f"{owner}.{match[2]} = property({owner}._get_{match[2]})")
    bare = _PROPERTY.sub(r"    def _get_\1(self)", _CACHE.sub("", source))
    return "\n".join([bare, *assigned, ""]) if assigned else bare


def prepare(work: Path) -> Path:
    """A folder with the package, its tests and mutmut's settings."""
    copy = work / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "trace_core", copy / "trace_core", ignore=shutil.ignore_patterns("__pycache__"))
    for pattern in MUTATED:
        for path in (copy / "trace_core").glob(pattern.replace("*", "*.py")):
            path.write_text(plain(path.read_text(encoding="utf-8")), encoding="utf-8")
    tests = copy / "tests" / "unit" / "core"
    tests.mkdir(parents=True)
    for name in TESTS:
        shutil.copy(ROOT / "tests" / "unit" / "core" / name, tests)
    options = {
        "source_paths": ["trace_core"],
        "only_mutate": [f"trace_core/{pattern}" for pattern in MUTATED],
        "pytest_add_cli_args_test_selection": ["tests/unit/core"],
        "pytest_add_cli_args": ["-q", "-p no:cacheprovider"],
    }
    lines = [f"{name}=\n" + "".join(f"    {value}\n" for value in values) for name, values in options.items()]
    (copy / "setup.cfg").write_text("[mutmut]\n" + "".join(lines), encoding="utf-8")
    return copy


def results(copy: Path) -> dict[str, int]:
    """Mutant -> exit code of its tests."""
    found: dict[str, int] = {}
    for path in sorted((copy / "mutants" / "trace_core").rglob("*.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def change(mutmut: Path, copy: Path, mutant: str) -> tuple[str, str]:
    """The line of a mutant before and after."""
    shown = subprocess.run([mutmut, "show", mutant], cwd=copy, capture_output=True, text=True, check=True)
    lines = [
        line for line in shown.stdout.splitlines() if line[:1] in "-+" and line[:3] not in ("---", "+++")
    ]
    before, after = (" ".join(ln[1:].strip() for ln in lines if ln[:1] == sign) for sign in "-+")
    return before, after


def report(found: dict[str, int]) -> list[str]:
    """A Markdown table: a line a module."""
    modules = [mutant.partition(".x")[0] for mutant in found]
    total = Counter(modules)
    lived = Counter(module for module, code in zip(modules, found.values(), strict=True) if code in LIVED)
    lines = ["| module | mutants | noticed | not noticed |", "|---|---|---|---|"]
    for module, count in [*sorted(total.items()), ("all", len(found))]:
        missed = lived.total() if module == "all" else lived[module]
        lines.append(f"| {module} | {count} | {count - missed} | {missed} |")
    return lines


def main() -> None:
    """Mutate, test and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--work", type=Path, default=ROOT / ".local" / "mutation", help="default: %(default)s"
    )
    parser.add_argument("--explained", type=Path, default=EXPLAINED, help="default: %(default)s")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    python = environments.create(
        work / "environment", requirements=ROOT / "benchmarks" / "requirements-mutation.txt"
    )
    mutmut = python.with_name("mutmut")
    copy = prepare(work)
    with (work / "mutmut.log").open("w", encoding="utf-8") as log:
        subprocess.run([mutmut, "run", "--max-children", "1"], cwd=copy, stdout=log, stderr=log, check=True)
    found = results(copy)
    print("\n".join(report(found)))
    explained = options.explained.read_text(encoding="utf-8") if options.explained.exists() else ""
    unexplained = 0
    for mutant, code in found.items():
        if code in LIVED:
            before, after = change(mutmut, copy, mutant)
            known = f"`{after}`" in explained
            unexplained += not known
            print(f"\n{mutant}: {LIVED[code]}{', explained' * known}\n- {before}\n+ {after}")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
