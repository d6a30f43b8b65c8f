"""The files of sql/: each says what it is, and the header is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.sql.tools import rows
from trace_pipeline.sqlfiles import FOLDER, names, statement_of

ROOT = Path(__file__).parents[2]
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.sql"))
QUERIES = [name for name in FILES if name.startswith(("queries/", "checks/"))]
CALLERS = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("trace_pipeline", "plugins")
    for path in sorted((ROOT / folder).rglob("*.py"))
)


def header_of(statement: str) -> dict[str, str]:
    """Return the fields of a file's header; a line that is indented goes on with the field before it."""
    fields: dict[str, str] = {}
    name = ""
    for line in statement.splitlines():
        if not line.startswith("--"):
            break
        start = re.match(r"-- ([a-z][a-z -]*): (.*)", line)
        if start:
            name = start[1]
            fields[name] = start[2]
        else:
            fields[name] += " " + line.removeprefix("--").strip()
    return fields


def declared_parameters(text: str) -> set[str]:
    """Return the names of a header's parameter list, without what is said about each."""
    plain = re.sub(r"\([^)]*\)", "", text)
    return {part.strip() for part in plain.split(",") if part.strip() and not plain.startswith("none")}


def used_parameters(statement: str) -> set[str]:
    """Return the :named parameters of a statement, comments and casts left out."""
    body = re.sub(r"--.*", "", statement)
    return set(re.findall(r"(?<![:\w]):([a-z_]+)(?![:\w])", body))


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_what_it_is(name: str) -> None:
    """Name (the file's own), purpose, parameters, returns and whether it may run twice open each file."""
    header = header_of(statement_of(name))
    assert list(header)[:1] == ["name"] and header["name"] == Path(name).stem
    assert {"purpose", "parameters", "returns", "safe to re-run"} <= set(header)
    assert all(value.strip() for value in header.values())


@pytest.mark.parametrize("name", QUERIES)
def test_the_parameters_of_the_header_are_the_ones_used(name: str) -> None:
    """No parameter is undeclared, none is declared and unused."""
    statement = statement_of(name)
    assert declared_parameters(header_of(statement)["parameters"]) == used_parameters(statement)


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith(("queries/", "checks/"))])
def test_scripts_take_no_parameters(name: str) -> None:
    """Views, migrations and roles are run as they are."""
    assert header_of(statement_of(name))["parameters"] == "none"


@pytest.mark.parametrize("name", names("queries"))
def test_a_query_has_a_caller(name: str) -> None:
    """Each query is named by the pipeline or the pages; a dead one would rot."""
    assert re.search(rf"[\"'](queries/)?{name}(\.sql)?[\"']", CALLERS)


@pytest.mark.parametrize("name", names("checks"))
def test_a_check_has_a_severity_with_its_reason(name: str) -> None:
    """Fail or warn, and why."""
    assert re.match(r"(fail|warn), because \w+", header_of(statement_of(f"checks/{name}.sql"))["severity"])


def test_every_relation_has_a_comment(engine: Engine) -> None:
    """Each table, view and function of the schema says what it is."""
    silent = rows(
        engine,
        "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = 'trace' and c.relkind in ('r', 'p', 'v') and obj_description(c.oid) is null"
        " and not c.relispartition and c.relname <> 'alembic_version'"
        " union all select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname = 'trace' and obj_description(p.oid) is null",
    )
    assert silent == []


def test_every_column_of_a_view_has_a_comment(engine: Engine) -> None:
    """People read views: each of their columns says what it holds."""
    silent = rows(
        engine,
        "select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid"
        " join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'trace' and c.relkind = 'v'"
        " and a.attnum > 0 and col_description(c.oid, a.attnum) is null order by 1, a.attnum",
    )
    assert silent == []
