"""The words of a digest: plain text, the same for every channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from trace_pipeline.alerts.message import AlertMessage, percent, points
from trace_pipeline.alerts.plain_text import one_line
from trace_pipeline.digest.estimate import Change, Level
from trace_pipeline.digest.facts import DigestFacts, MetricWeek, OpenIncident, Rows
from trace_pipeline.digest.period import Period

_MAX_NAMED = 3
_MAX_SEGMENT = 60
_MAX_TITLE = 160
_OVERVIEW = "/rag-quality/"


def render_digest(facts: DigestFacts, link_base_url: str = "") -> AlertMessage:
    """Return the message. Its key names scorer and days, so that it goes to a channel once."""
    scorer = one_line(facts.scorer, 40)
    return AlertMessage(
        key=f"digest:{scorer}:{facts.period.first_day}:{facts.period.last_day}",
        title=one_line(f"RAG quality, {_named(facts.period)}: {_headline(facts)}", _MAX_TITLE),
        body="\n".join(_lines(facts, link_base_url)),
        severity="info",
        incident_id=None,
        metric="",
        day=facts.period.last_day,
    )


def _named(period: Period) -> str:
    weeks = len(period.days) // 7
    return f"{'week' if weeks == 1 else f'{weeks} weeks'} to {period.last_day}"


def _headline(facts: DigestFacts) -> str:
    if not facts.rows.source:
        return "no data"
    said = [f"{_words(week.metric)} {_value(week.now)}" for week in facts.metrics[:2]]
    incidents = f"{len(facts.open)} open" if facts.open else "none open"
    return f"{', '.join(said)}; incidents: {incidents}"


def _lines(facts: DigestFacts, link_base_url: str) -> Iterator[str]:
    before = facts.period.before
    yield (
        f"{facts.period.first_day} to {facts.period.last_day}, "
        f"beside {before.first_day} to {before.last_day}. "
        f"Scorer {one_line(facts.scorer, 40)}. In brackets the 95 % interval and the number of answers."
    )
    if facts.rows.sampled_out or facts.rows_before.sampled_out:
        yield (
            f"Scored in part: {facts.rows.sampled_out:,} rows were left out by sampling (before: "
            f"{facts.rows_before.sampled_out:,}); n is the size of a plain sample that would say as much."
        )
    for week in facts.metrics:
        yield _metric(week)
    yield _fall(facts)
    yield _incidents(facts)
    yield _nights(facts)
    yield _unscored(facts)
    if facts.documents:
        yield (
            f"Corpus: of {facts.documents:,} documents that were retrieved, {facts.unused_documents:,} were "
            "used by no answer."
        )
    if link_base_url.startswith(("http://", "https://")):
        yield f"Open: {link_base_url.rstrip('/')}{_OVERVIEW}"


def _metric(week: MetricWeek) -> str:
    name = _words(week.metric).capitalize()
    if week.now.mean is None:
        return f"{name}: no data (before: {_value(week.before)})."
    if week.scorer_changed:
        compared = "not compared: the scorer's version changed, and no bridge leads over it"
    elif week.change is None:
        compared = "no data before"
    else:
        compared = _change(week.change)
    learning = "; still learning its level" if week.state == "learning" else ""
    return f"{name}: {_value(week.now)} {_interval(week.now)}; {compared}{learning}."


def _value(level: Level) -> str:
    return "no data" if level.mean is None else percent(level.mean)


def _interval(level: Level) -> str:
    low, high = level.interval
    return f"({100 * low:.1f} to {100 * high:.1f}, n {level.n:,})"


def _change(change: Change) -> str:
    bounds = f"({points(change.low, unit=False)} to {points(change.high, unit=False)})"
    return f"{points(change.difference)} {bounds}{'' if change.is_certain else ', within chance'}"


def _fall(facts: DigestFacts) -> str:
    if not facts.segments_compared:
        return "Segments: none with enough answers in both to compare."
    fall = facts.fall
    if fall is None:
        return f"Segments: none of {facts.segments_compared} became worse by more than chance."
    return (
        f"Worst segment: {_segment(fall.dimension, fall.value)}, {_words(fall.metric)} {_value(fall.now)} "
        f"{_interval(fall.now)}; {_change(fall.change)}, of {facts.segments_compared} compared."
    )


def _incidents(facts: DigestFacts) -> str:
    counts = f"Incidents: {facts.opened} opened, {facts.closed} closed, {len(facts.open)} open."
    if not facts.open:
        return counts
    return f"{counts} Open: {'; '.join(_capped([_open(incident) for incident in facts.open]))}."


def _open(incident: OpenIncident) -> str:
    where = f", {_segment(incident.dimension, incident.value)}" if incident.dimension else ""
    return f"{_words(incident.metric)}{where}, since {incident.onset_day}"


def _nights(facts: DigestFacts) -> str:
    empty = facts.empty_nights
    if not empty:
        return f"Nights without data: none of {len(facts.period.days)}."
    return f"Nights without data: {len(empty)} of {len(facts.period.days)} ({_days(empty)})."


def _days(days: Sequence[date]) -> str:
    return ", ".join(_capped([str(day) for day in days]))


def _unscored(facts: DigestFacts) -> str:
    said = f"Not scored: {_share(facts.rows)} (before: {_share(facts.rows_before)})."
    if not facts.quarantined:
        return f"{said} None in quarantine."
    reasons = _capped([f"{one_line(code, 40)} {count:,}" for code, count in facts.reasons])
    return f"{said} In quarantine {facts.quarantined:,}: {', '.join(reasons) or 'reasons unknown'}."


def _share(rows: Rows) -> str:
    return "no data" if rows.share is None else f"{percent(rows.share)} of {rows.source:,} rows"


def _capped(named: Sequence[str]) -> list[str]:
    more = len(named) - _MAX_NAMED
    return [*named[:_MAX_NAMED], *([f"and {more} more"] if more > 0 else [])]


def _segment(dimension: str, value: str) -> str:
    return f"{one_line(dimension, _MAX_SEGMENT)}={one_line(value, _MAX_SEGMENT) or '(empty)'}"


def _words(metric: str) -> str:
    return one_line(metric.replace("_", " "), 40)
