"""aggregate_day.sql, held against the same sums made in Python."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.tools import DAY, execute, noon, rows
from trace_core.aggregates import METRICS, Sums, histogram_cell
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds


def around(value: float) -> list[float]:
    """Return a value and its neighbours, within 0 to 1."""
    near = [math.nextafter(value, -1), value, math.nextafter(value, 2), value + 1e-12, value - 1e-12]
    return [one for one in near if 0 <= one <= 1]


def store(engine: Engine, values: list[dict[str, Any]]) -> None:
    """Write evaluations with the given metrics, segments and status."""
    execute(engine, "insert into trace.scorer (name, fingerprint, parameters) values ('s', 'f', '{}')")
    execute(engine, "select trace.ensure_evaluation_partitions(:day, :day)", day=DAY)
    execute(
        engine,
        "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, reason, run_id, segments,"
        " relevance, utilization, adherence, completeness, average)"
        " select 1, cast(:at as timestamptz), r.id, '', r.status, r.reason, '', r.segments, r.relevance, r.utilization,"
        " r.adherence, r.completeness, r.average from jsonb_to_recordset(cast(:rows as jsonb)) as r (id text,"
        " status text, reason text, segments jsonb, relevance float8, utilization float8, adherence float8,"
        " completeness float8, average float8)",
        at=noon(),
        rows=json.dumps([{"id": str(number), **value} for number, value in enumerate(values)]),
    )


def aggregate(engine: Engine, dimensions: list[str], keep: int = 50) -> dict[tuple[str, str, str], Any]:
    """Run the statement over DAY and return what it stored, by dimension, value and metric."""
    start, end = day_bounds(DAY, "UTC")
    place = {"scorer_id": 1, "day": DAY, "from_at": start, "to_at": end, "dimensions": dimensions}
    with engine.begin() as connection:
        connection.execute(query("aggregate_day"), {**place, "keep": keep, "run_id": "r"})
    stored = rows(
        engine,
        "select dimension, value, metric, n, total, squares, histogram, undefined, unscored from trace.daily_metric",
    )
    return {row[:3]: row[3:] for row in stored}


@pytest.mark.parametrize("seed", range(3))
def test_sums_are_those_of_python(engine: Engine, seed: int) -> None:
    """Random values, statuses and segments: count, sum, squares, histogram and unscored counts agree in every cell."""
    draw = random.Random(seed)
    values = []
    for _ in range(400):
        status = draw.choices(["scored", "skipped", "failed"], [8, 1, 1])[0]
        scores = {
            metric: draw.choice([None, 0, 1, draw.random(), draw.randrange(41) / 40]) for metric in METRICS
        }
        if status != "scored":
            scores = {}
        segments = {"tenant": draw.choice("abc"), "model": draw.choice(["", "m", "n"])}
        values.append(
            {"status": status, "reason": None if status == "scored" else "r", "segments": segments, **scores}
        )
    store(engine, values)
    stored = aggregate(engine, ["tenant", "model"])

    expected: dict[tuple[str, str, str], list[Any]] = defaultdict(lambda: [[], 0, 0])
    for value in values:
        for dimension in ("", "tenant", "model"):
            label = "" if not dimension else value["segments"][dimension] or "(missing)"
            for metric in METRICS:
                cell = expected[dimension, label, metric]
                score = value.get(metric)
                cell[0] += [] if score is None else [score]
                cell[1] += value["status"] == "scored" and score is None
                cell[2] += value["status"] != "scored"
    assert stored.keys() == expected.keys()
    for key, (scores, undefined, unscored) in expected.items():
        sums = Sums.of(scores)
        n, total, squares, histogram, *others = stored[key]
        assert (n, tuple(histogram), others) == (sums.n, sums.histogram, [undefined, unscored])
        assert float(total) == pytest.approx(sums.total, abs=1e-10)
        assert float(squares) == pytest.approx(sums.squares, abs=1e-10)


def test_histogram_cells_round_like_python(engine: Engine) -> None:
    """On each border between two cells, and next to it, SQL and Python choose the same cell."""
    borders = [value for cell in range(20) for value in around((cell + 0.5) / 20)] + [
        0.0,
        1.0,
        0.025,
        0.1 + 0.2,
    ]
    store(engine, [{"status": "scored", "segments": {"at": repr(v)}, "adherence": v} for v in borders])
    stored = aggregate(engine, ["at"], keep=1_000)
    for value in borders:
        histogram = stored["at", repr(value), "adherence"][3]
        assert histogram.index(max(histogram)) == histogram_cell(value), value


def test_the_order_of_rows_does_not_matter(engine: Engine) -> None:
    """Sums are exact decimals: a day made of a million orders of the same rows has one total."""
    values = [{"status": "scored", "segments": {}, "adherence": v} for v in (0.1, 0.2, 0.3, 1e-9, 0.7) * 50]
    store(engine, values)
    first = aggregate(engine, [])
    execute(
        engine, "update trace.evaluation set log_id = 'x' || log_id where cast(log_id as integer) % 3 = 0"
    )
    assert aggregate(engine, []) == first


def test_rows_of_other_days_and_scorers_do_not_count(engine: Engine) -> None:
    """The day's first moment is in, the next day's first is out."""
    store(engine, [{"status": "scored", "segments": {}, "adherence": 1.0}] * 4)
    start, end = day_bounds(DAY, "UTC")
    for log_id, at in (("0", start), ("1", end), ("2", start - timedelta(microseconds=1))):
        execute(engine, "select trace.ensure_evaluation_partitions('2026-09-30', :day)", day=DAY)
        execute(engine, "update trace.evaluation set logged_at = :at where log_id = :id", at=at, id=log_id)
    assert aggregate(engine, [])["", "", "adherence"][0] == 2
