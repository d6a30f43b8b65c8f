"""Takes a log, or all logs of a segment value, out of all that is kept: results, judge, labels, source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa
from sqlalchemy import Connection

from trace_core.errors import ConfigurationError, TemporaryFault
from trace_pipeline.context import Pipeline
from trace_pipeline.nightly import run_window
from trace_pipeline.source import Source, open_source
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window

# Kept answers are found by the evaluations, calls by the anchors, so these go later.
_JUDGED = ("erase_judge_calls", "erase_kept_answers", "erase_anchors")
_BY_LOG = ("erase_evaluations", "erase_quarantine", "erase_labels")
_BY_SEGMENT = ("erase_segment_sums", "erase_segment_checks", "erase_segment_incidents")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was (or would be) erased: rows by relation, and the days that were restated."""

    rows: Mapping[str, int]
    days: tuple[date, ...]


def erase(
    pipeline: Pipeline,
    *,
    log_ids: Sequence[str] = (),
    segment: tuple[str, str] | None = None,
    keep_source: bool = False,
    dry_run: bool = False,
) -> Erasure:
    """Erase logs by id, or all of a segment value such as ("tenant", "acme").

    The source goes first: a log that is still there would be scored again. Then results and labels, in one
    transaction; then the days are scored anew, so that sums and ledger speak of what is left. Killed in
    between and run again it finishes. With `keep_source` the source is not touched and the sums stay as
    they are.

    Raises ConfigurationError when nothing is named, or when the source is a view or may not be changed.
    """
    if not log_ids and segment is None:
        raise ConfigurationError("Name what to erase: --log-id, or --segment such as tenant=acme.")
    rows: dict[str, int] = {}
    days: set[date] = set()
    if not keep_source:
        rows["source"], found = _erase_source(pipeline, log_ids, segment, dry_run=dry_run)
        days |= found
    with pipeline.results.begin() as connection:
        days |= _erase_results(pipeline, connection, log_ids, segment, rows)
        if dry_run:
            connection.rollback()
    ordered = tuple(sorted(days))
    if not dry_run and not keep_source:
        for day in ordered:
            run_window(pipeline, Window(day, day), late_days=0)
    return Erasure(rows, ordered)


def _erase_results(
    pipeline: Pipeline,
    connection: Connection,
    log_ids: Sequence[str],
    segment: tuple[str, str] | None,
    rows: dict[str, int],
) -> set[date]:
    dimension, value = segment or ("", "")
    place = {"log_ids": list(log_ids), "dimension": dimension, "value": value}
    connection.execute(query("erase_find"), place)
    zone = {"zone": pipeline.settings.day_time_zone}
    days = {row.day for row in connection.execute(query("erase_days"), zone)}
    for name in _JUDGED:
        by_id = {"log_ids": list(log_ids)}
        rows[name.removeprefix("erase_")] = connection.execute(query(name), by_id).rowcount
    for name in _BY_LOG:
        rows[name.removeprefix("erase_")] = connection.execute(query(name)).rowcount
    if segment is not None:
        named = {"named": json.dumps(value, ensure_ascii=False)}
        for name in _BY_SEGMENT:
            wanted = {"dimension": dimension, "value": value}
            if name != "erase_segment_sums":
                wanted |= named
            rows[name.removeprefix("erase_")] = connection.execute(query(name), wanted).rowcount
    return days


def _erase_source(
    pipeline: Pipeline, log_ids: Sequence[str], segment: tuple[str, str] | None, *, dry_run: bool
) -> tuple[int, set[date]]:
    with pipeline.source.begin() as connection:
        source = open_source(connection, pipeline.settings.source)
        wanted = _wanted(source, log_ids, segment)
        day = sa.cast(sa.func.timezone(pipeline.settings.day_time_zone, source.logged_at), sa.Date)
        days = set(connection.scalars(sa.select(day).where(wanted).distinct()))
        if dry_run:
            count = connection.scalar(sa.select(sa.func.count()).select_from(source.table).where(wanted))
            return int(count or 0), days
        try:
            with connection.begin_nested():
                done = connection.execute(sa.delete(source.table).where(wanted))
        except (sa.exc.DBAPIError, TemporaryFault) as error:
            reason = str(getattr(error, "orig", error)).strip().splitlines()[0]
            raise ConfigurationError(
                f"The source cannot be changed ({reason}): use a login that may, or erase there yourself "
                "and repeat with --keep-source."
            ) from error
        return done.rowcount, days


def _wanted(
    source: Source, log_ids: Sequence[str], segment: tuple[str, str] | None
) -> sa.ColumnElement[bool]:
    conditions: list[sa.ColumnElement[bool]] = []
    if log_ids:
        conditions.append(source.log_id.in_(list(log_ids)))
    if segment is not None:
        found = source.segment(segment[0])
        if found is None:
            raise ConfigurationError(f"The source has no segment {segment[0]!r}: see source.segment_columns.")
        conditions.append(found == segment[1])
    return sa.or_(*conditions)
