"""A night of the scorers `judge` and `hybrid`: who is asked, in which order, and what is stored of it."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.sql.judging import FakeNights, bad, use_judge
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night, noon, rows
from trace_core.errors import TemporaryFault, TraceError
from trace_core.records import Log
from trace_pipeline.judges.selection import is_drawn

DOUBTFUL = "Our cats eat fish."
EVALUATIONS = (
    "select e.log_id, e.status, coalesce(e.reason, ''), coalesce(e.decided_by, ''), e.inclusion_probability"
    " from trace.evaluation e join trace.scorer s using (scorer_id) where s.name = :name order by 1"
)


def some(many: int, day: date = DAY, first: int = 0, **fields: Any) -> list[dict[str, Any]]:
    """Return logs that the lexical scorer doubts, each of another content."""
    return [
        a_log(
            f"log-{n:03d}",
            noon(day, seconds=n),
            **{"response": DOUBTFUL, "question": f"What about {n}?", **fields},
        )
        for n in range(first, first + many)
    ]


def judge_settings(scorers: str = "judge", **judge: Any) -> dict[str, Any]:
    """Return the settings of a pipeline whose judge has no limits but the given ones."""
    return {"scorers": scorers, "judge": {"sampling_rate": 1.0, "calls_per_night": None, **judge}}


def found(engine: Engine, name: str) -> dict[str, tuple[Any, ...]]:
    """Return log id -> status, reason, decided_by, inclusion probability."""
    return {row[0]: row[1:] for row in rows(engine, EVALUATIONS, name=name)}


@pytest.fixture
def nights(monkeypatch: pytest.MonkeyPatch) -> FakeNights:
    """A judge in memory."""
    fake = FakeNights()
    use_judge(monkeypatch, fake)
    return fake


def test_a_judge_settles_what_needs_no_call(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Empty answers are skipped; refusals and empty contexts have the cheap scorer's values; no call is made."""
    insert(
        engine,
        a_log("empty", response=" "),
        a_log("refusal", response="I don't know."),
        a_log("no context", documents=[]),
        a_log("asked", response=DOUBTFUL),
    )
    night(make_pipeline(**judge_settings("judge,lexical")))
    assert nights.asked == ["asked"]
    assert found(engine, "judge") == {
        "asked": ("scored", "", "judge", 1.0),
        "empty": ("skipped", "empty_response", "rule", 1.0),
        "no context": ("scored", "", "rule", 1.0),
        "refusal": ("scored", "", "rule", 1.0),
    }
    values = (
        "select relevance, utilization, adherence, completeness, average, cast(undefined as text)"
        " from trace.evaluation e join trace.scorer s using (scorer_id)"
        " where s.name = :name and log_id in ('refusal', 'no context') order by log_id"
    )
    assert rows(engine, values, name="judge") == rows(engine, values, name="lexical")


def test_refusals_are_asked_about_where_the_setting_says_so(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """judge.settle_refusals = false."""
    insert(engine, a_log("refusal", response="I don't know."))
    night(make_pipeline(**judge_settings(settle_refusals=False)))
    assert nights.asked == ["refusal"]


def test_hybrid_asks_about_doubtful_logs_alone_and_says_who_decided(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """What lexical is sure of has lexical's values to the last digit; the doubtful log has the judge's."""
    nights.reply = bad
    insert(engine, a_log("sure"), a_log("doubtful", response=DOUBTFUL), a_log("empty", response=""))
    night(make_pipeline(**judge_settings("lexical,hybrid")))
    assert found(engine, "hybrid") == {
        "doubtful": ("scored", "", "judge", 1.0),
        "empty": ("skipped", "empty_response", "lexical", 1.0),
        "sure": ("scored", "", "lexical", 1.0),
    }
    assert nights.asked == ["doubtful"]
    same = (
        "select count(*) from trace.evaluation a join trace.evaluation b using (logged_at, log_id)"
        " where a.scorer_id < b.scorer_id and a.log_id <> 'doubtful' and"
        " (a.relevance, a.utilization, a.adherence, a.completeness, a.average, a.adherence_probability,"
        " a.undefined, a.annotation, a.status, a.response_kind) is not distinct from"
        " (b.relevance, b.utilization, b.adherence, b.completeness, b.average, b.adherence_probability,"
        " b.undefined, b.annotation, b.status, b.response_kind)"
    )
    assert rows(engine, same) == [(2,)]
    judged = "select adherence, adherence_probability, content_hash is not null from trace.evaluation"
    assert rows(engine, f"{judged} where decided_by = 'judge'") == [(0.0, None, True)]


def test_a_sample_is_the_same_each_time_and_its_probabilities_are_stored(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Drawn by id: running again, also by force, changes nothing and makes no call twice."""
    insert(engine, *some(40))
    pipeline = make_pipeline(**judge_settings(sampling_rate=0.25, sampling_least=0))
    night(pipeline)
    before = checksum(engine)
    stored = found(engine, "judge")
    assert all(row[3] == pytest.approx(0.25) for row in stored.values())
    drawn = {log_id for log_id in stored if is_drawn(log_id, 0.25)}
    assert set(nights.asked) == drawn and 0 < len(drawn) < 20
    assert {log_id for log_id, row in stored.items() if row[1] == "sampling"} == set(stored) - drawn
    night(pipeline)
    night(pipeline, force=True)
    assert checksum(engine) == before
    assert Counter(nights.asked).most_common(1)[0][1] == 1


def test_each_tenant_gets_some_judged_logs(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """A tenant with few logs is judged whole, as long as there are fewer than the least."""
    insert(engine, *some(40), *some(3, first=40, segments={"tenant": "small"}))
    night(make_pipeline(**judge_settings(sampling_rate=0.05, sampling_least=4)))
    assert {"log-040", "log-041", "log-042"} <= set(nights.asked)
    assert len(nights.asked) < 20


def test_the_plan_fits_the_budget_on_average(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """The probabilities of a night add up to the calls of its budget, over all its batches."""
    nights.most = 10
    insert(engine, *some(40))
    night(make_pipeline(**judge_settings(calls_per_night=10), batch_rows=10))
    assert sum(row[3] for row in found(engine, "judge").values()) == pytest.approx(10)
    assert len(nights.asked) <= 10


def test_tokens_are_planned_as_the_nights_before_took_them(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """At first with the most a call can take; once calls are known, with their mean."""
    insert(engine, *some(20), *some(20, DAY + timedelta(days=1), first=20))
    pipeline = make_pipeline(**judge_settings(tokens_per_night=41_000, sampling_least=0))
    night(pipeline)
    first = sum(row[3] for row in found(engine, "judge").values())
    assert first == pytest.approx(10)
    night_before = "insert into trace.judge_budget (night) values (:night)"
    call = (
        "insert into trace.judge_call (night, fingerprint, content_hash, log_id, logged_at, attempt, outcome,"
        " input_tokens, output_tokens, money, run_id, settled_at) select :night, :of, n, n, now(), 1,"
        " 'answered', 2000, 500, 0, '', now() from generate_series(1, 20) as n"
    )
    execute(engine, night_before, night=DAY)
    execute(engine, call, night=DAY, of=pipeline.scorers[0].answers)  # type: ignore[attr-defined]
    night(pipeline, DAY + timedelta(days=1))
    assert sum(row[3] for row in found(engine, "judge").values()) - first == pytest.approx(16.4)


def test_a_spent_budget_is_like_a_lower_rate_and_nobody_is_asked_out_of_turn(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """The account has less than the plan: those asked are the ones that a lower rate would have drawn."""
    nights.most = 5
    insert(engine, *some(40))
    night(make_pipeline(**judge_settings(sampling_rate=0.5, sampling_least=0, concurrency=1)))
    stored = found(engine, "judge")
    budget = {log_id for log_id, row in stored.items() if row[:2] == ("sampled_out", "budget")}
    scored = {log_id for log_id, row in stored.items() if row[0] == "scored"}
    assert (len(scored), len(nights.asked)) == (5, 5) and len(budget) > 5
    low = next(rate / 1000 for rate in range(1000) if sum(is_drawn(i, rate / 1000) for i in stored) >= 5)
    assert scored == {log_id for log_id in stored if is_drawn(log_id, low)}
    assert all(row[3] == pytest.approx(0.5) for row in stored.values())
    assert rows(engine, "select sampled_out, scored, failed from trace.ledger") == [(35, 5, 0)]


def test_what_the_budget_left_and_what_failed_is_asked_about_the_next_night(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Within the late days; with the probability it was drawn with. What was not drawn stays out."""
    nights.most = 5
    insert(engine, *some(40))
    settings = judge_settings(sampling_rate=0.5, sampling_least=0)
    night(make_pipeline(**settings))
    first = found(engine, "judge")
    nights.most = 1_000
    night(make_pipeline(**settings), DAY + timedelta(days=1), late_days=7)
    second = found(engine, "judge")
    assert {row[1] for row in second.values()} == {"", "sampling"}
    assert {i: row[3] for i, row in first.items()} == {i: row[3] for i, row in second.items()}
    assert Counter(nights.asked).most_common(1)[0][1] == 1
    assert nights.calls[DAY] == 5 and nights.calls[DAY + timedelta(days=1)] > 5


@pytest.mark.parametrize("reason", ["judge_unavailable", "judge_invalid_answer", "judge_refused"])
def test_a_judge_without_answers_leaves_lexical_alone(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights, reason: str
) -> None:
    """Every lexical row is there, the doubtful ones of hybrid have the reason; the next night asks again."""
    nights.reply = lambda log: reason
    insert(engine, *some(3), a_log("sure"))
    pipeline = make_pipeline(**judge_settings("lexical,hybrid"))
    night(pipeline)
    assert {row[0] for row in found(engine, "lexical").values()} == {"scored"}
    hybrid = found(engine, "hybrid")
    assert hybrid.pop("sure") == ("scored", "", "lexical", 1.0)
    assert set(hybrid.values()) == {("failed", reason, "judge", 1.0)}
    nights.reply = None
    night(pipeline, DAY + timedelta(days=1), late_days=1)
    assert {row[0] for row in found(engine, "hybrid").values()} == {"scored"}


def test_a_log_that_must_not_be_sent_ends_alone(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """A redaction that gives up is a failure of that log; a fault that a retry may cure ends the batch."""

    def give_up(log: Log) -> Any:
        if log.log_id == "log-001":
            raise fault("not of this log")
        return bad(log)

    insert(engine, *some(3))
    nights.reply = give_up
    pipeline = make_pipeline(**judge_settings(concurrency=1))
    fault: type[TraceError] = TemporaryFault
    with pytest.raises(TemporaryFault):
        night(pipeline)
    fault = TraceError
    night(pipeline)
    reasons = {log_id: row[1] for log_id, row in found(engine, "judge").items()}
    assert reasons == {"log-000": "", "log-001": "scorer_error", "log-002": ""}


def test_two_scorers_share_answers_and_the_budget(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """judge and hybrid ask alike, so a log is paid once; each plans with half of the budget."""
    insert(engine, *some(12))
    night(make_pipeline(**judge_settings("judge,hybrid")))
    assert sorted(nights.asked) == [f"log-{n:03d}" for n in range(12)]
    assert {row[0] for name in ("judge", "hybrid") for row in found(engine, name).values()} == {"scored"}


def test_a_log_that_changes_while_the_judge_thinks_is_asked_about_as_it_is_stored(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """The transaction scores what it reads; an answer about another text is never stored under it."""
    insert(engine, *some(2))
    said: list[str] = []

    def change(log: Log) -> Any:
        if not said:
            insert(engine, *some(1, response="Our dogs eat fish."), *some(1, first=2))
        said.append(log.response)
        return bad(log)

    nights.reply = change
    night(make_pipeline(**judge_settings(concurrency=1)))
    assert set(found(engine, "judge")) == {"log-000", "log-001", "log-002"}
    hashes = "select count(*) from trace.evaluation where log_id = 'log-000' and status = 'scored'"
    assert rows(engine, hashes) == [(1,)]
    assert "Our dogs eat fish." in said


def test_above_what_is_held_the_kept_answers_are_taken(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large batch does not keep all annotations in memory, and pays none twice."""
    monkeypatch.setattr("trace_pipeline.judges.preparing.MOST_HELD", 3)
    insert(engine, *some(12))
    night(make_pipeline(**judge_settings()))
    assert {row[0] for row in found(engine, "judge").values()} == {"scored"}
    assert len(nights.asked) == 12


def test_no_snapshot_is_held_while_the_judge_thinks(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Neither of the results nor of the source, and no row of them is locked."""
    seen: list[Any] = []
    open_ones = (
        "select state from pg_stat_activity where application_name = 'trace_nightly'"
        " and datname = current_database() and pid <> pg_backend_pid()"
        " and (backend_xmin is not null or backend_xid is not null)"
    )

    def look(log: Log) -> Any:
        seen.extend(rows(engine, open_ones))
        return bad(log)

    nights.reply = look
    insert(engine, *some(3))
    night(make_pipeline(**judge_settings(concurrency=1)))
    assert len(nights.asked) == 3 and seen == []


def test_a_database_fault_in_a_thread_ends_the_batch_for_a_retry(
    engine: Engine, make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """Nothing is stored, no further log is asked about, and the retry takes the kept answers."""

    def broken(log: Log) -> Any:
        if len(nights.asked) == 4:
            raise OSError("the results went away")
        return bad(log)

    insert(engine, *some(30))
    nights.reply = broken
    pipeline = make_pipeline(**judge_settings(concurrency=2))
    with pytest.raises(OSError, match="went away"):
        night(pipeline)
    assert found(engine, "judge") == {} and len(nights.asked) < 12
    nights.reply = None
    night(pipeline)
    assert {row[0] for row in found(engine, "judge").values()} == {"scored"}


def test_the_fingerprint_knows_what_changes_a_value_and_nothing_else(
    make_pipeline: MakePipeline, nights: FakeNights
) -> None:
    """The band is in hybrid's and the rule in both; rates and budgets are in none."""

    def prints(**judge: Any) -> list[str]:
        return [s.fingerprint for s in make_pipeline(**judge_settings("judge,hybrid", **judge)).scorers]

    judge, hybrid = prints()
    assert judge != hybrid
    assert prints(sampling_rate=0.3, sampling_least=1, calls_per_night=7, concurrency=2) == [judge, hybrid]
    banded = prints(doubt_low=0.2)
    assert banded[0] == judge and banded[1] != hybrid
    ruled = prints(settle_refusals=False)
    assert ruled[0] != judge and ruled[1] != hybrid
