"""estimate: what a judge would cost, counted and sampled before anything is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.conftest import checksum
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, noon, rows
from trace_core.errors import ConfigurationError
from trace_pipeline import estimate as estimates
from trace_pipeline.cli.main import main
from trace_pipeline.judges.contracts import LogPlace, Request, Usage
from trace_pipeline.judges.making import RunMaker, make_judge_scorer
from trace_pipeline.window import Window

JUDGE: dict[str, Any] = {"endpoint": "http://127.0.0.1:9/v1", "model": "none-2026-01-01"}
DAYS = Window(DAY, DAY + timedelta(days=1))
# lexical: the first is sure, the second says something that is in no document, the third refuses.
SURE, DOUBTFUL = (
    "The warranty lasts two years.",
    "The warranty lasts nine years, and parts of glass are part of it.",
)


def fill(engine: Engine, doubtful: int, sure: int, **fields: Any) -> None:
    """Write this many logs of each kind over two days."""
    answers = [DOUBTFUL] * doubtful + [SURE] * sure
    insert(
        engine,
        *(
            a_log(f"log-{i}", noon(days=i % 2, seconds=i), response=answer, **fields)
            for i, answer in enumerate(answers)
        ),
    )


def everything_doubtful(**judge: Any) -> dict[str, Any]:
    """Return settings by which hybrid asks about every answer."""
    return {"judge": {**JUDGE, "doubt_low": 0.0, "doubt_high": 1.0, **judge}}


def test_few_rows_are_counted_exactly(engine: Engine, make_pipeline: MakePipeline) -> None:
    """All due rows are looked into: the share has no interval, calls are one a row, money follows the prices."""
    fill(engine, 3, 3)
    settings = everything_doubtful(price_per_million_input_tokens=2.0, price_per_million_output_tokens=10.0)
    found = estimates.estimate(make_pipeline(**settings), DAYS, "hybrid")
    assert (found.due.rows, found.due.due, found.due.owed, len(found.due.sample)) == (6, 6, 0, 6)
    assert found.turn == (1.0, 1.0, 1.0) and found.asked == (6.0, 6.0, 6.0)
    assert found.most.calls == 6 and found.most.output_tokens == 6 * 4_000
    assert found.most.input_tokens > 6 * 300
    assert found.most.money == pytest.approx(found.most.input_tokens * 2e-6 + 24_000 * 1e-5)
    assert found.likely is None and found.unknown == "" and found.within == 6 and found.stays_owed == 0


def test_only_what_is_in_doubt_is_asked(engine: Engine, make_pipeline: MakePipeline) -> None:
    """hybrid asks about the band; judge about its rate, and at least some of each tenant and night."""
    fill(engine, 0, 40)
    chance = estimates.get_scorer("lexical").score(_log(SURE)).adherence_probability
    assert chance is not None
    outside = make_pipeline(judge={**JUDGE, "doubt_low": 0.0, "doubt_high": chance / 2})
    assert estimates.estimate(outside, DAYS, "hybrid").asked == (0.0, 0.0, 0.0)
    plain = make_pipeline(judge={**JUDGE, "sampling_rate": 0.25, "sampling_least": 0})
    assert estimates.estimate(plain, DAYS, "judge").asked[0] == pytest.approx(10)
    floor = make_pipeline(judge={**JUDGE, "sampling_rate": 0.25, "sampling_least": 15})
    assert estimates.estimate(floor, DAYS, "judge").asked[0] == pytest.approx(30)


def _log(response: str) -> Any:
    from trace_core.records import parse_log

    return parse_log(a_log("x", response=response))


def test_a_large_range_is_sampled_the_same_way_each_time(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interval holds the true share, and a second estimate is the first."""
    monkeypatch.setattr(estimates, "SAMPLE_ROWS", 60)
    fill(engine, 90, 210)
    chance = estimates.get_scorer("lexical").score(_log(SURE)).adherence_probability
    assert chance is not None
    band = {"judge": {**JUDGE, "doubt_low": 0.0, "doubt_high": chance - 0.01}}
    found = estimates.estimate(make_pipeline(**band), DAYS, "hybrid")
    assert len(found.due.sample) == 60 and found.due.due == 300
    share, low, high = found.turn
    assert low < 0.3 < high and low < share < high and high - low < 0.25
    assert found.asked[1] < 90 < found.asked[2]
    assert estimates.estimate(make_pipeline(**band), DAYS, "hybrid") == found


def test_what_the_budget_has_no_room_for_is_left_out(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The tightest limit counts, less what the night has spent already; rows owed before come first."""
    fill(engine, 10, 0)
    pipeline = make_pipeline(**everything_doubtful(calls_per_night=5, tokens_per_night=10**9))
    assert estimates.estimate(pipeline, DAYS, "hybrid").within == pytest.approx(5)
    scorer = make_judge_scorer("hybrid", pipeline)
    account = RunMaker(pipeline).account(DAYS.last_day, scorer.desk.fingerprint)
    assert account.reserve(Request("h", LogPlace("log-0", noon()), 10, 10), 1) is not None
    found = estimates.estimate(pipeline, DAYS, "hybrid")
    assert (
        found.left["calls"] == 4 and found.left["tokens"] == 10**9 - 20 and found.within == pytest.approx(4)
    )
    owe(engine, make_pipeline(run_id="owing", **everything_doubtful()), scorer.fingerprint, 6)
    found = estimates.estimate(pipeline, DAYS, "hybrid")
    assert (found.due.due, found.due.owed) == (10, 6)
    assert found.within == pytest.approx(4) and found.stays_owed == pytest.approx(2)


def owe(engine: Engine, pipeline: Any, fingerprint: str, count: int) -> None:
    """Let the first logs have been drawn on an earlier night that could not pay for them."""
    with pipeline.read_source() as (connection, source):
        listed = [
            entry
            for day in DAYS.days()
            for entry in source.entries(
                connection, estimates_key(day), estimates_key(day + timedelta(days=1))
            )
        ]
    execute(
        engine,
        "insert into trace.scorer (name, fingerprint, parameters) values ('hybrid', :f, '{}')",
        f=fingerprint,
    )
    execute(engine, "select trace.ensure_evaluation_partitions(:day, :day)", day=DAY)
    for entry in listed[:count]:
        execute(
            engine,
            "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, reason, response_kind,"
            " undefined, segments, run_id, decided_by, inclusion_probability)"
            " select max(scorer_id), :at, :id, :hash, 'sampled_out', 'budget', 'answer', '{}', '{}', 'r', 'judge', 1"
            " from trace.scorer",
            at=entry.logged_at,
            id=entry.log_id,
            hash=entry.input_hash,
        )


def estimates_key(day: Any) -> Any:
    """Return the first key of a day."""
    from trace_pipeline.source import Key

    return Key(noon(day, hours=-12))


def test_what_is_scored_is_not_due(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Rows with an evaluation of this version are left out, until their content changes or the settings do."""
    fill(engine, 4, 0)
    pipeline = make_pipeline(**everything_doubtful())
    owe(engine, pipeline, make_judge_scorer("hybrid", pipeline).fingerprint, 4)
    execute(engine, "update trace.evaluation set status = 'skipped', reason = 'empty_response'")
    assert estimates.estimate(pipeline, DAYS, "hybrid").due.due == 0
    execute(engine, "update trace.rag_log set question = 'Another?' where log_id = 'log-1'")
    assert estimates.estimate(pipeline, DAYS, "hybrid").due.due == 1
    other = make_pipeline(**everything_doubtful(temperature=0.5))
    assert estimates.estimate(other, DAYS, "hybrid").due.due == 4


def test_earlier_calls_say_what_is_likely(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Once enough calls were answered, their mean is shown beside the most."""
    fill(engine, 2, 0)
    pipeline = make_pipeline(**everything_doubtful(price_per_million_output_tokens=1.0))
    account = RunMaker(pipeline).account(DAY, make_judge_scorer("hybrid", pipeline).desk.fingerprint)
    for number in range(20):
        request = Request(f"h{number}", LogPlace("log-0", noon()), 1_000, 4_000)
        call_id = account.reserve(request, 1)
        assert call_id is not None
        account.settle(call_id, request, "answered", Usage(700, 250 + number % 2 * 100), {})
    likely = estimates.estimate(pipeline, DAYS, "hybrid").likely
    assert likely == estimates.Cost(2.0, 1_400, 600, pytest.approx(0.0006))


@pytest.mark.parametrize("name", ["judge", "hybrid"])
def test_nothing_is_asked_and_nothing_is_written(
    engine: Engine, make_pipeline: MakePipeline, name: str
) -> None:
    """Hostile rows are counted and passed over; the results are as before, no scorer is entered, no budget opened."""
    insert(engine, a_log("no-question", question=None), a_log("empty", response=" "), a_log("good"))
    with engine.begin() as connection:
        connection.execute(
            text(
                "insert into trace.rag_log (log_id, logged_at, question, documents, response) values"
                " ('list', :at, 'q', '{\"a\": 1}', 'r'), ('huge', :at, 'q', '[]', repeat('x ', 600000)),"
                " ('deep', :at, 'q', '[[[[]]]]', 'r'), ('lone', :at, 'q', '[\"d\"]', E'\\u200b')"
            ),
            {"at": noon()},
        )
    before = checksum(engine)
    found = estimates.estimate(make_pipeline(**everything_doubtful()), DAYS, name)
    assert found.due.rows == 7 and found.due.due <= 7 and found.asked[0] <= found.due.due
    assert checksum(engine) == before
    for table in ("scorer", "judge_budget", "judge_call"):
        assert rows(engine, f"select count(*) from trace.{table}") == [(0,)]


def test_days_without_logs_cost_nothing(make_pipeline: MakePipeline) -> None:
    """Zero rows, zero calls, no division by zero."""
    found = estimates.estimate(make_pipeline(judge=JUDGE), DAYS, "judge")
    assert (found.due.rows, found.turn, found.asked) == (0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert found.most == estimates.Cost(0, 0, 0, 0) and found.within == 0


def test_a_scorer_that_asks_nobody_is_refused(make_pipeline: MakePipeline) -> None:
    """It costs no money, and the sentence says what to choose."""
    with pytest.raises(ConfigurationError, match="asks no judge: choose from judge, hybrid"):
        estimates.estimate(make_pipeline(), DAYS, "lexical")


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(database: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Run `trace-pipeline estimate` in this process; returns exit code, output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setenv("TRACE_RESULTS_URL", database)
        monkeypatch.setattr(sys, "argv", ["trace-pipeline", "estimate", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), *capfd.readouterr()

    return call


def test_the_command_says_it_in_plain_lines(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, share, cost, budget, and what is not known; also before a model is named."""
    fill(engine, 6, 0)
    for name, value in (("DOUBT_LOW", "0"), ("DOUBT_HIGH", "1"), ("CALLS_PER_NIGHT", "4")):
        monkeypatch.setenv(f"TRACE_JUDGE__{name}", value)
    code, output, _ = command("--from", "2026-10-01", "--to", "2026-10-02", "--scorer", "hybrid")
    assert code == 0, output
    assert "6 rows in the source, 6 of them due" in output
    assert "All count as due, as the scorer's version is not known: setting 'judge.endpoint'" in output
    assert "calls 4 left of 4; tokens without limit; money without limit" in output
    assert "It has room for 4 of them. 2 are left out" in output and "no price is set" in output
    assert "Not known beforehand" in output
    monkeypatch.setenv("TRACE_JUDGE__ENDPOINT", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TRACE_JUDGE__MODEL", "some-model")
    monkeypatch.setenv("TRACE_SCORERS", '["lexical", "hybrid"]')
    code, output, _ = command("--from", "2026-10-01")
    assert (
        code == 0 and "hybrid, 2026-10-01 to 2026-10-01:" in output and "version is not known" not in output
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--from", "yesterday"], "from_day must be a day"),
        (["--from", "2026-10-02", "--to", "2026-10-01"], "is after to_day"),
        (["--from", "0001-01-01"], "out of range"),
        (["--from", "2026-10-01"], "names no judge"),
        (["--from", "2026-10-01", "--scorer", "heuristic"], "asks no judge"),
        (["--from", "2026-10-01", "--scorer", "x" * 10_000], "asks no judge"),
    ],
)
def test_wrong_options_are_one_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    """Exit code 1, and what to write instead."""
    code, _, error = command(*arguments)
    assert code == 1 and sentence in error and "Traceback" not in error
