"""Reads logs from the user's table or view, whatever its columns are called, on whatever server.

The source is only ever read, in one snapshot a batch. Identifiers from settings become quoted identifiers of
SQLAlchemy; nothing of them is ever pasted into a statement. Ids are compared in byte order (collation "C"),
so that the source, the results and Python agree about which key comes first. An id that is longer than a log
may have is read cut, just long enough to be refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.elements import quoted_name

from trace_core.errors import ConfigurationError
from trace_pipeline.settings import SourceSettings
from trace_pipeline.source_rows import joined_segments, unwrapped
from trace_pipeline.sqlfiles import query

_STREAM_ROWS = 2_000
_ID_CHARACTERS = 501  # one more than a readable id has
_SEGMENT_CHARACTERS = 1_000  # of a segment column; a segment is cut far below
_READ = ("question", "documents", "response", "ground_truth", "segments")
# Where the clock jumps, local times in the gap or the repeated hour are out of order by at most this.
_ZONELESS_SLACK = timedelta(hours=2)


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Position of a log in the source: time (aware), then id in byte order. ("" is before every id.)"""

    logged_at: datetime
    log_id: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the first pass over a batch learns of a log without moving its text."""

    logged_at: datetime
    log_id: str | None
    input_hash: str
    byte_length: int


class Source:
    """Statements over one source table. `types` maps the table's columns to their Postgres types."""

    def __init__(self, settings: SourceSettings, types: Mapping[str, str]) -> None:
        self.settings = settings
        self.types = types
        self.zoneless = types.get(settings.columns.logged_at, "") == "timestamp without time zone"
        columns = settings.columns
        self._names = {
            "log_id": columns.log_id,
            "logged_at": columns.logged_at,
            "question": columns.question,
            "documents": columns.documents,
            "response": columns.response,
            "ground_truth": columns.ground_truth,
            "segments": columns.segments,
        }
        wanted = [name for name in self._names.values() if name]
        self.column_names = list(dict.fromkeys([*wanted, *settings.segment_columns.values()]))
        self.table = sa.table(
            quoted_name(settings.table, quote=True),
            *(sa.column(quoted_name(name, quote=True)) for name in self.column_names),
            schema=quoted_name(settings.table_schema, quote=True),
        )

    def column(self, field: str) -> ColumnElement[Any] | None:
        """Return the user's column of a field of ours; None where the source has none."""
        name = self._names[field]
        return None if name is None else self.table.c[name]

    @property
    def log_id(self) -> ColumnElement[Any]:
        """The log's id as text in byte order."""
        return sa.func.left(sa.cast(self._must("log_id"), sa.Text), _ID_CHARACTERS).collate("C")

    @property
    def _ident(self) -> ColumnElement[Any]:
        """The id where a key needs one: a NULL id is read as "", so that such a row lands in a batch too."""
        return sa.func.coalesce(self.log_id, "")

    def _must(self, field: str) -> ColumnElement[Any]:
        found = self.column(field)
        if found is None:  # the settings make these columns obligatory
            raise LookupError(field)
        return found

    @property
    def logged_at(self) -> ColumnElement[Any]:
        """The log's time as timestamptz; a column without zone is read in the configured one."""
        raw = self._must("logged_at")
        return sa.func.timezone(self.settings.time_zone, raw) if self.zoneless else raw

    def segment(self, dimension: str) -> ColumnElement[Any] | None:
        """A segment as text, from its own column or the segments object; None where there is neither."""
        own = self.settings.segment_columns.get(dimension)
        if own is not None:
            return sa.cast(self.table.c[own], sa.Text)
        found = self.column("segments")
        return None if found is None else sa.cast(found, postgresql.JSONB)[dimension].astext

    def within(self, start: Key, end: Key) -> ColumnElement[bool]:
        """The condition start <= (logged_at, log_id) < end, written for an index on logged_at."""
        low, high, moment = _moment(start.logged_at), _moment(end.logged_at), self.logged_at
        after = sa.or_(moment > low, self._ident >= sa.cast(start.log_id, sa.Text).collate("C"))
        before = sa.or_(moment < high, self._ident < sa.cast(end.log_id, sa.Text).collate("C"))
        return sa.and_(self._between(start.logged_at, end.logged_at), after, before)

    def _between(self, low: datetime, high: datetime) -> ColumnElement[bool]:
        """The condition low <= logged_at <= high, for the index and exactly."""
        moment = self.logged_at
        exactly = sa.and_(moment >= _moment(low), moment <= _moment(high))
        if not self.zoneless:
            return exactly
        raw, zone = self._must("logged_at"), self.settings.time_zone
        first = sa.func.timezone(zone, _moment(low - _ZONELESS_SLACK))
        last = sa.func.timezone(zone, _moment(high + _ZONELESS_SLACK))
        return sa.and_(raw >= first, raw <= last, exactly)

    def _texts(self) -> dict[str, ColumnElement[Any]]:
        """The columns that scoring reads, by name, each as text."""
        names = [*(self._names[field] for field in _READ), *self.settings.segment_columns.values()]
        return {name: sa.cast(self.table.c[name], sa.Text) for name in names if name}

    def input_hash(self, texts: Mapping[str, ColumnElement[Any]] | None = None) -> ColumnElement[str]:
        """SHA-256 (hex) of everything that scoring reads, computed by the source's server: no text moves."""
        texts = texts or self._texts()
        names = [*(self._names[field] for field in _READ), *self.settings.segment_columns.values()]
        parts = [texts[name] for name in names if name]
        # A row's text form tells NULL from '' and marks where one column ends.
        whole = sa.cast(sa.func.row(*parts), sa.Text)
        return sa.func.encode(sa.func.sha256(sa.func.convert_to(whole, "UTF8")), "hex")

    def byte_length(self, texts: Mapping[str, ColumnElement[Any]] | None = None) -> ColumnElement[int]:
        """Bytes of all that scoring reads of a log, for the limit on what is moved at all."""
        texts = texts or self._texts()
        read = [texts[name] for field in _READ if (name := self._names[field])]
        sizes = [sa.func.coalesce(sa.func.octet_length(part), 0) for part in read]
        total: ColumnElement[int] = sizes[0]
        for size in sizes[1:]:
            total = total + size
        return sa.cast(total, sa.BigInteger)

    def _readable(self, field: str) -> ColumnElement[Any]:
        """The user's column, JSON as text: one row with an unreadable number must not end the whole fetch."""
        found = self.column(field)
        if found is None:
            return sa.null()
        is_json = self.types.get(self._names[field] or "") in ("json", "jsonb")
        return sa.cast(found, sa.Text) if is_json else found

    def has_timeless(self, connection: Connection) -> bool:
        """Tell whether there is a row without a time, which no day can take up."""
        untimed = sa.select(sa.literal(1)).select_from(self.table).where(self._must("logged_at").is_(None))
        return bool(connection.scalar(sa.select(untimed.exists())))

    def newest(self, connection: Connection) -> datetime | None:
        """Return the time of the newest log; None for an empty source."""
        found: datetime | None = connection.scalar(
            sa.select(self.logged_at)
            .where(self._must("logged_at").is_not(None))
            .order_by(self._must("logged_at").desc())
            .limit(1)
        )
        return found

    def count(self, connection: Connection, start: Key, end: Key) -> int:
        """Count the logs in [start, end)."""
        statement = sa.select(sa.func.count()).select_from(self.table).where(self.within(start, end))
        return int(connection.scalar(statement) or 0)

    def boundaries(self, connection: Connection, start: Key, end: Key, every: int) -> list[Key]:
        """Return the keys of each `every`-th log of [start, end), without the first: where batches part."""
        ident, order = self._ident, (self.logged_at, self._ident)
        position = sa.func.row_number().over(order_by=order).label("position")
        inner = (
            sa.select(self.logged_at.label("logged_at"), ident.label("log_id"), position)
            .where(self.within(start, end))
            .subquery()
        )
        statement = (
            sa.select(inner.c.logged_at, inner.c.log_id)
            .where(inner.c.position > 1, (inner.c.position - 1) % every == 0)
            .order_by(inner.c.position)
        )
        return [Key(row.logged_at, row.log_id) for row in connection.execute(statement)]

    def entries(self, connection: Connection, start: Key, end: Key) -> Iterator[Entry]:
        """Stream id, time, hash and size of each log in [start, end), by a server-side cursor.

        In key order; rows that share a key in the order of their hashes, so that the same one counts as the
        first in every run.
        """
        placed = [self.logged_at.label("at"), self.log_id.label("id"), self._ident.label("ident")]
        texts = {name: text.label(f"text_{n}") for n, (name, text) in enumerate(self._texts().items())}
        # Its offset of 0 keeps the server from folding it into the outer query, and from making text of JSON
        # again for each use of it.
        row = sa.select(*placed, *texts.values()).where(self.within(start, end)).offset(0).subquery()
        once = {name: row.c[text.name] for name, text in texts.items()}
        statement = sa.select(
            row.c.at, row.c.id, self.input_hash(once).label("hash"), self.byte_length(once)
        ).order_by(row.c.at, row.c.ident, "hash")
        result = connection.execution_options(yield_per=_STREAM_ROWS).execute(statement)
        for logged_at, log_id, input_hash, byte_length in result:
            yield Entry(logged_at, log_id, input_hash, byte_length)

    def texts(self, connection: Connection, entries: Sequence[Entry]) -> dict[Entry, Mapping[str, object]]:
        """Fetch the given logs (consecutive ones in key order) as rows in rag_log's form.

        In the snapshot that they were listed in. Where two rows share a key, the hash tells them apart.
        """
        wanted = {(entry.logged_at, entry.log_id): entry for entry in entries}
        if not wanted:
            return {}
        statement = self._texts_of(entries)
        found = connection.execute(statement).mappings().all()
        if len(found) > len(wanted) or len(entries) > len(wanted):
            statement = statement.add_columns(self.input_hash().label("input_hash"))
            by_hash = {(entry.logged_at, entry.log_id, entry.input_hash): entry for entry in entries}
            found = connection.execute(statement).mappings().all()
            placed = [by_hash.get((row["logged_at"], row["log_id"], row["input_hash"])) for row in found]
        else:
            placed = [wanted.get((row["logged_at"], row["log_id"])) for row in found]
        return {entry: self._record(row) for entry, row in zip(placed, found, strict=True) if entry}

    def _texts_of(self, entries: Sequence[Entry]) -> sa.Select[Any]:
        fields = [self.log_id.label("log_id"), self.logged_at.label("logged_at")]
        fields += [self._readable(field).label(field) for field in _READ]
        extra = self.settings.segment_columns
        fields += [
            sa.func.left(sa.cast(self.table.c[name], sa.Text), _SEGMENT_CHARACTERS).label(f"segment_{at}")
            for at, name in enumerate(extra.values())
        ]
        ids = sa.bindparam("wanted", [entry.log_id for entry in entries], type_=postgresql.ARRAY(sa.Text))
        return sa.select(*fields).where(
            self._between(entries[0].logged_at, entries[-1].logged_at), self.log_id == sa.func.any(ids)
        )

    def _record(self, row: Mapping[Any, Any]) -> Mapping[str, object]:
        record = {name: row[name] for name in ("log_id", "logged_at", *_READ)}
        segments = joined_segments(row, self.settings.segment_columns)
        return {**record, "documents": unwrapped(row["documents"]), "segments": segments}

    def by_id(self, connection: Connection, log_id: str) -> list[Mapping[str, object]]:
        """Fetch the logs of one id as rows in rag_log's form, oldest first."""
        listed = sa.select(self.logged_at, self.log_id, self.input_hash(), self.byte_length())
        statement = listed.where(self.log_id == log_id).order_by(self._must("logged_at"))
        entries = [Entry(*row) for row in connection.execute(statement)]
        return [row for entry in entries for row in self.texts(connection, [entry]).values()]


def _moment(value: datetime) -> ColumnElement[Any]:
    return sa.cast(sa.literal(value, sa.DateTime(timezone=True)), sa.DateTime(timezone=True))


def open_source(connection: Connection, settings: SourceSettings) -> Source:
    """Read the column types of the source and return its statements.

    Raises ConfigurationError naming the setting when the table or one of its columns does not exist.
    """
    place = {"table_schema": settings.table_schema, "table": settings.table}
    types = {row.column_name: row.column_type for row in connection.execute(query("source_columns"), place)}
    if not types:
        raise ConfigurationError(
            f"Settings source.table_schema and source.table: there is no table or view {settings.table!r} in "
            f"schema {settings.table_schema!r} of the source database."
        )
    named = {f"source.columns.{field}": name for field, name in settings.columns.model_dump().items() if name}
    named |= {f"source.segment_columns.{field}": name for field, name in settings.segment_columns.items()}
    for setting, name in named.items():
        if name not in types:
            raise ConfigurationError(
                f"Setting {setting}: {settings.table!r} has no column {name!r}; "
                f"it has {', '.join(sorted(types))}."
            )
    return Source(settings, types)
