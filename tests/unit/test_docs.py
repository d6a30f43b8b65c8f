"""The documentation names what there is: settings, commands, DAGs, steps, checks, reasons, tables, links."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pydantic import BaseModel
from typer.main import get_command

from trace_core import DEFAULT_SCORER, reasons
from trace_pipeline.cli.main import app
from trace_pipeline.local.stack import DAG_IDS
from trace_pipeline.scorers import all_scorer_names
from trace_pipeline.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
STEPS = (ROOT / "docs/steps.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
REASONS = (ROOT / "docs/reason-codes.md").read_text(encoding="utf-8")
TROUBLESHOOTING = (ROOT / "docs/how-to/troubleshooting.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def table_rows(page: str) -> Iterator[list[str]]:
    """Yield the cells of each row of a page's tables."""
    for line in page.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def section(page: str, heading: str) -> str:
    """Return the text below a heading up to the next one of its level."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"no heading {heading!r}"
    return found[1]


def settings_of(model: type[BaseModel], prefix: str = "") -> dict[str, object]:
    """Return each setting's dotted name with its default as JSON."""
    found: dict[str, object] = {}
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            found |= settings_of(type(default), f"{prefix}{name}.")
        else:
            found[prefix + name] = json.loads(json.dumps(default, default=dict))
    return found


def test_the_settings_table_is_complete_and_its_defaults_are_true() -> None:
    """Each setting has one line with its environment name, unit, default and reason; no line is left over."""
    rows = {
        row[0].strip("`"): row for row in table_rows(section(README, "Settings")) if row[0].startswith("`")
    }
    expected = settings_of(Settings)
    assert set(rows) == set(expected)
    for name, default in expected.items():
        _, environment, unit, documented, reason = rows[name]
        assert environment.strip("`") == "TRACE_" + name.upper().replace(".", "__"), name
        assert json.loads(documented.strip("`")) == default, name
        assert unit and len(reason) > 10, name


def test_every_scorer_is_documented_and_the_default_is_named() -> None:
    """The README's table of scorers has each name that a run knows, and marks the default."""
    named = {row[0] for row in table_rows(section(README, "Scorers")) if row[0].startswith("`")}
    expected = {f"`{name}`" + " (default)" * (name == DEFAULT_SCORER) for name in all_scorer_names()}
    assert named == expected


def test_every_command_and_option_is_documented() -> None:
    """docs/commands.md has a heading for each command and names each of its options."""
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert len(commands) >= 7
    for name, command in commands.items():
        text = section(COMMANDS, name)
        assert f"`trace-pipeline {name}`" in README, name
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--") and option != "--help":
                    assert f"`{option}`" in text, f"{name} {option}"


def test_no_command_or_option_is_documented_that_does_not_exist() -> None:
    """Each option in the tables of docs/commands.md is one of that command."""
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        known = {option for parameter in command.params for option in parameter.opts}
        named = {
            option
            for row in table_rows(section(COMMANDS, name))
            for option in re.findall(r"`(--[a-z-]+)`", row[0])
        }
        assert named <= known, name


def test_every_make_target_is_documented() -> None:
    """Each target that `make help` lists is in docs/commands.md."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE):
        assert f"`make {target}`" in section(COMMANDS, "make"), target


@cache
def dag_sources() -> str:
    """Return the text of all files below dags/."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "dags").rglob("*.py")))


def test_every_dag_and_its_parameters_are_documented() -> None:
    """docs/steps.md has a heading for each DAG file, and names each of its parameters."""
    files = sorted(path.stem for path in (ROOT / "dags").glob("*.py"))
    assert files == sorted(DAG_IDS)
    for dag_id in files:
        text = section(STEPS, f"DAG `{dag_id}`")
        source = (ROOT / "dags" / f"{dag_id}.py").read_text(encoding="utf-8")
        assert dag_id in README
        for parameter in re.findall(r'"(\w+)": Param\(', source):
            assert f"`{parameter}`" in text, f"{dag_id} {parameter}"


def test_every_task_has_a_heading() -> None:
    """One word, five places: each function decorated as a task is a heading of docs/steps.md."""
    tasks = set()
    for node in ast.walk(ast.parse(dag_sources().replace("from __future__ import annotations", ""))):
        if isinstance(node, ast.FunctionDef):
            names = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
            tasks |= {node.name} if names & {"task", "task.short_circuit"} else set()
    assert len(tasks) >= 10
    assert tasks == set(re.findall(r"^## ([a-z_]+)$", STEPS, re.MULTILINE))


def test_every_check_is_documented_with_its_severity() -> None:
    """The table of checks has each file of sql/checks and says whether it fails or warns."""
    rows = {row[0].strip("`"): row for row in table_rows(section(STEPS, "check_ledger"))}
    for path in (ROOT / "sql/checks").glob("*.sql"):
        severity = re.search(r"^-- severity: (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert severity is not None
        assert rows[path.stem][1] == severity[1], path.stem


def test_every_table_and_view_is_documented() -> None:
    """The architecture page names each relation of the schema."""
    created = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "sql/migrations").glob("*.sql"))
    relations = re.findall(r"^create table (?:if not exists )?trace\.(\w+)", created, re.MULTILINE)
    relations += [path.stem for path in (ROOT / "sql/views").glob("*.sql")]
    assert len(relations) > 10
    for relation in relations:
        assert f"`{relation}`" in section(ARCHITECTURE, "Tables and views"), relation


def test_the_reason_codes_are_those_of_the_core() -> None:
    """docs/reason-codes.md has each code under its kind with the core's own sentence."""
    kinds = {
        "Quarantine": reasons.QUARANTINE_REASONS,
        "Skipped": reasons.SKIP_REASONS,
        "Failed": reasons.FAILURE_REASONS,
        "Sampled out": reasons.SAMPLING_REASONS,
        "Import": reasons.IMPORT_REASONS,
        "Undefined": reasons.UNDEFINED_REASONS,
    }
    for heading, codes in kinds.items():
        rows = {row[0].strip("`"): row[1] for row in table_rows(section(REASONS, heading)) if "`" in row[0]}
        assert rows == dict(codes), heading


@cache
def said() -> tuple[str, ...]:
    """Return every text the program may say: the strings of its sources, its checks and its scripts."""
    texts = []
    for folder in ("trace_core", "trace_pipeline", "dags"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    texts.append(node.value)
    scripts = [*(ROOT / "sql/checks").glob("*.sql"), *(ROOT / "scripts").glob("*.sh")]
    return (*texts, *(path.read_text(encoding="utf-8") for path in sorted(scripts)))


@pytest.mark.parametrize(
    "sentence",
    [row[0][1:-1] for row in table_rows(TROUBLESHOOTING) if row[0].startswith("`")],
)
def test_each_sentence_of_troubleshooting_is_one_the_tool_says(sentence: str) -> None:
    """A sentence whose wording has changed in the sources is corrected here too."""
    for part in sentence.split("..."):
        assert any(part.strip() in text for text in said()), part


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_resolve(page: Path) -> None:
    """Each relative link leads to a file of the repository, and its anchor to a heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        assert ROOT in path.parents, target
        if anchor:
            assert anchor in anchors(path), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_hold_no_machine_paths_or_pictographs(page: Path) -> None:
    """What is true on one machine only does not belong into documentation."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(?:work|root|home|tmp|Users)/", text)
    assert not re.search("[\U0001f000-\U0001faff\u2600-\u27bf]", text)


def test_every_page_is_reachable_from_the_readme() -> None:
    """No page is written that nobody finds."""
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                waiting.append((page.parent / target).resolve())
    written = {path for folder in ("how-to", "decisions") for path in (ROOT / "docs" / folder).glob("*.md")}
    assert written
    assert written <= seen
