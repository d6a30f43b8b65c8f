"""What a digest states, read from the stored sums, ledger and incidents; no wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection

from trace_core.aggregates import Sums
from trace_core.drift import Cell, Night
from trace_core.reasons import QUARANTINE_REASONS
from trace_core.weighted import proportioned
from trace_pipeline.digest.estimate import Change, Level, change, level
from trace_pipeline.digest.period import Period
from trace_pipeline.nights import load_nights
from trace_pipeline.settings import Settings
from trace_pipeline.sqlfiles import query

_SEGMENT_ANSWERS = 30  # below that a segment's mean is mostly chance
_Series = tuple[str, str, str]  # metric, dimension, value
_Pair = tuple[_Series, Level, Level]  # a segment's level over the days, and over those before


@dataclass(frozen=True, slots=True)
class MetricWeek:
    """One metric over the days and the days before. `change` is None where the two cannot be compared."""

    metric: str
    state: str
    now: Level
    before: Level
    change: Change | None
    scorer_changed: bool = False


@dataclass(frozen=True, slots=True)
class SegmentFall:
    """The segment that fell most, beyond what looking through all of them finds by chance."""

    metric: str
    dimension: str
    value: str
    now: Level
    change: Change


@dataclass(frozen=True, slots=True)
class OpenIncident:
    """An incident that is open at the end of the days."""

    incident_id: int
    metric: str
    dimension: str
    value: str
    onset_day: date


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the source over some days: all, those without a score, and those left out on purpose."""

    source: int = 0
    unscored: int = 0
    sampled_out: int = 0

    @property
    def share(self) -> float | None:
        """The unscored share in [0, 1]; None without rows."""
        return self.unscored / self.source if self.source else None


@dataclass(frozen=True, slots=True)
class DigestFacts:
    """Everything a digest says."""

    scorer: str
    period: Period
    metrics: tuple[MetricWeek, ...]
    fall: SegmentFall | None
    segments_compared: int
    opened: int
    closed: int
    open: tuple[OpenIncident, ...]
    empty_nights: tuple[date, ...]
    rows: Rows
    rows_before: Rows
    quarantined: int
    reasons: tuple[tuple[str, int], ...]
    documents: int
    unused_documents: int


def load_facts(connection: Connection, settings: Settings, period: Period) -> DigestFacts:
    """Read what the first scorer's nights of `period` say, beside the same number of days before."""
    scorer = settings.scorers[0]
    both = {"scorer": scorer, "from_day": period.before.first_day, "last_day": period.last_day}
    place = {"scorer": scorer, "first_day": period.first_day, "last_day": period.last_day}
    metrics, pairs = _watched(
        connection, settings, period, list(connection.execute(query("digest_series"), both))
    )
    ledger = list(connection.execute(query("digest_ledger"), both))
    lines = [row for row in ledger if row.day in period]
    reasons: Counter[str] = Counter()
    for row in lines:
        reasons.update({code: n for code, n in row.reasons.items() if code in QUARANTINE_REASONS})
    told = {row.day for row in lines if row.source_rows}
    incidents = list(connection.execute(query("digest_incidents"), place))
    corpus = connection.execute(query("digest_corpus"), place).one()
    return DigestFacts(
        scorer=scorer,
        period=period,
        metrics=tuple(metrics),
        fall=_largest_fall(pairs),
        segments_compared=len(pairs),
        opened=sum(row.opened_day in period for row in incidents),
        closed=sum(row.closed_day in period for row in incidents),
        open=tuple(_open(incidents, period.last_day)),
        empty_nights=tuple(day for day in period.days if day not in told),
        rows=_rows(lines),
        rows_before=_rows([row for row in ledger if row.day in period.before]),
        quarantined=sum(row.quarantined for row in lines),
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        documents=corpus.documents,
        unused_documents=corpus.unused,
    )


def _watched(
    connection: Connection, settings: Settings, period: Period, series: Sequence[Any]
) -> tuple[list[MetricWeek], list[_Pair]]:
    """Return each watched metric's weeks, and the segments of those that can be compared."""
    states = {row.metric: row.state for row in series if row.measure == ""}
    taus = {(r.metric, r.dimension, r.value): r.tau or 0.0 for r in series if r.measure == "mean"}
    weeks: list[MetricWeek] = []
    pairs: list[_Pair] = []
    for metric in settings.watch_metrics:
        stored = load_nights(connection, settings.scorers[0], metric, settings.watch_history_days)
        nights = [night for night in stored if night.day in period or night.day in period.before]
        weeks.append(_metric(metric, nights, period, states.get(metric, ""), taus))
        # Where the scorer changed, the segments say as little as the total.
        if weeks[-1].change is not None:
            pairs += _segments(metric, nights, period, taus)
    return weeks, pairs


def _open(incidents: Sequence[Any], last_day: date) -> Iterator[OpenIncident]:
    for row in incidents:
        if row.closed_day is None or row.closed_day > last_day:
            yield OpenIncident(row.incident_id, row.metric, row.dimension, row.value, row.onset_day)


def _metric(
    metric: str, nights: Sequence[Night], period: Period, state: str, taus: Mapping[_Series, float]
) -> MetricWeek:
    tau = taus.get((metric, "", ""), 0.0)
    totals = [(night.day in period, _sums(night, "", "", night.total)) for night in nights]
    now, before = (
        level(proportioned([sums for inside, sums in totals if inside is part]), tau)
        for part in (True, False)
    )
    # Nights of an earlier version that a bridge carries over have the newest one's fingerprint.
    changed = len({night.fingerprint for night in nights if night.total.n}) > 1
    return MetricWeek(metric, state, now, before, None if changed else change(now, before), changed)


def _segments(
    metric: str, nights: Sequence[Night], period: Period, taus: Mapping[_Series, float]
) -> Iterator[_Pair]:
    """Yield the segments with enough answers in both halves."""
    found: dict[tuple[str, str], tuple[list[tuple[Sums, float]], list[tuple[Sums, float]]]] = {}
    for night in nights:
        for dimension, values in night.segments.items():
            for value, sums in values.items():
                halves = found.setdefault((dimension, value), ([], []))
                halves[night.day not in period].append(_sums(night, dimension, value, sums))
    for (dimension, value), (now, before) in found.items():
        tau = taus.get((metric, dimension, value), taus.get((metric, "", ""), 0.0))
        levels = level(proportioned(now), tau), level(proportioned(before), tau)
        if min(one.n for one in levels) >= _SEGMENT_ANSWERS:
            yield (metric, dimension, value), *levels


def _largest_fall(pairs: Sequence[_Pair]) -> SegmentFall | None:
    falls = []
    for (metric, dimension, value), now, before in pairs:
        moved = change(now, before, of_many=len(pairs))
        worse = moved is not None and (moved.low > 0 if metric in _HIGHER_IS_WORSE else moved.high < 0)
        if moved is not None and worse:
            falls.append(SegmentFall(metric, dimension, value, now, moved))
    return max(falls, key=lambda fall: abs(fall.change.difference), default=None)


_HIGHER_IS_WORSE = ("unscored_share", "refusal_rate")


def _sums(night: Night, dimension: str, value: str, cell: Cell) -> tuple[Sums, float]:
    """Return the sums of a cell and the answers they stand for."""
    sums = Sums(cell.n, float(cell.total), float(cell.squares), tuple(cell.histogram))
    return sums, night.stands_for(dimension, value, cell)


def _rows(lines: Sequence[Any]) -> Rows:
    sampled_out = sum(row.sampled_out for row in lines)
    unscored = sum(row.source_rows - row.scored for row in lines) - sampled_out
    return Rows(sum(row.source_rows for row in lines), unscored, sampled_out)
