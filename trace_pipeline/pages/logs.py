"""A list of evaluations, page by page, with the first unsupported sentence of each log shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from trace_core.keys import response_key
from trace_core.records import Log
from trace_pipeline.pages.log_filter import FIRST, LAST, LogFilter, Place
from trace_pipeline.pages.source_log import Said, responses, sentences_of
from trace_pipeline.source import Source
from trace_pipeline.sqlfiles import query

PAGE_ROWS = 25
LONGEST_SENTENCE = 300
# A larger log is shown by its own page only: a page of them must not be slow.
_MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class LogRow:
    """One evaluation of a list.

    Metrics in [0, 1], None with the reason code in `undefined`. sentence: the first unsupported one, cut;
    sentence_note: why there is none to show, empty where none is unsupported.
    """

    place: Place
    logged_at: datetime
    log_id: str
    input_hash: str
    status: str
    reason: str | None
    response_kind: str | None
    relevance: float | None
    utilization: float | None
    adherence: float | None
    completeness: float | None
    average: float | None
    adherence_probability: float | None
    undefined: Mapping[str, str]
    segments: Mapping[str, str]
    unsupported_keys: tuple[str, ...]
    labels: int
    sentence: str = ""
    sentence_note: str = ""


@dataclass(frozen=True, slots=True)
class LogList:
    """A page of the list; `before` and `after` are where the pages around it begin, None at the ends."""

    rows: tuple[LogRow, ...]
    before: Place | None
    after: Place | None


def read_logs(
    connection: Connection,
    wanted: LogFilter,
    *,
    after: Place | None = None,
    before: Place | None = None,
    most: int = PAGE_ROWS,
) -> LogList:
    """Return the page after a place, or the one before a place, or the first."""
    backwards = before is not None
    upwards = wanted.descending == backwards
    place = before or after or (FIRST if upwards else LAST)
    name = "page_logs_after" if upwards else "page_logs_before"
    found: Sequence[Mapping[Any, Any]] = (
        connection.execute(query(name), wanted.parameters(place, most + 1)).mappings().all()
    )
    if wanted.descending:  # on the way up, rows without a value come last
        found = [row for row in found if row["key"] < 2]
    rows = [_row(row) for row in found[:most]]
    more = len(found) > most
    if backwards:
        rows.reverse()
    if not rows:
        return LogList((), None, None)
    has_before = more if backwards else after is not None
    has_after = True if backwards else more
    return LogList(tuple(rows), rows[0].place if has_before else None, rows[-1].place if has_after else None)


def _row(row: Mapping[Any, Any]) -> LogRow:
    return LogRow(
        place=Place(row["key"], row["logged_at"], row["log_id"]),
        logged_at=row["logged_at"],
        log_id=row["log_id"],
        input_hash=row["input_hash"],
        status=row["status"],
        reason=row["reason"],
        response_kind=row["response_kind"],
        relevance=row["relevance"],
        utilization=row["utilization"],
        adherence=row["adherence"],
        completeness=row["completeness"],
        average=row["average"],
        adherence_probability=row["adherence_probability"],
        undefined=row["undefined"],
        segments=row["segments"],
        unsupported_keys=tuple(str(key) for key in row["unsupported_keys"] or ()),
        labels=row["labels"],
    )


def with_sentences(
    connection: Connection, source: Source, scorer: str, rows: Sequence[LogRow]
) -> list[LogRow]:
    """Return the rows with the text of the first unsupported sentence, read from the source."""
    keys = [(row.logged_at, row.log_id) for row in rows if row.unsupported_keys]
    said = responses(connection, source, keys, _MOST_BYTES)
    return [
        _with_sentence(scorer, row, said.get((row.logged_at, row.log_id), []))
        if row.unsupported_keys
        else row
        for row in rows
    ]


def _with_sentence(scorer: str, row: LogRow, found: Sequence[Said]) -> LogRow:
    if not found:
        return replace(row, sentence_note="The log is no longer in the source.")
    same = [said for said in found if said.input_hash == row.input_hash]
    if not same:
        return replace(row, sentence_note="The log has changed since it was scored.")
    if same[0].text is None:
        return replace(row, sentence_note="The log is large: open it to read the sentence.")
    # Only the response is wanted: no document needs to be split.
    log = Log(row.log_id, "", (), same[0].text, segments=row.segments)
    text = _text_of(sentences_of(scorer, log).response, row.unsupported_keys)
    if text is None:
        return replace(row, sentence_note="The text is split otherwise than when it was scored.")
    return replace(row, sentence=text if len(text) <= LONGEST_SENTENCE else text[:LONGEST_SENTENCE] + "…")


def _text_of(response: Sequence[str], keys: Sequence[str]) -> str | None:
    wanted = set(keys)
    return next((text for at, text in enumerate(response) if response_key(at) in wanted), None)
