"""Nights of which a judge saw a part: their sums, their means and what the watch reads of them."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.pages import site
from tests.sql.tools import DAY, execute, noon, rows, url_of
from trace_core.aggregates import METRICS, Sums, histogram_cell
from trace_core.weighted import WeightedSums
from trace_pipeline.nights import load_nights
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_bounds

COLUMNS = (
    "n, total, squares, histogram, undefined, unscored, sampled_out, refused, weight, weighted_total, weighted_squares,"
    " design, design_total, design_squares, weighted_histogram"
)


def store(engine: Engine, values: list[dict[str, Any]]) -> None:
    """Write evaluations of DAY by scorer 1, in place of those that are there."""
    execute(
        engine,
        "insert into trace.scorer (name, fingerprint, parameters) values ('s', 'f', '{}') on conflict do nothing",
    )
    execute(engine, "select trace.ensure_evaluation_partitions(:day, :day)", day=DAY)
    execute(engine, "delete from trace.evaluation")
    execute(
        engine,
        "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, reason, run_id, segments,"
        " response_kind, decided_by, inclusion_probability, relevance, utilization, adherence, completeness, average)"
        " select 1, cast(:at as timestamptz), r.id, '', r.status, case when r.status <> 'scored' then 'r' end, '',"
        " r.segments, r.kind, r.decided_by, coalesce(r.p, 1), r.relevance, r.utilization, r.adherence,"
        " r.completeness, r.average from jsonb_to_recordset(cast(:rows as jsonb)) as r (id text, status text,"
        " segments jsonb, kind text, decided_by text, p float8, relevance float8, utilization float8,"
        " adherence float8, completeness float8, average float8)",
        at=noon(),
        rows=json.dumps(
            [{"id": f"{number}", "segments": {}, **value} for number, value in enumerate(values)]
        ),
    )


def aggregate(engine: Engine, dimensions: tuple[str, ...] = ("tenant",)) -> dict[tuple[str, str, str], Any]:
    """Add DAY up and return what is stored, by dimension, value and metric."""
    start, end = day_bounds(DAY, "UTC")
    place = {"scorer_id": 1, "day": DAY, "from_at": start, "to_at": end, "dimensions": list(dimensions)}
    with engine.begin() as connection:
        connection.execute(query("aggregate_day"), {**place, "keep": 50, "run_id": "r"})
        connection.execute(
            query("write_ledger"),
            {
                "scorer_id": 1,
                "day": DAY,
                "interval_start": start,
                "interval_end": end,
                "source_rows": 1,
                "scored": 1,
                "skipped": 0,
                "quarantined": 0,
                "sampled_out": 0,
                "failed": 0,
                "reasons": "{}",
                "run_id": "r",
            },
        )
    stored = rows(engine, f"select dimension, value, metric, {COLUMNS} from trace.daily_metric")
    return {row[:3]: row[3:] for row in stored}


def mixed_rows(seed: int, count: int = 300) -> list[dict[str, Any]]:
    """Return random rows of a mixture: sure ones, judged ones of several rates, and all that can go wrong."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        decided = draw.choice(["judge", "judge", "lexical", "rule", None])
        status = draw.choices(["scored", "sampled_out", "failed", "skipped"], [5, 5, 1, 1])[0]
        if decided != "judge" and status == "sampled_out":
            status = "scored"
        scores = {m: draw.choice([None, 0, 1, draw.random(), draw.randrange(41) / 40]) for m in METRICS}
        found.append(
            {
                "status": status,
                "kind": draw.choice(["answer", "refusal"]),
                "decided_by": decided,
                "p": draw.choice([0.05, 0.3, 0.777, 1]) if decided == "judge" else 1,
                "segments": {"tenant": draw.choice("abc")},
                **(scores if status == "scored" else {}),
            }
        )
    return found


def weights_of(values: list[dict[str, Any]]) -> list[Fraction | None]:
    """Return the weight of each scored row by the definition, in fractions."""
    judges = [v for v in values if v["decided_by"] == "judge" and v["status"] != "skipped"]
    scored = [v for v in judges if v["status"] == "scored"]
    raw = sum(1 / Fraction(str(v["p"])) for v in scored)
    return [
        None
        if v["status"] != "scored"
        else len(judges) / (Fraction(str(v["p"])) * raw)
        if v["decided_by"] == "judge" and len(scored) < len(judges)
        else Fraction(1)
        for v in values
    ]


@pytest.mark.parametrize("seed", range(3))
def test_sums_are_those_of_fractions(engine: Engine, seed: int) -> None:
    """Every weighted column of every cell is what exact arithmetic in Python gives for the same rows."""
    values = mixed_rows(seed)
    store(engine, values)
    stored = aggregate(engine)
    weights = weights_of(values)
    assert len(stored) == 5 * 4
    for (dimension, value, metric), found in stored.items():
        inside = [
            (row, weight)
            for row, weight in zip(values, weights, strict=True)
            if not dimension or row["segments"][dimension] == value
        ]
        scored = [(Fraction(str(row[metric])), w) for row, w in inside if w and row.get(metric) is not None]
        excess = [(y, w * max(w - 1, Fraction(0))) for y, w in scored]
        expected = [
            *(sum(w * y**power for y, w in scored) for power in range(3)),
            *(sum(w * y**power for y, w in excess) for power in range(3)),
        ]
        got = dict(zip(COLUMNS.split(", "), found, strict=True))
        assert got["n"] == len(scored)
        assert got["sampled_out"] == sum(row["status"] == "sampled_out" for row, _ in inside)
        assert got["unscored"] == sum(row["status"] in ("failed", "skipped") for row, _ in inside)
        assert got["refused"] == sum(
            row["kind"] == "refusal" and row["status"] in ("scored", "sampled_out") for row, _ in inside
        )
        assert got["n"] + got["undefined"] + got["unscored"] + got["sampled_out"] == len(inside)
        for name, exact in zip(COLUMNS.split(", ")[8:14], expected, strict=True):
            assert float(got[name]) == pytest.approx(float(exact), rel=1e-9), name
        cells = [Fraction(0)] * 21
        for y, w in scored:
            cells[histogram_cell(float(y))] += w
        assert [float(cell) for cell in got["weighted_histogram"]] == pytest.approx(list(map(float, cells)))


def test_the_values_of_a_dimension_sum_to_the_day(engine: Engine) -> None:
    """A row weighs the same in its segment and in the day: sums of all values are those of the day, to the digit."""
    store(engine, mixed_rows(4))
    stored = aggregate(engine)
    for position in range(8, 14):
        parts = [Fraction(row[position]) for key, row in stored.items() if key[0] and key[2] == "average"]
        assert sum(parts) == Fraction(stored["", "", "average"][position])


def test_a_class_judged_to_the_last_row_is_the_full_count(engine: Engine) -> None:
    """With everything sampled every stored digit is that of a scorer that samples nothing, whatever the rates."""
    values = [row | {"status": "scored", "adherence": n % 2} for n, row in enumerate(mixed_rows(5))]
    store(engine, [row | {"decided_by": None, "p": 1} for row in values])
    full = aggregate(engine)
    written = rows(engine, "select updated_at, is_restated from trace.metric_trend")
    store(engine, values)
    assert aggregate(engine) == full
    assert all(row[8:] == (None,) * 7 for row in full.values())
    assert rows(engine, "select updated_at, is_restated from trace.metric_trend") == written


def test_a_judged_part_stands_for_the_whole(engine: Engine) -> None:
    """Of 60 sure answers and 40 doubted ones a quarter was judged, half of that good: the night is 80 % good."""
    sure = [{"status": "scored", "decided_by": "lexical", "adherence": 1, "kind": "answer"}] * 60
    asked = [
        {"status": "scored", "decided_by": "judge", "p": 0.25, "adherence": n % 2, "kind": "answer"}
        for n in range(10)
    ]
    left = [{"status": "sampled_out", "decided_by": "judge", "p": 0.25, "kind": "answer"}] * 30
    store(engine, sure + asked + left)
    aggregate(engine)
    (found,) = rows(
        engine,
        "select n, mean, stands_for, sampled_out, unscored, is_weighted, published_mean, is_restated, low < 0.8,"
        " high > 0.8, effective_n < 70 from trace.metric_trend where metric = 'adherence' and dimension = ''",
    )
    assert found == (70, 0.8, 100, 30, 0, True, 0.8, False, True, True, True)


@pytest.mark.parametrize(("asked", "known"), [(5, True), (6, False)])
def test_a_silent_judge_leaves_no_estimate(engine: Engine, asked: int, known: bool) -> None:
    """Where none of the judge's rows was decided and they are over 5 % of all, there is no mean; every row is counted."""
    sure = [{"status": "scored", "adherence": 1, "kind": "answer", "segments": {"tenant": "a"}}]
    left = [{"status": "failed", "decided_by": "judge", "p": 0.25, "segments": {"tenant": "b"}}]
    store(engine, sure * (100 - asked) + left * asked)
    stored = aggregate(engine)
    day = stored["", "", "adherence"]
    assert (day[0], day[4], day[5]) == ((95, 0, 5) if known else (0, 94, 6))
    assert sum(day[3]) == day[0]
    assert stored["tenant", "a", "adherence"][0] == 100 - asked
    assert stored["tenant", "b", "adherence"][0] == 0


def test_no_estimate_of_a_segment_the_judge_left_out(engine: Engine) -> None:
    """A segment of which the judge decided nothing has none, though the day has one."""
    base = {"kind": "answer", "decided_by": "judge", "p": 0.5}
    values = [base | {"status": "scored", "adherence": 1, "segments": {"tenant": "a"}}] * 10
    values += [base | {"status": "sampled_out", "segments": {"tenant": "b"}}] * 10
    values += [{"status": "scored", "adherence": 0, "segments": {"tenant": "b"}, "decided_by": "rule"}] * 20
    store(engine, values)
    stored = aggregate(engine)
    assert stored["tenant", "b", "adherence"][:2] == (0, 0)
    assert stored["tenant", "b", "adherence"][4:7] == (20, 0, 10)
    assert stored["", "", "adherence"][8] == 40


def weighted(row: tuple[Any, ...], *, is_whole: bool) -> WeightedSums:
    """Return a stored row as sums."""
    seen = Sums(row[0], float(row[1]), float(row[2]), tuple(row[3]))
    numbers = [float(number) for number in row[8:14]]
    return WeightedSums(seen, *numbers, tuple(map(float, row[14])), is_whole)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("values", ["mixed", "shares", "all good"])
def test_the_view_has_the_interval_of_the_library(engine: Engine, seed: int, values: str) -> None:
    """Mean, interval and effective number in SQL are those of WeightedSums, in the day and in segments."""
    drawn = mixed_rows(10 + seed, 400)
    for number, row in enumerate(drawn):
        if row["status"] == "scored" and values != "mixed":
            row |= dict.fromkeys(METRICS, float(number % 7 > 0 or values == "all good"))
    store(engine, drawn)
    stored = aggregate(engine)
    shown = rows(
        engine, "select dimension, value, metric, mean, low, high, effective_n from trace.metric_trend"
    )
    assert len(shown) == 20
    for dimension, value, metric, *numbers in shown:
        sums = weighted(stored[dimension, value, metric], is_whole=not dimension)
        interval = sums.interval()
        assert interval is not None
        assert numbers == pytest.approx([sums.mean, *interval, sums.effective], rel=1e-6, abs=1e-7)


def test_the_watch_reads_effective_sums(engine: Engine) -> None:
    """Its night has the weighted mean over the effective number, and segments know the traffic they stand for."""
    store(engine, mixed_rows(20, 400))
    stored = aggregate(engine)
    with engine.connect() as connection:
        (night,) = load_nights(connection, "s", "average", 400)
    day = weighted(stored["", "", "average"], is_whole=True)
    assert night.total == day.effective_sums()
    assert night.total.n < stored["", "", "average"][0]
    assert night.total.total / night.total.n == pytest.approx(day.mean)
    assert sum(night.total.histogram) == night.total.n
    assert night.traffic[""][""] == pytest.approx(day.weight)
    assert sum(night.traffic["tenant"].values()) == pytest.approx(day.weight)
    for value in "abc":
        part = weighted(stored["tenant", value, "average"], is_whole=False)
        assert night.segments["tenant"][value] == part.effective_sums()


def test_sampling_does_not_move_the_watched_shares(engine: Engine) -> None:
    """A night of which a tenth was judged has the same unscored share and refusal rate as one judged whole."""
    values = [
        {
            "status": "skipped" if n % 20 == 0 else "scored",
            "kind": "refusal" if n % 4 == 1 else "answer",
            "decided_by": "rule" if n % 8 == 1 else "judge",
            "p": 1 if n % 8 == 1 else 0.1,
            **({} if n % 20 == 0 else {"adherence": 1}),
        }
        for n in range(200)
    ]
    shares = []
    for sampled in (False, True):
        drawn = [
            {k: v for k, v in row.items() if k != "adherence"} | {"status": "sampled_out"}
            if sampled and row["status"] == "scored" and row["decided_by"] == "judge" and n % 10 > 2
            else row
            for n, row in enumerate(values)
        ]
        store(engine, drawn)
        aggregate(engine)
        with engine.connect() as connection:
            shares.append(
                [next(load_nights(connection, "s", m, 9)).total for m in ("unscored_share", "refusal_rate")]
            )
    assert shares[0] == shares[1]
    assert [sums.mean for sums in shares[0]] == [pytest.approx(10 / 200), pytest.approx(50 / 190)]


def test_published_values_stay_when_debts_are_paid(engine: Engine) -> None:
    """A log judged later restates the night; the mean as first published is kept, and is the weighted one."""
    base = {"kind": "answer", "decided_by": "judge", "p": 0.3}
    values = [base | {"status": "scored", "adherence": n % 3 > 0} for n in range(9)]
    values = [row | {"adherence": float(row["adherence"])} for row in values]
    left = [base | {"status": "sampled_out"}] * 21
    view = (
        "select n, mean, published_mean, is_restated from trace.metric_trend"
        " where metric = 'adherence' and dimension = ''"
    )
    store(engine, values + left)
    aggregate(engine)
    first = rows(engine, view)
    assert first == [(9, pytest.approx(2 / 3), pytest.approx(2 / 3), False)]
    store(engine, [*values, base | {"status": "scored", "adherence": 1.0}, *left[1:]])
    aggregate(engine)
    assert rows(engine, view) == [(10, pytest.approx(0.7), pytest.approx(2 / 3), True)]
    total = rows(engine, "select distinct published_total from trace.daily_metric where metric = 'adherence'")
    assert total == [(Decimal("6.000000000000"),)]


def test_pages_say_what_the_judged_answers_stand_for(engine: Engine) -> None:
    """The table of nights has the judged answers, what they stand for, and what was left out."""
    base = {"kind": "answer", "decided_by": "judge", "p": 0.25}
    values = [base | {"status": "scored", "adherence": 1, "completeness": 1}] * 10
    store(engine, values + [base | {"status": "sampled_out"}] * 30)
    aggregate(engine)
    with site(url_of(engine)) as client:
        page = client.get("/?scorer=s").text
    assert "n 10, standing for 40" in page
    assert "0.0 % of 40<br>30 left out by sampling" in page
