"""Texts of documents by their id, out of a file of any size: kept in a temporary SQLite file."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from trace_core.errors import ConfigurationError
from trace_pipeline.importers.containers import rows_of
from trace_pipeline.importers.mapping import Mapped
from trace_pipeline.importers.outcomes import Raw
from trace_pipeline.importers.values import at_path


class TextsById:
    """Finds a document's text."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def find(self, identifier: str) -> str | None:
        """Return the text of an id, None for an unknown one."""
        row = self._connection.execute("select text from texts where id = ?", (identifier,)).fetchone()
        return row[0] if row else None


@contextmanager
def joined_texts(mapped: Mapped) -> Iterator[TextsById | None]:
    """Open the texts that a mapping names. Raises ConfigurationError for a file without any."""
    if mapped.texts is None:
        yield None
        return
    path = Path(mapped.folder) / mapped.texts.file
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(Path(folder) / "texts")) as connection,
    ):
        connection.execute("pragma synchronous = off")
        connection.execute("create table texts (id text primary key, text text) without rowid")
        connection.executemany(
            "insert or replace into texts values (?, ?)", _pairs(path, mapped.texts.id, mapped.texts.text)
        )
        connection.commit()
        if connection.execute("select count(*) from texts").fetchone()[0] == 0:
            raise ConfigurationError(
                f"[texts] file {str(path)!r} holds no row with {mapped.texts.id!r} and {mapped.texts.text!r}."
            )
        yield TextsById(connection)


def _pairs(path: Path, identifier: str, text: str) -> Iterator[tuple[str, str]]:
    if not path.is_file():
        raise ConfigurationError(
            f"[texts] file {str(path)!r} is not there; it is looked for beside the mapping file."
        )
    for raw in rows_of(str(path)):
        if isinstance(raw, Raw):
            name, found = at_path(raw.value, identifier), at_path(raw.value, text)
            if isinstance(name, str | int) and isinstance(found, str):
                yield str(name), found.encode("utf-8", "replace").decode()
