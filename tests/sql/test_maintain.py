"""Housekeeping: months ahead, and what retention takes and leaves."""

from __future__ import annotations

from datetime import date

from sqlalchemy import Engine

from tests.sql.tools import MakePipeline, a_log, insert, night, noon, outcomes, rows
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.account import PostgresAccount
from trace_pipeline.judges.contracts import LogPlace, Request, Usage
from trace_pipeline.load import load_logs
from trace_pipeline.steps.maintain import apply_retention, ensure_partitions

MONTHS = "select relname from pg_class where relispartition and relkind = 'r' and relname like 'evaluation%' order by 1"


def test_months_are_made_ahead_once(engine: Engine, make_pipeline: MakePipeline) -> None:
    """This month and two more; the second call finds them there."""
    pipeline = make_pipeline()
    assert ensure_partitions(pipeline, date(2026, 12, 31)) == 4
    assert ensure_partitions(pipeline, date(2026, 12, 31)) == 0
    found = [name for (name,) in rows(engine, MONTHS)]
    assert found == ["evaluation_2026_12", "evaluation_2027_01", "evaluation_2027_02", "evaluation_2027_03"]


def test_retention_takes_whole_months(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Evaluations and quarantined rows of months that are old enough go; sums and ledger stay."""
    for month in (8, 9, 10):
        day = date(2026, month, 30)
        insert(engine, a_log(f"good{month}", noon(day)), a_log(f"bad{month}", noon(day), question=None))
        night(make_pipeline(), day)
    pipeline = make_pipeline(retention_days=30)
    assert apply_retention(pipeline, date(2026, 11, 1)) == ["evaluation_2026_08", "evaluation_2026_09"]
    assert sorted(outcomes(engine)) == ["bad10", "good10"]
    assert rows(engine, "select count(*) from trace.ledger") == [(3,)]
    assert apply_retention(pipeline, date(2026, 11, 1)) == []


def test_without_retention_nothing_goes(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Keeping everything is the default."""
    insert(engine, a_log("a"))
    night(make_pipeline())
    assert apply_retention(make_pipeline(), date(2099, 1, 1)) == []
    assert outcomes(engine) == {"a": "scored"}


def test_a_month_border_in_another_zone(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The first night of a month in Tokyo begins in the month before in UTC; both months are there."""
    insert(engine, a_log("a", noon(date(2026, 9, 30), hours=4)))
    night(make_pipeline(day_time_zone="Asia/Tokyo"), date(2026, 10, 1))
    assert outcomes(engine) == {"a": "scored"}


def test_logs_loaded_twice_are_replaced(engine: Engine) -> None:
    """Of rows with one id the last one counts, in one chunk and in several."""
    chunk = [
        a_log("a", response="first"),
        a_log("b"),
        a_log("a", response="second", segments=None, documents=None),
    ]
    assert list(load_logs(engine, chunk)) == [3]
    found = rows(
        engine, "select log_id, response, segments, documents is null from trace.rag_log order by 1 limit 1"
    )
    assert found == [("a", "second", {}, True)]
    assert list(load_logs(engine, (a_log(str(number % 3)) for number in range(2_500)))) == [2_000, 2_500]
    assert list(load_logs(engine, [])) == []


def test_retention_takes_what_a_judge_said_of_old_logs(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Calls and kept answers go with the evaluations of their month; what each night cost stays, as sums."""
    for month in (8, 10):
        day = date(2026, month, 30)
        account = PostgresAccount(engine, JudgeSettings(), day, "f", "run")
        request = Request(f"hash-{month}", LogPlace(f"log-{month}", noon(day)), 100, 20)
        call_id = account.reserve(request, 1)
        assert call_id is not None
        account.settle(call_id, request, "answered", Usage(10, 5), {"overall_supported": True})
    apply_retention(make_pipeline(retention_days=30), date(2026, 11, 1))
    for table in ("judge_call", "annotation_cache"):
        assert rows(engine, f"select log_id from trace.{table}") == [("log-10",)]
    assert rows(engine, "select night, calls, answered, tokens, judges from trace.judge_cost order by 1") == [
        (date(2026, 8, 30), 1, 1, 15, None),
        (date(2026, 10, 30), 1, 1, 15, "f"),
    ]


def test_a_part_may_go_earlier_than_the_evaluations(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Old evaluations keep their numbers without sentence keys; quarantine and labels go by ages of their own."""
    for month in (8, 10):
        day = date(2026, month, 30)
        insert(engine, a_log(f"good{month}", noon(day)), a_log(f"bad{month}", noon(day), question=None))
        night(make_pipeline(), day)
    ages = {"annotation_days": 30, "quarantine_days": 30, "label_days": 400}
    assert apply_retention(make_pipeline(retention=ages), date(2026, 11, 1)) == []
    kept = "select log_id, adherence is not null, annotation is not null, document_ids is not null"
    assert rows(engine, f"{kept} from trace.evaluation order by 1") == [
        ("good10", True, True, True),
        ("good8", True, False, False),
    ]
    assert rows(engine, "select log_id from trace.quarantine") == [("bad10",)]
    assert rows(engine, "select count(*) from trace.daily_document") == [(2,)]
    # The numbers are not scored again because their keys are gone.
    assert night(make_pipeline(), date(2026, 8, 30)).changed == 1  # the quarantined row comes back


def test_nothing_about_a_log_outlives_its_evaluation(engine: Engine, make_pipeline: MakePipeline) -> None:
    """An age of its own that is longer than retention_days does not keep a part longer."""
    insert(engine, a_log("bad", noon(date(2026, 8, 30)), question=None))
    night(make_pipeline(), date(2026, 8, 30))
    apply_retention(make_pipeline(retention_days=30, retention={"quarantine_days": 400}), date(2026, 11, 1))
    assert rows(engine, "select count(*) from trace.quarantine") == [(0,)]
