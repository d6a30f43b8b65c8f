"""Labels of a file into trace.label: every row is kept or refused, whatever it holds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, Engine

from trace_core.errors import BadInput
from trace_pipeline.importers.containers import rows_of
from trace_pipeline.importers.outcomes import Place, Refused
from trace_pipeline.sqlfiles import query
from trace_pipeline.trust.label_rows import LABEL_REASONS, LabelDefaults, LabelRow, read_label

_BATCH: Final = 2_000


@dataclass(frozen=True, slots=True)
class RefusedLabel:
    """A row that was not kept; holds nothing of its texts."""

    place: Place
    code: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: {self.code}: {self.sentence}"

    def to_json(self) -> dict[str, Any]:
        """The object that a file of refusals holds."""
        where = {"file": self.place.file, "row": self.place.row or None, "line": self.place.line}
        return {**where, "reason": self.code, "meaning": self.sentence}


@dataclass(slots=True)
class LabelCounts:
    """What became of a batch. A row that was there already, or has a later verdict, is unchanged."""

    rows: int = 0
    new: int = 0
    replaced: int = 0
    refused: list[RefusedLabel] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Found:
    """A log that a scorer knows, and the keys of its sentences."""

    logged_at: datetime
    input_hash: str
    keys: frozenset[str]


Numbered = tuple[Place, LabelRow]


def import_labels(
    engine: Engine, path: str, defaults: LabelDefaults, *, encoding: str | None = None, dry_run: bool = False
) -> Iterator[LabelCounts]:
    """Keep the labels of a file, `-` for standard input; yield the counts of each batch as it is stored."""
    outcomes = _read(path, defaults, encoding)
    source = "csv" if path.lower().removesuffix(".gz").endswith((".csv", ".tsv")) else "jsonl"
    while batch := list(islice(outcomes, _BATCH)):
        counts = LabelCounts(refused=[one for one in batch if isinstance(one, RefusedLabel)])
        with engine.begin() as connection:
            kept, refused = _placed(connection, [one for one in batch if not isinstance(one, RefusedLabel)])
            counts.rows, counts.refused = len(kept), [*counts.refused, *refused]
            if kept and not dry_run:
                rows = json.dumps([row | {"source": source} for row in _latest(kept)], default=str)
                done = connection.execute(query("label_import"), {"rows": rows}).scalars().all()
                counts.new, counts.replaced = sum(done), len(done) - sum(done)
        yield counts


def _read(path: str, defaults: LabelDefaults, encoding: str | None) -> Iterator[Numbered | RefusedLabel]:
    for raw in rows_of(path, encoding=encoding):
        if isinstance(raw, Refused):
            yield RefusedLabel(raw.place, raw.code, str(raw).split(f"{raw.code}: ", 1)[-1])
            continue
        try:
            yield raw.place, read_label(raw.value, defaults)
        except BadInput as refusal:
            yield _refused(raw.place, refusal.code)


def _refused(place: Place, code: str) -> RefusedLabel:
    return RefusedLabel(place, code, LABEL_REASONS[code])


def _placed(
    connection: Connection, rows: Sequence[Numbered]
) -> tuple[list[dict[str, Any]], list[RefusedLabel]]:
    """Return the rows with the logs they speak of, and those that speak of none."""
    known = _logs(connection, [row for _, row in rows])
    kept: list[dict[str, Any]] = []
    refused: list[RefusedLabel] = []
    for place, row in rows:
        found = known.get(row.log_id, {})
        near = [one for one in found.values() if row.logged_at is None or _is_near(one, row.logged_at)]
        exact = [one for one in near if one.logged_at == row.logged_at]
        if not near:
            refused.append(_refused(place, "unknown_log"))
        elif len(near) > 1 and not exact:
            refused.append(_refused(place, "ambiguous_log"))
        elif row.sentence_key and row.sentence_key not in (exact or near)[0].keys:
            refused.append(_refused(place, "unknown_sentence"))
        else:
            log = (exact or near)[0]
            kept.append(asdict(row) | {"logged_at": log.logged_at, "input_hash": log.input_hash})
    return kept, refused


def _is_near(log: _Found, moment: datetime) -> bool:
    return abs((log.logged_at - moment).total_seconds()) <= 1


def _logs(connection: Connection, rows: Iterable[LabelRow]) -> dict[str, dict[datetime, _Found]]:
    """Return the logs that the rows may speak of, by id and time."""
    timed = {(row.log_id, row.logged_at) for row in rows if row.logged_at is not None}
    untimed = sorted({row.log_id for row in rows if row.logged_at is None})
    found: list[Any] = []
    if timed:
        ids, moments = zip(*sorted(timed), strict=True)
        place = {"log_ids": list(ids), "moments": list(moments)}
        found += connection.execute(query("label_logs_at"), place).all()
    if untimed:
        found += connection.execute(query("label_logs_by_id"), {"log_ids": untimed}).all()
    logs: dict[str, dict[datetime, _Found]] = defaultdict(dict)
    for row in found:
        before = logs[row.log_id].get(row.logged_at)
        keys = frozenset(row.keys or ()) | (before.keys if before else frozenset())
        logs[row.log_id][row.logged_at] = _Found(row.logged_at, row.input_hash, keys)
    return logs


def _latest(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest verdict of each person on each thing; of two of the same time the second one."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = (row["log_id"], row["logged_at"], row["labelled_by"], row["sentence_key"])
        before = found.get(key)
        if before is None or row["labelled_at"] >= before["labelled_at"]:
            found[key] = row
    return list(found.values())
