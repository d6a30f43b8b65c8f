"""Loads the statements of the folder sql/ by name; each file starts with a header, as tests/sql check."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import TextClause, text

_PACKAGED = Path(__file__).parent / "sql"
FOLDER = _PACKAGED if _PACKAGED.is_dir() else Path(__file__).parent.parent / "sql"


@cache
def statement_of(name: str) -> str:
    """Return the text of a file below sql/, such as "queries/known_hashes.sql"."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def query(name: str) -> TextClause:
    """Return sql/queries/<name>.sql with its `:named` parameters."""
    return text(statement_of(f"queries/{name}.sql"))


def names(folder: str) -> list[str]:
    """Return the names (without ending) of the files of a folder below sql/, sorted."""
    return sorted(path.stem for path in (FOLDER / folder).glob("*.sql"))
