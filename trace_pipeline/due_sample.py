"""A sample of the logs that are due over some days: all are counted, a few read, always the same ones."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trace_core.errors import BadInput
from trace_core.records import Log, parse_log
from trace_core.trust.sampling import sampling_number
from trace_pipeline.batches import Batch
from trace_pipeline.context import Pipeline
from trace_pipeline.due_logs import examined, in_chunks
from trace_pipeline.results import load_known
from trace_pipeline.source import Entry, Key
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window, day_bounds

_SALT: Final = "estimate"


@dataclass(frozen=True, slots=True)
class DueSample:
    """Rows of the source over some days, how many of them are due, and some of these.

    owed: due rows that were drawn for a judge before and not asked about, or without an answer. sample: of
    the due rows, each with whether it is owed; rows that cannot be read are in it.
    """

    rows: int
    due: int
    owed: int
    sample: Sequence[tuple[Entry, bool]]


def draw(pipeline: Pipeline, window: Window, scorer: tuple[str, str] | None, most: int) -> DueSample:
    """Read which logs are due for a version of a scorer, and draw at most `most` of them by their ids.

    scorer: name and fingerprint; without them all logs are due. Only reads.
    """
    counting = _Counting(pipeline, window, scorer)
    smallest = heapq.nsmallest(most, counting, key=lambda item: sampling_number(item[0].log_id or "", _SALT))
    return DueSample(counting.rows, counting.due, counting.owed, smallest)


class _Counting:
    """Gives the due rows day by day and counts as it does."""

    def __init__(self, pipeline: Pipeline, window: Window, scorer: tuple[str, str] | None) -> None:
        self.rows = self.due = self.owed = 0
        self._pipeline = pipeline
        self._window = window
        self._scorer_id = None if scorer is None else _scorer_id(pipeline, *scorer)

    def __iter__(self) -> Iterator[tuple[Entry, bool]]:
        settings = self._pipeline.settings
        for day in self._window.days():
            start, end = (Key(moment) for moment in day_bounds(day, settings.day_time_zone))
            ids = [] if self._scorer_id is None else [self._scorer_id]
            with self._pipeline.results.connect() as connection:
                known = load_known(connection, Batch("estimate", start, end), ids, self._pipeline.limits)
            with self._pipeline.read_source() as (connection, source):
                listed = source.entries(connection, start, end)
                for entry, _, refusal in examined(listed, settings.max_log_bytes):
                    self.rows += 1
                    key = (entry.logged_at, entry.log_id or "")
                    if refusal is not None or (ids and not known.is_due(key, entry.input_hash, ids)):
                        continue
                    owed = bool(ids) and bool(known.drawn(ids[0], [entry]))
                    self.due += 1
                    self.owed += owed
                    yield entry, owed


def _scorer_id(pipeline: Pipeline, name: str, fingerprint: str) -> int | None:
    place = {"scorer": name, "fingerprint": fingerprint}
    with pipeline.results.connect() as connection:
        found: int | None = connection.execute(query("page_scorer_id"), place).scalar()
    return found


def read(pipeline: Pipeline, sample: Sequence[tuple[Entry, bool]]) -> Iterator[tuple[Log, bool]]:
    """Read the logs of a sample; those that cannot be read are left out."""
    owed = dict(sample)
    ordered = sorted(owed, key=lambda entry: (entry.logged_at, entry.log_id or ""))
    for part in in_chunks(ordered):
        with pipeline.read_source() as (connection, source):
            found = source.texts(connection, part)
        for entry, raw in found.items():
            try:
                log = parse_log(raw, pipeline.limits)
            except BadInput:
                continue
            yield log, owed[entry]
