"""What changes after a night was published: late, changed, repaired, broken and vanished logs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.fakes import FakeScorer, use_scorers
from tests.sql.tools import DAY, LEDGER, MakePipeline, a_log, execute, insert, night, noon, outcomes, rows

NEXT = DAY + timedelta(days=1)
PUBLISHED = (
    "select day, n, total, published_n, published_total from trace.daily_metric"
    " where metric = 'adherence' and dimension = '' order by day"
)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeScorer:
    """A scorer that says 1 of answers with "yes" in them, else 0."""
    scorer = FakeScorer(give=lambda log: float("yes" in log.response or log.ground_truth is not None))
    use_scorers(monkeypatch, scorer)
    return scorer


@pytest.fixture
def run(make_pipeline: MakePipeline, fake: FakeScorer) -> MakePipeline:
    """Return a function that makes a pipeline with the fake scorer."""
    return lambda **settings: make_pipeline(scorers="fake", **settings)


def test_a_late_log_is_scored_and_its_day_restated(
    engine: Engine, run: MakePipeline, fake: FakeScorer
) -> None:
    """Only the late log is scored; the day's sums change and what was published stays beside them."""
    insert(engine, a_log("a", response="yes"))
    night(run())
    insert(engine, a_log("late", response="no"), a_log("b", noon(NEXT), response="yes"))
    fake.seen.clear()
    report = night(run(), NEXT, late_days=7)
    assert sorted(fake.seen) == ["b", "late"]
    assert report.days == [DAY.isoformat(), NEXT.isoformat()]
    assert rows(engine, PUBLISHED) == [(DAY, 2, 1, 1, 1), (NEXT, 1, 1, 1, 1)]
    assert rows(
        engine,
        "select is_restated, published_mean, mean from trace.metric_trend where metric = 'adherence'"
        " and dimension = '' order by day",
    ) == [(True, 1.0, 0.5), (False, 1.0, 1.0)]


def test_a_log_later_than_late_days_waits_for_a_rescore(engine: Engine, run: MakePipeline) -> None:
    """late_days = 0 leaves the day before alone; the window itself is always read."""
    night(run())
    insert(engine, a_log("late"))
    night(run(), NEXT, late_days=0)
    assert outcomes(engine) == {}
    night(run())
    assert outcomes(engine) == {"late": "scored"}


def test_a_ground_truth_that_comes_later_is_scored_again(
    engine: Engine, run: MakePipeline, fake: FakeScorer
) -> None:
    """The content's hash has changed, so the log is due; its neighbour is not."""
    insert(engine, a_log("a", response="no"), a_log("b", response="no"))
    night(run())
    fake.seen.clear()
    insert(engine, a_log("a", response="no", ground_truth="It is so."))
    night(run(), NEXT, late_days=7)
    assert fake.seen == ["a"]
    assert rows(engine, PUBLISHED)[0] == (DAY, 2, 1, 2, 0)


def test_a_change_that_scoring_does_not_read_is_no_change(engine: Engine, run: MakePipeline) -> None:
    """Metadata may change freely."""
    insert(engine, a_log("a"))
    night(run())
    execute(engine, "update trace.rag_log set metadata = '{\"seen\": true}'")
    assert night(run(), NEXT, late_days=7).changed == 0


def test_a_deleted_log_leaves(engine: Engine, run: MakePipeline) -> None:
    """Its evaluation, its quarantine row and its place in sums and ledger go."""
    insert(engine, a_log("a"), a_log("b", response="yes"), a_log("bad", question=None))
    night(run())
    execute(engine, "delete from trace.rag_log where log_id <> 'b'")
    night(run(), NEXT, late_days=7)
    assert outcomes(engine) == {"b": "scored"}
    assert rows(engine, LEDGER)[0] == (DAY, 1, 1, 0, 0, 0)
    assert rows(engine, PUBLISHED)[0] == (DAY, 1, 1, 2, 1)


def test_a_day_that_the_source_forgets_stays_in_the_results(engine: Engine, run: MakePipeline) -> None:
    """When all logs of a day are gone, retention took them: the results stay, in a late look and in a rescore."""
    insert(engine, a_log("a"), a_log("bad", question=None))
    night(run())
    before = checksum(engine)
    execute(engine, "delete from trace.rag_log")
    night(run(), NEXT, late_days=7)
    assert outcomes(engine) == {"a": "scored", "bad": "missing_question"}
    assert night(run(), force=True).days == []
    assert {**checksum(engine), "ledger": 0, "daily_metric": 0} == {**before, "ledger": 0, "daily_metric": 0}
    assert rows(engine, LEDGER)[0] == (DAY, 2, 1, 0, 1, 0)


def test_a_repaired_log_leaves_the_quarantine(engine: Engine, run: MakePipeline) -> None:
    """It is scored, and counted as scored."""
    insert(engine, a_log("a", question=None))
    night(run())
    assert outcomes(engine) == {"a": "missing_question"}
    insert(engine, a_log("a"))
    night(run(), NEXT, late_days=7)
    assert outcomes(engine) == {"a": "scored"}
    assert rows(engine, LEDGER)[0] == (DAY, 1, 1, 0, 0, 0)


def test_a_log_that_breaks_later_loses_its_scores(engine: Engine, run: MakePipeline) -> None:
    """The evaluation of a content that is gone goes; the log is in the quarantine with the new reason."""
    insert(engine, a_log("a"), a_log("b"))
    night(run())
    insert(engine, a_log("a", documents={"not": "a list"}))
    night(run(), NEXT, late_days=7)
    assert outcomes(engine) == {"a": "documents_not_a_list", "b": "scored"}
    insert(engine, a_log("a", response=None))
    night(run(), NEXT, late_days=7)
    assert outcomes(engine)["a"] == "missing_response"
    assert rows(engine, LEDGER)[0] == (DAY, 2, 1, 0, 1, 0)


def test_a_log_whose_time_is_corrected_moves(engine: Engine, run: MakePipeline) -> None:
    """It leaves one day and joins the other."""
    insert(engine, a_log("a"), a_log("b"))
    night(run())
    insert(engine, a_log("a", noon(NEXT)))
    night(run(), NEXT, late_days=7)
    assert [row[:3] for row in rows(engine, LEDGER)] == [(DAY, 1, 1), (NEXT, 1, 1)]


def test_a_log_on_which_the_scorer_broke_is_tried_again(
    engine: Engine, run: MakePipeline, fake: FakeScorer
) -> None:
    """A failed evaluation is due every night until it succeeds."""
    give, fake.give = fake.give, lambda log: 1 / 0
    insert(engine, a_log("a"))
    report = night(run())
    assert rows(engine, LEDGER) == [(DAY, 1, 0, 0, 0, 1)]
    assert report.notes == ["2026-10-01, scorer fake: the scorer broke on 1 of 1 logs."]
    fake.give = give
    night(run(), NEXT, late_days=7)
    assert rows(engine, LEDGER)[0] == (DAY, 1, 1, 0, 0, 0)
