"""Some text of a document, from one of the logs that retrieved it: results keep no text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from trace_core.document_use import document_name
from trace_core.records import Limits, Log
from trace_pipeline.pages.source_log import find_entry, read_log
from trace_pipeline.source import Source
from trace_pipeline.sqlfiles import query

EXCERPT_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class LogPlace:
    """A log by its key, with the hash of what was scored."""

    logged_at: datetime
    log_id: str
    input_hash: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a document; `length` is that of the whole, in characters."""

    text: str
    length: int
    log: LogPlace


def log_with(
    connection: Connection, scorer_id: int, document: str, from_at: datetime, to_at: datetime
) -> LogPlace | None:
    """Return a log in [from_at, to_at), a day, that retrieved a document."""
    place = {"scorer_id": scorer_id, "document": document, "from_at": from_at, "to_at": to_at}
    row = connection.execute(query("page_log_with_document"), place).first()
    return None if row is None else LogPlace(row.logged_at, row.log_id, row.input_hash)


def excerpt_of(
    connection: Connection, source: Source, limits: Limits, place: LogPlace, document: str
) -> Excerpt | str:
    """Return the beginning of the document as the log has it, or a sentence that says why not."""
    entry = find_entry(connection, source, place.logged_at, place.log_id, place.input_hash)
    log = (
        "The log is no longer in the source."
        if entry is None
        else read_log(connection, source, limits, entry)
    )
    if not isinstance(log, Log):
        return log
    text = next((one.text for one in log.documents if document_name(one) == document), None)
    if text is None:
        return "The log has changed since and does not hold the document any more."
    return Excerpt(text[:EXCERPT_CHARACTERS], len(text), place)
