"""The due logs of a batch: which rows of the source are logs, and how a judge is asked before all else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta

from trace_core.errors import BadInput
from trace_core.records import Log, parse_log
from trace_core.scorers import Scorer
from trace_pipeline.batches import Batch, BatchMessage
from trace_pipeline.context import Pipeline
from trace_pipeline.judges.contracts import Usage
from trace_pipeline.judges.preparing import Costly, DueLogs
from trace_pipeline.results import Known, load_known
from trace_pipeline.source import Entry
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_of

CHUNK_ROWS = 200
CHUNK_BYTES = 8_000_000
# Logs that are asked about out of key order are read in small numbers: they wait in memory for their turn.
_TURN_ROWS = 20
# Fewer calls say too little about what the next ones take.
_USUAL_CALLS = 20


def examined(entries: Iterable[Entry], max_log_bytes: int) -> Iterator[tuple[Entry, int, BadInput | None]]:
    """Yield each entry with how many of its key came before it, and why it cannot be scored, if so."""
    previous: tuple[datetime, str] | None = None
    occurrence = 0
    for entry in entries:
        key = (entry.logged_at, entry.log_id or "")
        occurrence = occurrence + 1 if key == previous else 0
        previous = key
        yield entry, occurrence, _refusal(entry, occurrence, max_log_bytes)


def _refusal(entry: Entry, occurrence: int, limit: int) -> BadInput | None:
    if not entry.log_id:
        return BadInput("missing_log_id", "the source's id column is NULL or empty")
    if occurrence:
        return BadInput("duplicate_log_id", f"row {occurrence + 1} with this id and time")
    if entry.byte_length > limit:
        return BadInput("text_too_large", f"{entry.byte_length:,} bytes; max_log_bytes is {limit:,}")
    return None


def in_chunks(entries: Iterable[Entry], rows: int = CHUNK_ROWS) -> Iterator[list[Entry]]:
    """Part entries so that the texts of a part fit in memory."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        if part and (len(part) >= rows or size + entry.byte_length > CHUNK_BYTES):
            yield part
            part, size = [], 0
        part.append(entry)
        size += entry.byte_length
    if part:
        yield part


def prepared_scorers(pipeline: Pipeline, message: BatchMessage, *, force: bool = False) -> dict[int, Scorer]:
    """Return a batch's scorers by id; those that ask a judge have asked about the batch's due logs.

    No snapshot is held meanwhile. Raises only for faults of the databases.
    """
    scorers = pipeline.scorer_ids
    costly = {scorer_id: scorer for scorer_id, scorer in scorers.items() if isinstance(scorer, Costly)}
    if not costly:
        return scorers
    batch = Batch.from_message(message)
    with pipeline.results.begin() as connection:
        known = load_known(connection, batch, list(costly), pipeline.limits)
    with pipeline.read_source() as (source_connection, source):
        listed = examined(
            source.entries(source_connection, batch.start, batch.end), pipeline.settings.max_log_bytes
        )
        entries = [entry for entry, _, refusal in listed if refusal is None]
    # Each plans with its part of the budget; what one leaves the others may spend.
    share = message.get("share", 1.0) / len(costly)
    prepared: dict[int, Scorer] = dict(scorers)
    night = night_of(pipeline, message, batch)
    for scorer_id, scorer in costly.items():
        usual = _usual_call(pipeline, scorer.answers, night)
        due = _due(pipeline, known, scorer_id, entries, force, usual)
        prepared[scorer_id] = scorer.prepare(due, night, share)
    return prepared


def _usual_call(pipeline: Pipeline, fingerprint: str, night: date) -> Usage | None:
    """Return what a call took in the nights before; None when there were too few."""
    with pipeline.results.begin() as connection:
        row = connection.execute(query("usual_call"), {"fingerprint": fingerprint, "night": night}).one()
    return Usage(round(row.input_tokens), round(row.output_tokens)) if row.calls >= _USUAL_CALLS else None


def night_of(pipeline: Pipeline, message: BatchMessage, batch: Batch) -> date:
    """Return the night whose budget a batch spends: its run's, else its own last day."""
    if "night" in message:
        return date.fromisoformat(message["night"])
    return day_of(batch.end.logged_at - timedelta(microseconds=1), pipeline.settings.day_time_zone)


def _due(
    pipeline: Pipeline,
    known: Known,
    scorer_id: int,
    entries: Sequence[Entry],
    force: bool,
    usual: Usage | None,
) -> DueLogs:
    due = [
        entry
        for entry in entries
        if force
        or (
            known.is_due((entry.logged_at, entry.log_id or ""), entry.input_hash, [scorer_id])
            and known.scorer_is_due(scorer_id, entry)
        )
    ]
    drawn = {} if force else known.drawn(scorer_id, due)
    return DueLogs(
        due,
        drawn,
        lambda wanted: _read(pipeline, wanted, CHUNK_ROWS),
        lambda wanted: _read(pipeline, wanted, _TURN_ROWS),
        usual,
    )


def _read(pipeline: Pipeline, entries: Sequence[Entry], rows: int) -> Iterator[tuple[Entry, Log]]:
    """Read logs, a snapshot a chunk, so that none is held while somebody thinks about them."""
    for part in in_chunks(entries, rows):
        ordered = sorted(part, key=lambda entry: (entry.logged_at, entry.log_id or ""))
        with pipeline.read_source() as (connection, source):
            found = source.texts(connection, ordered)
        for entry in part:
            if entry in found:
                try:
                    log = parse_log(found[entry], pipeline.limits)
                except BadInput:
                    continue  # the transaction puts it aside
                yield entry, log
