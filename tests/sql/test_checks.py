"""The checks of sql/checks: each finds what it is for, and is silent on a good night."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from tests.fakes import FakeScorer, use_scorers
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night
from trace_pipeline.sqlfiles import names, statement_of
from trace_pipeline.steps.check_ledger import LedgerUnbalanced, check_ledger
from trace_pipeline.window import day_bounds


def findings(engine: Engine, name: str) -> list[str]:
    """Return what one check says of DAY."""
    start, end = day_bounds(DAY, "UTC")
    place = {"scorer_ids": [1], "days": [DAY], "from_at": start, "to_at": end}
    with engine.connect() as connection:
        return [row.finding for row in connection.execute(text(statement_of(f"checks/{name}.sql")), place)]


def lose_an_evaluation(engine: Engine) -> None:
    """Take a row away behind the ledger's back."""
    execute(engine, "delete from trace.evaluation where log_id = 'a'")


def break_a_scorer(engine: Engine) -> None:
    """Count one of the scored as failed."""
    execute(
        engine, "update trace.ledger set scored = scored - 1, failed = 1, reasons = '{\"scorer_error\": 1}'"
    )


def lose_a_batch(engine: Engine) -> None:
    """Count one of the scored as not reached."""
    execute(
        engine, "update trace.ledger set scored = scored - 1, failed = 1, reasons = '{\"batch_failed\": 1}'"
    )


def miscount_a_sum(engine: Engine) -> None:
    """Count a row twice in one metric."""
    execute(engine, "update trace.daily_metric set n = n + 1 where metric = 'adherence' and dimension = ''")


def lose_a_quarantined_row(engine: Engine) -> None:
    """Take a row out of the quarantine behind the ledger's back."""
    execute(engine, "delete from trace.quarantine")


DAMAGE: dict[str, tuple[Callable[[Engine], None], str]] = {
    "ledger_matches_evaluations": (
        lose_an_evaluation,
        "2 scored, 0 skipped, 1 quarantined; the rows say 1, 0 and 1",
    ),
    "few_scorer_errors": (break_a_scorer, "the scorer broke on 1 of 3 logs"),
    "no_batch_failed": (lose_a_batch, "1 of 3 logs were not reached"),
    "sums_match_ledger": (
        miscount_a_sum,
        "adherence on 2026-10-01, scorer fake: 4 rows; the ledger accounts for 3",
    ),
}


@pytest.fixture
def a_night(engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch) -> MakePipeline:
    """Two readable logs and one without a question, scored."""
    use_scorers(monkeypatch, FakeScorer())
    insert(engine, a_log("a"), a_log("b"), a_log("c", question=None))
    night(make_pipeline(scorers="fake"))
    return make_pipeline


@pytest.mark.parametrize("name", names("checks"))
def test_a_check_is_silent_on_a_good_night(engine: Engine, a_night: MakePipeline, name: str) -> None:
    """No finding where everything adds up."""
    assert findings(engine, name) == []


@pytest.mark.parametrize("name", names("checks"))
def test_a_check_finds_its_damage(engine: Engine, a_night: MakePipeline, name: str) -> None:
    """One sentence that says which day, which scorer and which numbers."""
    damage, expected = DAMAGE[name]
    damage(engine)
    (finding,) = findings(engine, name)
    assert expected in finding
    assert "2026-10-01" in finding and "fake" in finding


def test_a_lost_quarantine_row_is_found(engine: Engine, a_night: MakePipeline) -> None:
    """The ledger is held against the quarantine as well."""
    lose_a_quarantined_row(engine)
    (finding,) = findings(engine, "ledger_matches_evaluations")
    assert "1 quarantined; the rows say 2, 0 and 0" in finding


def test_findings_of_severity_fail_end_the_run(engine: Engine, a_night: MakePipeline) -> None:
    """check_ledger raises with the sentences, at most five of them."""
    execute(engine, "update trace.daily_metric set n = n + 1")
    with pytest.raises(LedgerUnbalanced, match=r"Sums of adherence.*Sums of average"):
        check_ledger(a_night(scorers="fake"), [DAY.isoformat()])


def test_findings_of_severity_warn_are_returned(engine: Engine, a_night: MakePipeline) -> None:
    """A scorer that broke on a log is told, and the night is good."""
    execute(
        engine, "update trace.evaluation set status = 'failed', reason = 'scorer_error' where log_id = 'a'"
    )
    break_a_scorer(engine)
    assert len(check_ledger(a_night(scorers="fake"), [DAY.isoformat()])) == 1
    assert check_ledger(a_night(scorers="fake"), []) == []
