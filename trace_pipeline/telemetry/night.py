"""What a night tells: rows by outcome, quarantine by reason, and the means with n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from trace_core.reasons import QUARANTINE_REASONS
from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query
from trace_pipeline.telemetry.endpoint import endpoint_of
from trace_pipeline.telemetry.measures import Measure

_OUTCOMES = ("scored", "skipped", "quarantined", "sampled_out", "failed")


def tell_night(pipeline: Pipeline, days: Sequence[date]) -> None:
    """Send the figures of the newest night, if it is one of `days`; a fault of the endpoint is not raised."""
    endpoint = endpoint_of(pipeline.settings)
    if endpoint is None:
        return
    from trace_pipeline.telemetry.sender import send

    place = {"scorers": list(pipeline.settings.scorers), "days": list(days)}
    with pipeline.results.connect() as connection:
        measures = list(night_measures(connection.execute(query("telemetry_night"), place).all()))
    if measures:
        send(endpoint, [], measures)


def night_measures(rows: Sequence[Any]) -> Iterator[Measure]:
    """Yield the measures of the rows of telemetry_night; an undefined mean is no measure."""
    seen: set[str] = set()
    for row in rows:
        scorer = {"rag_quality.scorer": row.scorer}
        if row.scorer not in seen:
            seen.add(row.scorer)
            for outcome in _OUTCOMES:
                where = {**scorer, "rag_quality.outcome": outcome}
                yield Measure("rag_quality.night.rows", getattr(row, outcome), where)
            for reason, count in row.reasons.items():
                if reason in QUARANTINE_REASONS:
                    where = {**scorer, "rag_quality.reason": reason}
                    yield Measure("rag_quality.night.quarantined", count, where)
        where = {**scorer, "rag_quality.metric": row.metric}
        yield Measure("rag_quality.night.answers", row.n, where)
        if row.mean is not None:
            yield Measure("rag_quality.night.mean", row.mean, where)
