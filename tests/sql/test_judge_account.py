"""The account of a night: what may be spent is never passed, whoever spends at the same time and however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from tests.sql.spending import ANSWER, AT, FINGERPRINT, NIGHT, Spender, a_request
from tests.sql.tools import execute, login, rows
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.account import PostgresAccount
from trace_pipeline.judges.contracts import Account, Usage

PRICES = {"price_per_million_input_tokens": 0.15, "price_per_million_output_tokens": 0.6}
SPENT = "select calls, tokens, money, answered, kept, refused from trace.judge_budget"
UNLIMITED: dict[str, Any] = {"calls_per_night": None, "tokens_per_night": None, "money_per_night": None}


def account(
    engine: Engine, night: date = NIGHT, fingerprint: str = FINGERPRINT, **limits: Any
) -> PostgresAccount:
    """Return the account of a night without limits but the given."""
    judge = JudgeSettings(**{**UNLIMITED, **PRICES, **limits})
    return PostgresAccount(engine, judge, night, fingerprint, "test")


def assert_sums_agree(engine: Engine) -> None:
    """Assert that the night's sums are those of its calls, to the last digit."""
    booked = rows(engine, "select calls, tokens, money, answered from trace.judge_budget")
    assert booked == rows(
        engine,
        "select count(*), sum(input_tokens + output_tokens), sum(money), count(*) filter (where outcome = 'answered')"
        " from trace.judge_call",
    )


def hold_limits_at_every_moment(engine: Engine) -> None:
    """Let Postgres itself refuse any state in which more is booked than a limit allows."""
    execute(
        engine,
        "alter table trace.judge_budget add constraint never_beyond check"
        " (calls <= calls_limit and tokens <= tokens_limit and money <= money_limit)",
    )


LIMITS = {
    "calls": {"calls_per_night": 60},
    "tokens": {"tokens_per_night": 9_000},
    "money": {"money_per_night": 0.0025},
    "all": {"calls_per_night": 70, "tokens_per_night": 11_000, "money_per_night": 0.003},
}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_eight_threads_never_pass_a_limit(database: str, engine: Engine, limits: dict[str, Any]) -> None:
    """At no commit is more booked than allowed, and nothing is asked again whose answer is known to be kept."""
    hold_limits_at_every_moment(engine)
    judge = JudgeSettings(**{**UNLIMITED, **PRICES, **limits})
    answered: set[str] = set()
    spenders = [Spender(database, judge, seed, 400, answered) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(spender.spend, 30) for spender in spenders]:
            done.result()
    assert sum(spender.refused for spender in spenders) > 0
    assert [spender.asked_in_vain for spender in spenders] == [[]] * 8
    assert_sums_agree(engine)
    found = rows(engine, "select refused, kept > 0 from trace.judge_budget")
    assert found == [(sum(spender.refused for spender in spenders), True)]


def test_eight_processes_some_of_them_killed_never_pass_a_limit(database: str, engine: Engine) -> None:
    """A process killed at any moment leaves calls under way, which count as paid; the rest goes on."""
    hold_limits_at_every_moment(engine)
    judge = JudgeSettings(**{**UNLIMITED, **PRICES, **LIMITS["all"]})
    lives = ["0", "0", "0", "0", "0", "0.1", "0.2", "0.3"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.sql.spending", database, judge.model_dump_json(), "400", "25", *lives],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=100,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["0"] * 5 + ["-9"] * 3, done.stderr
    assert_sums_agree(engine)
    kept = rows(engine, "select content_hash from trace.annotation_cache")
    asked = account(engine)
    assert kept and all(asked.kept(content_hash) == ANSWER for (content_hash,) in kept)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    calls=st.none() | st.integers(0, 6),
    tokens=st.none() | st.integers(0, 1_000),
    money=st.none() | st.integers(0, 300),
    wanted=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 200), st.integers(0, 2)), max_size=12),
)
def test_a_call_is_refused_exactly_when_it_would_pass_a_limit(
    engine: Engine,
    calls: int | None,
    tokens: int | None,
    money: int | None,
    wanted: list[tuple[int, int, int]],
) -> None:
    """As a sum on paper says, for any limits, sizes and ends."""
    execute(engine, "truncate trace.judge_budget cascade")
    limit = None if money is None else money / 1_000_000
    spender = account(
        engine,
        calls_per_night=calls,
        tokens_per_night=tokens,
        money_per_night=limit,
        price_per_million_input_tokens=0.3,
        price_per_million_output_tokens=1.0,
    )
    booked = [0, 0, Decimal(0)]
    for number, (sent, answered, end) in enumerate(wanted):
        cost = sent * Decimal("0.3") + answered
        after = [booked[0] + 1, booked[1] + sent + answered, booked[2] + cost]
        fits = all(
            most is None or sum_ <= most for most, sum_ in zip((calls, tokens, money), after, strict=True)
        )
        request = a_request(number, sent, answered)
        call_id = spender.reserve(request, 1)
        assert (call_id is not None) == fits
        if call_id is None:
            continue
        booked = after
        if end:
            spender.settle(call_id, request, "judge_refused", Usage(sent // 2, 0) if end == 1 else None, None)
            left = sent // 2 if end == 1 else 0
            booked = [booked[0], booked[1] - sent - answered + left, booked[2] - cost + left * Decimal("0.3")]
    found = rows(engine, "select calls, tokens, money * 1000000 from trace.judge_budget") or [(0, 0, 0)]
    assert list(found[0]) == booked


def test_a_settled_call_has_what_was_used(engine: Engine) -> None:
    """The promise gives way to the usage, the answer is kept, and a second settling changes nothing."""
    spender: Account = account(engine)
    call_id = spender.reserve(a_request(1), 1)
    assert call_id is not None and spender.kept("hash-1") is None
    assert rows(engine, SPENT) == [(1, 120, Decimal("0.000027"), 0, 0, 0)]
    for outcome, usage in (("answered", Usage(50, 10)), ("judge_refused", None)):
        spender.settle(call_id, a_request(1), outcome, usage, ANSWER)
        assert rows(engine, SPENT) == [(1, 60, Decimal("0.0000135"), 1, 0, 0)]
    assert rows(
        engine,
        "select outcome, attempt, input_tokens, output_tokens, settled_at is null from trace.judge_call",
    ) == [("answered", 1, 50, 10, False)]
    assert spender.kept("hash-1") == ANSWER
    assert rows(engine, "select kept from trace.judge_budget") == [(1,)]


def test_what_was_surely_not_paid_goes_back_but_the_call_counts(engine: Engine) -> None:
    """A call that was refused before it was read leaves room for tokens and money, not for calls."""
    spender = account(engine, calls_per_night=2, tokens_per_night=120)
    first = spender.reserve(a_request(1), 1)
    assert first is not None and spender.reserve(a_request(2), 1) is None
    spender.settle(first, a_request(1), "judge_unavailable", None, None)
    assert rows(engine, SPENT) == [(1, 0, 0, 0, 0, 1)]
    assert spender.reserve(a_request(1), 2) is not None
    assert spender.reserve(a_request(2), 1) is None


def test_an_endpoint_that_counts_more_is_booked_as_it_counts(engine: Engine) -> None:
    """The night then has less left, or nothing."""
    spender = account(engine, tokens_per_night=1_000)
    call_id = spender.reserve(a_request(1), 1)
    assert call_id is not None
    spender.settle(call_id, a_request(1), "answered", Usage(5_000, 1_000_000_000), ANSWER)
    assert rows(engine, "select tokens from trace.judge_budget") == [(1_000_005_000,)]
    assert spender.reserve(a_request(2, 0, 0), 1) is None


def test_a_changed_limit_holds_from_the_next_call_on(engine: Engine) -> None:
    """Raised it lets calls through, lowered it takes nothing back; the night shows the latest."""
    limits = "select calls_limit, tokens_limit, money_limit, calls, refused from trace.judge_budget"
    assert account(engine, calls_per_night=0).reserve(a_request(1), 1) is None
    assert rows(engine, limits) == [(0, None, None, 0, 1)]
    assert account(engine, calls_per_night=2, money_per_night=0.1).reserve(a_request(1), 1) is not None
    assert rows(engine, limits) == [(2, None, Decimal("0.1"), 1, 1)]
    assert account(engine, calls_per_night=1).reserve(a_request(2), 1) is None
    assert rows(engine, limits) == [(1, None, None, 1, 2)]


def test_nights_and_versions_are_apart(engine: Engine) -> None:
    """Each night has its own budget; an answer is kept for the version of the judge that gave it."""
    tonight, tomorrow = (
        account(engine, calls_per_night=1),
        account(engine, NIGHT + timedelta(days=1), calls_per_night=1),
    )
    for spender in (tonight, tomorrow):
        call_id = spender.reserve(a_request(1), 1)
        assert call_id is not None
        spender.settle(call_id, a_request(1), "answered", Usage(1, 1), ANSWER)
    assert rows(engine, "select night, calls from trace.judge_budget order by 1") == [
        (NIGHT, 1),
        (NIGHT + timedelta(days=1), 1),
    ]
    assert account(engine, fingerprint="other").kept("hash-1") is None
    assert tomorrow.kept("hash-1") == ANSWER


def test_the_first_answer_stays(engine: Engine) -> None:
    """Two tasks that asked the same at once keep one answer, so that a run that comes later reads what was first."""
    spender = account(engine)
    calls = [spender.reserve(a_request(1), 1) for _ in range(2)]
    for call_id, answer in zip(calls, (ANSWER, {"overall_supported": False}), strict=True):
        assert call_id is not None
        spender.settle(call_id, a_request(1), "answered", Usage(1, 1), answer)
    assert spender.kept("hash-1") == ANSWER


def test_prices_are_exact(engine: Engine) -> None:
    """Ten calls of a tenth of the budget fit, an eleventh does not: no rounding of floating point."""
    spender = account(engine, money_per_night=1e-5, price_per_million_input_tokens=0.1)
    booked = [spender.reserve(a_request(number, 10, 0), 1) for number in range(11)]
    assert [call is not None for call in booked] == [True] * 10 + [False]


def test_the_pipeline_role_may_keep_the_account(engine: Engine) -> None:
    """A login with that role alone reserves, settles and reads."""
    with login(engine, "trace_pipeline") as member:
        spender = account(member, calls_per_night=1)
        call_id = spender.reserve(a_request(1), 1)
        assert call_id is not None and spender.reserve(a_request(2), 1) is None
        spender.settle(call_id, a_request(1), "answered", Usage(1, 1), ANSWER)
        assert spender.kept("hash-1") == ANSWER
    assert rows(engine, "select log_id, logged_at from trace.annotation_cache") == [("log-1", AT)]
