"""One log's text, read from the source when a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from trace_core.errors import BadInput
from trace_core.reasons import describe
from trace_core.records import Limits, Log, parse_log
from trace_core.scorers.base import LogSentences
from trace_pipeline.scorers import sentence_scorer
from trace_pipeline.source import Entry, Key, Source


def find_entry(
    connection: Connection, source: Source, logged_at: datetime, log_id: str, input_hash: str
) -> Entry | None:
    """Return the source's row of a log, of several the one that was scored; None when it is gone."""
    start, end = Key(logged_at, log_id), Key(logged_at + timedelta(microseconds=1))
    same = [entry for entry in source.entries(connection, start, end) if entry.log_id == log_id]
    exact = [entry for entry in same if entry.input_hash == input_hash]
    return next(iter([*exact, *same]), None)


@dataclass(frozen=True, slots=True)
class Said:
    """The response of a log as the source has it; `text` is None where the log is too large."""

    input_hash: str
    text: str | None


def responses(
    connection: Connection, source: Source, keys: Sequence[tuple[datetime, str]], most_bytes: int
) -> dict[tuple[datetime, str], list[Said]]:
    """Fetch the responses of some logs by their times and ids, all at once."""
    if not keys:
        return {}
    response = sa.cast(source.column("response"), sa.Text)
    small = sa.case((source.byte_length() <= most_bytes, response), else_=None)
    statement = sa.select(source.logged_at, source.log_id, source.input_hash(), small).where(
        _at(source, keys)
    )
    found: dict[tuple[datetime, str], list[Said]] = {}
    for logged_at, log_id, input_hash, text in connection.execute(statement):
        found.setdefault((logged_at, log_id), []).append(Said(input_hash, text))
    return found


def questions(
    connection: Connection, source: Source, keys: Sequence[tuple[datetime, str]], most: int
) -> dict[tuple[datetime, str], str]:
    """Fetch the first `most` characters of the questions of some logs; of two of the same key any."""
    if not keys:
        return {}
    begin = sa.func.left(sa.cast(source.column("question"), sa.Text), most)
    statement = sa.select(source.logged_at, source.log_id, begin).where(_at(source, keys))
    return {(at, log_id): text or "" for at, log_id, text in connection.execute(statement)}


def _at(source: Source, keys: Sequence[tuple[datetime, str]]) -> sa.ColumnElement[bool]:
    """Return the condition for some times and some ids, written for an index on the time."""
    moments: list[sa.ColumnElement[Any]] = [
        sa.cast(sa.literal(at, sa.DateTime(timezone=True)), sa.DateTime(timezone=True)) for at, _ in keys
    ]
    column = source.logged_at
    raw = source.column("logged_at")
    if source.zoneless and raw is not None:  # compared as it is stored, so that an index on it serves
        column = raw
        moments = [sa.func.timezone(source.settings.time_zone, moment) for moment in moments]
    return sa.and_(column.in_(moments), source.log_id.in_([log_id for _, log_id in keys]))


def read_log(connection: Connection, source: Source, limits: Limits, entry: Entry) -> Log | str:
    """Return the log, or a sentence that says why it cannot be shown."""
    if entry.byte_length > limits.max_log_bytes:
        return f"The log holds {entry.byte_length:,} bytes, more than the setting max_log_bytes allows."
    row = source.texts(connection, [entry]).get(entry)
    if row is None:
        return "The log is no longer in the source."
    try:
        return parse_log(row, limits)
    except BadInput as refusal:
        return f"The log cannot be read any more. {describe(refusal.code)}"


def sentences_of(scorer: str, log: Log) -> LogSentences:
    """Return the sentences that a scorer's keys count; one that is not installed splits as the default."""
    return sentence_scorer(scorer).sentences(log)
