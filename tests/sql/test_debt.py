"""The debts of a judge: what its budget did not reach is asked about later, oldest first."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.judging import FakeNights, use_judge
from tests.sql.test_judge_night import judge_settings, some
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, rows
from trace_pipeline.context import Pipeline
from trace_pipeline.nightly import RunReport, run_window
from trace_pipeline.steps.plan_batches import DEBT_DAYS, plan_batches
from trace_pipeline.window import Window

LATER = DAY + timedelta(days=20)
OWED = "select logged_at::date, count(*) from trace.evaluation where reason = 'budget' group by 1 order by 1"


@pytest.fixture
def nights(monkeypatch: pytest.MonkeyPatch) -> FakeNights:
    """A judge in memory whose account has nothing."""
    fake = FakeNights(most=0)
    use_judge(monkeypatch, fake)
    return fake


def nightly(pipeline: Pipeline, day: date, **options: Any) -> RunReport:
    """Run a night as the schedule does."""
    return run_window(pipeline, Window(day, day), late_days=2, debt=True, **options)


def owed(engine: Engine) -> list[tuple[Any, ...]]:
    """Return day and number of logs that are owed."""
    return rows(engine, OWED)


def test_a_later_night_pays_and_restates_the_day(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Twenty days later the owed logs are judged, their day's sums and ledger are new, and nothing is owed."""
    insert(engine, *some(4), *some(2, LATER, first=10))
    pipeline = make_pipeline(**judge_settings("judge,lexical"))
    nightly(pipeline, DAY)
    assert owed(engine) == [(DAY, 4)]
    nights.most = 100
    report = nightly(pipeline, LATER)
    assert owed(engine) == [] and report.days == [DAY.isoformat(), LATER.isoformat()]
    assert set(nights.asked[:2]) == {"log-010", "log-011"}
    assert set(nights.asked[2:]) == {f"log-{n:03d}" for n in range(4)}
    ledger = (
        "select l.day, l.scored, l.sampled_out from trace.ledger l join trace.scorer s using (scorer_id)"
        " where s.name = 'judge' order by l.day"
    )
    assert rows(engine, ledger) == [(DAY, 4, 0), (LATER, 2, 0)]
    restated = "select n, published_n from trace.daily_metric where metric = 'adherence' and dimension = ''"
    named = " and day = :day and scorer_id = (select scorer_id from trace.scorer where name = 'judge')"
    assert rows(engine, restated + named, day=DAY) == [(4, 0)]


def test_debts_are_paid_oldest_first_and_few_days_a_night(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Ten days owe: the oldest are taken up, up to the bound; the next night takes the others."""
    many = DEBT_DAYS + 3
    pipeline = make_pipeline(**judge_settings())
    for offset in range(many):
        insert(engine, *some(1, DAY + timedelta(days=offset), first=offset))
        run_window(pipeline, Window(DAY + timedelta(days=offset), DAY + timedelta(days=offset)), late_days=0)
    assert len(owed(engine)) == many
    nights.most = 100
    nightly(pipeline, LATER)
    assert [day for day, _ in owed(engine)] == [DAY + timedelta(days=n) for n in range(DEBT_DAYS, many)]
    nightly(pipeline, LATER + timedelta(days=1))
    assert owed(engine) == []


def test_the_batches_of_debts_are_few_and_come_last(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Ids are unique and sorted, the window is first, and all of it is at most max_batches."""
    insert(engine, *some(50), *some(50, DAY + timedelta(days=1), first=50), *some(50, LATER, first=100))
    pipeline = make_pipeline(**judge_settings(), batch_rows=1, max_batches=12)
    for offset in range(2):
        day = DAY + timedelta(days=offset)
        run_window(pipeline, Window(day, day), late_days=0)
    batches = plan_batches(pipeline, Window(LATER, LATER), late_days=2, debt=True)
    assert len(batches) <= 12
    ids = [batch["batch_id"] for batch in batches]
    assert ids == sorted(set(ids))
    days = [batch["from_at"][:10] for batch in batches]
    assert days[0] == LATER.isoformat() and days[-1] == (DAY + timedelta(days=1)).isoformat()
    assert {batch["night"] for batch in batches} == {LATER.isoformat()}
    of_window = [batch["share"] for batch in batches if batch["from_at"][:10] == LATER.isoformat()]
    assert sum(of_window) == pytest.approx(1) and all(0 < batch["share"] <= 1 for batch in batches)


def test_without_a_costly_scorer_or_over_given_days_no_debt_is_looked_for(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """The list is that of the configured scorers; a run over given days is about these alone."""
    insert(engine, *some(4))
    nightly(make_pipeline(**judge_settings()), DAY)
    window = Window(LATER, LATER)
    assert len(plan_batches(make_pipeline(), window, late_days=2, debt=True)) == 2
    assert len(plan_batches(make_pipeline(**judge_settings("hybrid")), window, late_days=2, debt=True)) == 2
    assert len(plan_batches(make_pipeline(**judge_settings()), window, late_days=2)) == 2
    assert len(plan_batches(make_pipeline(**judge_settings()), window, late_days=2, debt=True)) == 3


def test_a_debt_whose_log_has_left_the_source_goes_with_it(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """A vanished log's row goes; of a day that the source forgot as a whole the rows stay, but owe nothing."""
    insert(engine, *some(3), *some(2, DAY + timedelta(days=1), first=10), a_log("sure"))
    pipeline = make_pipeline(**judge_settings("lexical,hybrid"))
    for offset in range(2):
        nightly(pipeline, DAY + timedelta(days=offset))
    assert owed(engine) == [(DAY, 3), (DAY + timedelta(days=1), 2)]
    execute(engine, "delete from trace.rag_log where log_id in ('log-000', 'log-010', 'log-011')")
    nightly(pipeline, LATER)
    assert owed(engine) == [(DAY, 2)]
    left = "select log_id, reason, undefined ->> 'adherence' from trace.evaluation where decided_by = 'judge'"
    assert sorted(rows(engine, left)) == [
        ("log-001", "budget", "budget"),
        ("log-002", "budget", "budget"),
        ("log-010", "sampling", "sampling"),
        ("log-011", "sampling", "sampling"),
    ]
    assert len(plan_batches(pipeline, Window(LATER, LATER), late_days=2, debt=True)) == 3
