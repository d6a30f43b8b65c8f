"""score_batch: read one range of the source, score what is new or changed, write it, in one transaction."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import Connection

from trace_core.errors import BadInput, TemporaryFault
from trace_core.records import Log, parse_log
from trace_core.scorers import Evaluation, Scorer
from trace_pipeline.batches import Batch, BatchMessage, BatchResult
from trace_pipeline.claims import claimed
from trace_pipeline.context import Pipeline
from trace_pipeline.due_logs import examined, in_chunks, prepared_scorers
from trace_pipeline.judges.preparing import JudgedBatch
from trace_pipeline.results import BatchWriter, Known, load_known
from trace_pipeline.source import Entry, Key, Source
from trace_pipeline.telemetry import BatchTelemetry, batch_telemetry
from trace_pipeline.window import day_bounds, day_of

log = logging.getLogger(__name__)


def score_batch(pipeline: Pipeline, message: BatchMessage, *, force: bool = False) -> BatchResult:
    """Score the logs of a batch that have no evaluation of the current fingerprints, or other content since.

    With `force` all of them. A row that cannot be read is quarantined, one on which a scorer breaks is
    recorded as failed; neither stops the batch. Evaluations of logs that have left the source go too, unless
    a whole day has left it, as when the source forgets old logs. A judge is asked before the transaction
    begins. Returns counts; raises only for faults that a retry may cure.
    """
    batch = Batch.from_message(message)
    begun = time.monotonic()
    log.info(
        "Batch %s begins: logs from %s to %s, scorers %s.",
        batch.batch_id,
        message["from_at"],
        message["to_at"],
        ", ".join(pipeline.settings.scorers),
    )
    with claimed(pipeline, batch), batch_telemetry(pipeline.settings) as told:
        scorers = prepared_scorers(pipeline, message, force=force)
        with pipeline.results.begin() as results:
            # Before the source's snapshot: what another run has scored by now is in it, or has left.
            known = load_known(results, batch, list(scorers), pipeline.limits)
            writer = BatchWriter(results, pipeline, list(scorers))
            with pipeline.read_source() as (connection, source):
                run = _Run(pipeline, source, connection, scorers, known, writer, force, told)
                run.read(batch)
                run.forget_vanished()
            changed = writer.finish()
        told.logs = run.read_by_day.total()
    log.info(
        "Batch %s ends: %s logs read, %s changed, %.1f s.",
        batch.batch_id,
        run.read_by_day.total(),
        changed,
        time.monotonic() - begun,
    )
    return BatchResult(batch_id=batch.batch_id, read=dict(sorted(run.read_by_day.items())), changed=changed)


class _Run:
    """The state of one batch while it is read."""

    def __init__(
        self,
        pipeline: Pipeline,
        source: Source,
        connection: Connection,
        scorers: dict[int, Scorer],
        known: Known,
        writer: BatchWriter,
        force: bool,
        told: BatchTelemetry,
    ) -> None:
        self.pipeline = pipeline
        self.source = source
        self.connection = connection
        self.scorers = scorers
        self.known = known
        self.writer = writer
        self.force = force
        self.told = told
        self.zone = pipeline.settings.day_time_zone
        self.read_by_day: Counter[str] = Counter()

    def read(self, batch: Batch) -> None:
        """Score what is due of the range, in key order, chunk by chunk, so that memory stays flat."""
        # The first pass is finished before texts are fetched: one connection serves one cursor at a time.
        for due in in_chunks(list(self._due_entries(batch))):
            self._score(due)

    def _due_entries(self, batch: Batch) -> Iterator[Entry]:
        """Yield the entries to score; count all, and settle those that need no text."""
        listed = self.source.entries(self.connection, batch.start, batch.end)
        for entry, occurrence, refusal in examined(listed, self.pipeline.settings.max_log_bytes):
            key = (entry.logged_at, entry.log_id or "")
            self.read_by_day[day_of(entry.logged_at, self.zone).isoformat()] += 1
            self.known.see(key, occurrence, readable=refusal is None)
            if refusal is not None:
                if self.force or self.known.quarantine_is_new(key, occurrence, entry.input_hash):
                    self.writer.quarantine(entry, occurrence, refusal, {})
            elif self.force or self.known.is_due(key, entry.input_hash, self.scorers):
                yield entry

    def _score(self, entries: Sequence[Entry]) -> None:
        """Fetch, parse and score one chunk."""
        rows = self.source.texts(self.connection, entries)
        readable: list[tuple[Entry, Log]] = []
        for entry in entries:
            key = (entry.logged_at, entry.log_id or "")
            if entry not in rows:
                raise TemporaryFault(
                    f"A log of {entry.logged_at:%Y-%m-%d} was listed but not found in the same snapshot."
                )
            try:
                readable.append((entry, parse_log(rows[entry], self.pipeline.limits)))
            except BadInput as refusal:
                self.writer.quarantine(entry, 0, refusal, rows[entry].get("segments"))
                self.known.becomes_unreadable(key)
            else:
                self.known.becomes_readable(key)
        for scorer_id, scorer in self.scorers.items():
            due = [
                (entry, log)
                for entry, log in readable
                if self.force or self.known.scorer_is_due(scorer_id, entry)
            ]
            evaluations = self.told.watch(
                scorer.name, [entry.logged_at for entry, _ in due], _evaluations(scorer, due)
            )
            self.writer.evaluations(scorer_id, zip(due, evaluations, strict=True))

    def forget_vanished(self) -> None:
        """Remove results of logs that are not in the source (any more, or not readable any more)."""
        emptied: dict[str, bool] = {}
        for removal in self.known.removals():
            day = day_of(removal.logged_at, self.zone)
            name = day.isoformat()
            if name not in emptied:
                emptied[name] = not self.read_by_day[name] and not self._day_has_logs(removal.logged_at)
            if not emptied[name]:
                self.writer.remove(removal)

    def _day_has_logs(self, moment: datetime) -> bool:
        start, end = day_bounds(day_of(moment, self.zone), self.zone)
        return self.source.count(self.connection, Key(start), Key(end)) > 0


def _evaluations(scorer: Scorer, due: Sequence[tuple[Entry, Log]]) -> Iterator[Evaluation]:
    """Score logs; a scorer that has asked about them knows them by their entries."""
    if isinstance(scorer, JudgedBatch):
        return scorer.score_placed(due)
    return scorer.score_many(log for _, log in due)
