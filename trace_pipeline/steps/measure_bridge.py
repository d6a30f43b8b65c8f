"""measure_bridge: compare each scorer with its version before over logs that both have scored."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from trace_core.drift.bridge import MIN_LOGS, Bridge, Passage
from trace_core.errors import ConfigurationError
from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window, day_bounds, day_of

log = logging.getLogger(__name__)


def measure_bridge(pipeline: Pipeline, window: Window) -> list[str]:
    """Store the shift between each scorer's current and previous fingerprint over a window's logs.

    Returns a sentence a scorer and metric. Raises ConfigurationError when none has an earlier fingerprint
    in the window, or too few logs were scored by both.
    """
    zone = pipeline.settings.day_time_zone
    place = {"from_at": day_bounds(window.first_day, zone)[0], "to_at": day_bounds(window.last_day, zone)[1]}
    sentences, pairs = [], 0
    with pipeline.results.begin() as connection:
        for current, scorer in pipeline.scorer_ids.items():
            earlier = connection.execute(query("earlier_scorers"), {"scorer_id": current, **place}).first()
            if earlier is None:
                continue
            pairs += 1
            pair = {"from_scorer_id": earlier.scorer_id, "to_scorer_id": current}
            sentences += [f"{scorer.name}, {told}" for told in _measure(pipeline, connection, pair, place)]
    if not pairs:
        names = " or ".join(repr(name) for name in pipeline.settings.scorers)
        raise ConfigurationError(
            f"bridge: no earlier fingerprint of scorer {names} has scored logs "
            f"from {window.first_day} to {window.last_day}; choose days that it has scored."
        )
    if not sentences:
        raise ConfigurationError(
            f"bridge: fewer than {MIN_LOGS} logs from {window.first_day} to {window.last_day} were scored by "
            "both fingerprints; choose a longer range."
        )
    for sentence in sentences:
        log.info(sentence)
    return sentences


def _measure(
    pipeline: Pipeline, connection: Connection, pair: dict[str, int], place: dict[str, Any]
) -> list[str]:
    """Store the bridges from one fingerprint to the next, one a metric; returns a sentence each."""
    zone = pipeline.settings.day_time_zone
    passages: dict[str, list[Passage]] = defaultdict(list)
    moments: list[datetime] = []
    for row in connection.execute(query("measure_bridge"), {**pair, **place}):
        numbers = (row.difference, row.square_difference, row.squared_difference)
        passages[row.metric].append(Passage(row.old_cell, row.new_cell, row.n, *map(float, numbers)))
        moments += [row.first_at, row.last_at]
    sentences = []
    for metric, rows in passages.items():
        bridge = Bridge.of(rows)
        if bridge.n < MIN_LOGS:
            log.warning("bridge: only %s logs have a %s of both; %s are needed.", bridge.n, metric, MIN_LOGS)
            continue
        days = {"first_day": day_of(min(moments), zone), "last_day": day_of(max(moments), zone)}
        values = {"n": bridge.n, "shift": bridge.shift, "low": bridge.low, "high": bridge.high}
        stored = {**pair, **days, **values, "metric": metric, "cells": json.dumps(bridge.to_json())}
        connection.execute(query("write_bridge"), {**stored, "run_id": pipeline.run_id})
        sentences.append(
            f"{metric}: the new version gives {100 * bridge.shift:+.2f} points (95 % interval "
            f"{100 * bridge.low:+.2f} to {100 * bridge.high:+.2f}) on {bridge.n:,} logs scored by both."
        )
    return sentences
