"""A batch's results: what is already known of its logs, and the writer that stages and merges the new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Connection

from trace_core.aggregates import METRICS
from trace_core.document_use import document_use
from trace_core.errors import BadInput
from trace_core.records import Limits, Log
from trace_core.scorers import Evaluation
from trace_core.segments import parse_segments
from trace_pipeline.batches import Batch
from trace_pipeline.context import Pipeline
from trace_pipeline.database import array_literal, copy_rows, json_text, run_script
from trace_pipeline.source import Entry, Key
from trace_pipeline.sqlfiles import query, statement_of
from trace_pipeline.window import day_of

Position = tuple[datetime, str]

_EVALUATION_COLUMNS = (
    "scorer_id logged_at log_id input_hash status reason response_kind relevance utilization "
    "adherence completeness average adherence_probability undefined annotation segments run_id "
    "document_ids document_uses inclusion_probability decided_by content_hash "
).split()
_QUARANTINE_COLUMNS = ("log_id logged_at occurrence reason detail input_hash segments run_id ").split()
_REMOVAL_COLUMNS = ["scorer_id", "logged_at", "log_id", "occurrence"]
_DETAIL_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Removal:
    """A row to take out: of an evaluation (with scorer_id) or of the quarantine (without)."""

    scorer_id: int | None
    logged_at: datetime
    log_id: str
    occurrence: int = 0


class Known:
    """Input hashes of what is stored for a batch, less what the source still shows.

    `limits` are part of a quarantined row's hash: after they were changed it is read again.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.evaluated: dict[int, dict[Position, str]] = {}
        self._owed: dict[int, dict[Position, tuple[str, float]]] = {}
        self.quarantined: dict[tuple[datetime, str, int], str] = {}
        self._kept: set[Position] = set()
        self._still: set[tuple[datetime, str, int]] = set()

    def see(self, key: Position, occurrence: int, *, readable: bool) -> None:
        """Note that the source has this log; what is stored of it stays unless parsing finds otherwise."""
        if readable:
            self._kept.add(key)
        self._still.add((*key, occurrence))

    def is_due(self, key: Position, input_hash: str, scorer_ids: Iterable[int]) -> bool:
        """Tell whether some scorer has not seen this content, and it is not known as unreadable either."""
        if not self.quarantine_is_new(key, 0, input_hash):
            # Still unreadable: the content is the same. Stored evaluations of it, if any, must go.
            self.becomes_unreadable(key)
            return False
        return any(self.evaluated[scorer_id].get(key) != input_hash for scorer_id in scorer_ids)

    def scorer_is_due(self, scorer_id: int, entry: Entry) -> bool:
        """Tell whether this scorer has not seen this content."""
        return self.evaluated[scorer_id].get((entry.logged_at, entry.log_id or "")) != entry.input_hash

    def owes(self, scorer_id: int, key: Position, input_hash: str, probability: float) -> None:
        """Note that a judge's turn, drawn with this probability, did not come or came to nothing."""
        self._owed.setdefault(scorer_id, {})[key] = (input_hash, probability)

    def drawn(self, scorer_id: int, entries: Iterable[Entry]) -> dict[Entry, float]:
        """Return which of the entries were drawn before with this very content, and their probabilities."""
        owed = self._owed.get(scorer_id, {})
        found = {}
        for entry in entries:
            input_hash, probability = owed.get((entry.logged_at, entry.log_id or ""), ("", 1.0))
            if input_hash == entry.input_hash:
                found[entry] = probability
        return found

    def quarantine_is_new(self, key: Position, occurrence: int, input_hash: str) -> bool:
        """Tell whether this row is not in the quarantine with this content."""
        return self.quarantined.get((*key, occurrence)) != quarantine_hash(input_hash, self._limits)

    def becomes_unreadable(self, key: Position) -> None:
        """The log's evaluations, if any, are of a content it no longer has."""
        self._kept.discard(key)

    def becomes_readable(self, key: Position) -> None:
        """The log leaves the quarantine."""
        self._still.discard((*key, 0))

    def removals(self) -> Iterator[Removal]:
        """Yield what is stored and no longer true of the source."""
        for scorer_id, hashes in self.evaluated.items():
            for logged_at, log_id in hashes.keys() - self._kept:
                yield Removal(scorer_id, logged_at, log_id)
        for logged_at, log_id, occurrence in self.quarantined.keys() - self._still:
            yield Removal(None, logged_at, log_id, occurrence)


def quarantine_hash(input_hash: str, limits: Limits) -> str:
    """Return the hash of what made a row unreadable: its content and the limits it was read with."""
    return hashlib.sha256(f"{input_hash} {limits!r}".encode()).hexdigest()


def load_known(connection: Connection, batch: Batch, scorer_ids: Sequence[int], limits: Limits) -> Known:
    """Read what is stored for the range of a batch."""
    known = Known(limits)
    for scorer_id in scorer_ids:
        known.evaluated[scorer_id] = {}
    place = {"from_at": batch.start.logged_at, "to_at": batch.end.logged_at}
    rows = connection.execute(query("known_hashes"), {**place, "scorer_ids": list(scorer_ids)})
    for scorer_id, logged_at, log_id, input_hash, owed_hash, probability in rows:
        if batch.start <= Key(logged_at, log_id) < batch.end:
            known.evaluated[scorer_id][logged_at, log_id] = input_hash
            if owed_hash is not None:
                known.owes(scorer_id, (logged_at, log_id), owed_hash, probability)
    for logged_at, log_id, occurrence, input_hash in connection.execute(query("known_quarantine"), place):
        if batch.start <= Key(logged_at, log_id) < batch.end:
            known.quarantined[logged_at, log_id, occurrence] = input_hash
    return known


class BatchWriter:
    """Stages a batch's rows by COPY, then merges them. Nothing is visible before the transaction ends."""

    def __init__(self, connection: Connection, pipeline: Pipeline, scorer_ids: Sequence[int]) -> None:
        self.connection = connection
        self.run_id = pipeline.run_id
        self.settings = pipeline.settings
        self.limits = pipeline.limits
        self.scorer_ids = list(scorer_ids)
        self._changed: set[tuple[datetime, str, int]] = set()
        self._days: set[date] = set()
        self._quarantined: list[Sequence[object]] = []
        self._removed: list[Sequence[object]] = []
        run_script(connection, statement_of("queries/stage_batch.sql"))

    def evaluations(self, scorer_id: int, scored: Iterable[tuple[tuple[Entry, Log], Evaluation]]) -> None:
        """Stage one scorer's evaluations of a chunk."""
        done = list(scored)
        rows = [self._evaluation(scorer_id, entry, log, result) for (entry, log), result in done]
        copy_rows(self.connection, "staged_evaluation", _EVALUATION_COLUMNS, rows)
        self._changed.update((entry.logged_at, entry.log_id or "", 0) for (entry, _), _ in done)

    def _evaluation(self, scorer_id: int, entry: Entry, log: Log, result: Evaluation) -> Sequence[object]:
        self._touch(entry.logged_at)
        if not _is_storable(result):
            # A constraint would refuse the row, and with it the batch, every night.
            fingerprint = result.fingerprint
            result = Evaluation.unscored(log.log_id, "failed", "scorer_error", "answer", fingerprint)
        keep = self.settings.store_annotations and result.annotation is not None
        annotation = json_text(result.annotation.to_json()) if keep and result.annotation else None
        return (
            scorer_id,
            entry.logged_at,
            entry.log_id,
            entry.input_hash,
            result.status,
            result.reason,
            result.response_kind,
            result.relevance,
            result.utilization,
            result.adherence,
            result.completeness,
            result.average,
            result.adherence_probability,
            json_text(dict(result.undefined)) if result.undefined else "{}",
            annotation,
            json_text(dict(log.segments)),
            self.run_id,
            *_documents(log, result),
            result.inclusion_probability,
            result.decided_by,
            result.content_hash,
        )

    def quarantine(self, entry: Entry, occurrence: int, refusal: BadInput, segments: object) -> None:
        """Stage a row that cannot be read, with what can be read of its segments."""
        self._touch(entry.logged_at)
        self._changed.add((entry.logged_at, entry.log_id or "", occurrence))
        detail = _clean(refusal.detail)[:_DETAIL_LENGTH]
        known = json_text(_readable_segments(segments, self.settings.segments))
        content = quarantine_hash(entry.input_hash, self.limits)
        row = (entry.log_id or "", entry.logged_at, occurrence, refusal.code, detail, content, known)
        self._quarantined.append((*row, self.run_id))

    def remove(self, removal: Removal) -> None:
        """Stage a removal."""
        self._touch(removal.logged_at)
        self._changed.add((removal.logged_at, removal.log_id, removal.occurrence))
        self._removed.append((removal.scorer_id, removal.logged_at, removal.log_id, removal.occurrence))

    def _touch(self, moment: datetime) -> None:
        self._days.add(day_of(moment, self.settings.day_time_zone))

    def finish(self) -> int:
        """Merge what is staged and mark its days as due for new sums. Returns how many logs changed."""
        if not self._changed:
            return 0
        days = sorted(self._days)
        self.connection.execute(query("lock_days"), {"days": days})
        copy_rows(self.connection, "staged_quarantine", _QUARANTINE_COLUMNS, self._quarantined)
        copy_rows(self.connection, "staged_removal", _REMOVAL_COLUMNS, self._removed)
        for name in ("remove_evaluations", "remove_quarantine", "merge_evaluations", "merge_quarantine"):
            self.connection.execute(query(name))
        self.connection.execute(query("mark_days"), {"days": days, "scorer_ids": self.scorer_ids})
        return len(self._changed)


def _documents(log: Log, result: Evaluation) -> tuple[str | None, str | None]:
    """Return the log's documents and what became of each, as array literals; None without annotation."""
    if result.annotation is None:
        return None, None
    use = document_use(log, result.annotation)
    return array_literal(use), array_literal(map(str, use.values()))


def _is_storable(result: Evaluation) -> bool:
    """Tell whether each value of a scorer is in [0, 1]; NaN is not."""
    values = [getattr(result, metric) for metric in METRICS]
    return all(value is None or 0 <= value <= 1 for value in [*values, result.adherence_probability])


def _readable_segments(segments: object, dimensions: Sequence[str]) -> Mapping[str, str]:
    """Return what can be read of an unreadable log's segments, labelled as a readable log's are."""
    try:
        found = parse_segments(segments)
    except BadInput:
        return {}
    return {name: found[name] for name in dimensions if name in found}


def _clean(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\N{REPLACEMENT CHARACTER}")
