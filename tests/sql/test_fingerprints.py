"""A new fingerprint, several scorers, and what is kept of an annotation."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from tests.fakes import FakeScorer, use_scorers
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night, noon, rows
from trace_pipeline.show import trend_frame
from trace_pipeline.steps.detect_drift import load_nights

NEXT = DAY + timedelta(days=1)
OLD = FakeScorer(fingerprint="old", give=lambda log: 1.0)
NEW = FakeScorer(fingerprint="new", give=lambda log: 0.0)


def watched(engine: Engine) -> list[tuple[str, int, float]]:
    """Return fingerprint, n and total of each night that the watch sees."""
    with engine.connect() as connection:
        nights = list(load_nights(connection, "fake", "adherence", 400))
    return [(seen.fingerprint, seen.total.n, seen.total.total) for seen in nights]


def test_a_new_fingerprint_never_overwrites_older_results(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, ledger and sums of the old one stay as they are; the late days are scored anew beside them."""
    insert(engine, a_log("a"), a_log("b", noon(NEXT)))
    use_scorers(monkeypatch, OLD)
    night(make_pipeline(scorers="fake"), nights=2)
    old = "select * from {} where scorer_id = 1 order by 1, 2, 3, 4, 5"
    before = [
        rows(engine, old.format(f"trace.{table}")) for table in ("evaluation", "ledger", "daily_metric")
    ]
    use_scorers(monkeypatch, NEW)
    night(make_pipeline(scorers="fake"), NEXT, late_days=7)
    after = [rows(engine, old.format(f"trace.{table}")) for table in ("evaluation", "ledger", "daily_metric")]
    assert after == before
    assert rows(
        engine,
        "select fingerprint, count(*) from trace.evaluation join trace.scorer using (scorer_id)"
        " group by 1 order by 1",
    ) == [("new", 2), ("old", 2)]


def test_the_watch_takes_the_newest_fingerprint_of_each_day(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day scored by both counts once, under the newer; older days keep the one they have."""
    insert(engine, a_log("a"), a_log("b", noon(NEXT)))
    use_scorers(monkeypatch, OLD)
    night(make_pipeline(scorers="fake"), nights=2)
    use_scorers(monkeypatch, NEW)
    pipeline = make_pipeline(scorers="fake")
    night(pipeline, NEXT)
    assert watched(engine) == [("old", 1, 1.0), ("new", 1, 0.0)]
    frame = trend_frame(pipeline, nights=7)
    assert list(frame[frame.metric == "adherence"].fingerprint) == ["old", "new"]


def test_a_rescore_of_forgotten_days_does_not_hide_their_results(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new fingerprint that finds a day empty, because the source forgot it, says nothing of that day."""
    insert(engine, a_log("a"), a_log("b", noon(NEXT)))
    use_scorers(monkeypatch, OLD)
    night(make_pipeline(scorers="fake"), nights=2)
    execute(engine, "delete from trace.rag_log where log_id = 'a'")
    use_scorers(monkeypatch, NEW)
    night(make_pipeline(scorers="fake"), nights=2)
    assert watched(engine) == [("old", 1, 1.0), ("new", 1, 0.0)]
    assert len(trend_frame(make_pipeline(scorers="fake"), nights=7)) == 10


def test_several_scorers_share_a_night(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has its own rows and balanced ledger; adding one later scores with that one alone."""
    first = FakeScorer("first", "f1")
    second = FakeScorer("second", "f2", give=lambda log: 1 / 0 if log.log_id == "a" else None)
    use_scorers(monkeypatch, first, second)
    insert(engine, a_log("a"), a_log("b"), a_log("bad", question=None))
    night(make_pipeline(scorers="first"))
    night(make_pipeline(scorers=["first", "second"]))
    assert (first.seen, second.seen) == (["a", "b"], ["a", "b"])
    ledger = rows(
        engine,
        "select name, scored, quarantined, failed, reasons from trace.ledger"
        " join trace.scorer using (scorer_id) order by name",
    )
    assert ledger == [
        ("first", 2, 1, 0, {"missing_question": 1}),
        ("second", 1, 1, 1, {"missing_question": 1, "scorer_error": 1}),
    ]
    assert rows(
        engine,
        "select n, undefined, unscored from trace.daily_metric join trace.scorer using (scorer_id)"
        " where name = 'second' and dimension = '' and metric = 'average'",
    ) == [(0, 1, 2)]


def test_a_scorer_left_out_for_a_while_catches_up(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changed while only the other scorer ran is settled when both run again."""
    use_scorers(monkeypatch, FakeScorer("first", "f1"), FakeScorer("second", "f2"))
    insert(engine, a_log("a"), a_log("b"), a_log("bad", question=None))
    night(make_pipeline(scorers=["first", "second"]))
    insert(engine, a_log("a", response=None), a_log("bad"))
    night(make_pipeline(scorers="first"))
    night(make_pipeline(scorers=["first", "second"]))
    assert rows(engine, "select scored, quarantined from trace.ledger order by scorer_id") == [(2, 1), (2, 1)]
    assert rows(engine, "select count(*) from trace.evaluation where log_id = 'a'") == [(0,)]


def test_annotations_are_kept_or_not(engine: Engine, make_pipeline: MakePipeline) -> None:
    """store_annotations = false keeps scores without sentence keys; the scores are the same."""
    insert(engine, a_log("a"))
    scores = "select relevance, utilization, adherence, completeness, average from trace.evaluation"
    night(make_pipeline())
    with_keys = rows(engine, scores)
    assert rows(
        engine, "select annotation -> 'unsupported_response_sentence_keys' from trace.evaluation"
    ) == [([],)]
    night(make_pipeline(store_annotations=False), force=True)
    assert rows(engine, "select annotation from trace.evaluation") == [(None,)]
    assert rows(engine, scores) == with_keys
