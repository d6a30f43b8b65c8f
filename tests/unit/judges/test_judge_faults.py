"""Whatever an endpoint does, a log ends with a verdict or with the right reason, in few calls."""

from __future__ import annotations

import json
import logging
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import MemoryAccount, WordRedaction
from tests.judge_stub import FAULTS, Asked, Behaviour, Reply, Stub, in_turn, judge_stub, supported, verdict
from trace_core.reasons import FAILURE_REASONS
from trace_core.records import Document, Log
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.asking import BREAK_AFTER
from trace_pipeline.judges.contracts import Judged
from trace_pipeline.judges.endpoint import Endpoint
from trace_pipeline.judges.judge import LanguageModelJudge

WHEN = datetime(2026, 1, 5, 12, tzinfo=UTC)
SECRET = "Mirabelle"


def a_log(number: int = 1) -> Log:
    """A log with two document sentences and two response sentences, different for each number."""
    documents = (Document(f"The pump of {SECRET} runs at {number} bar. It is blue."),)
    return Log(f"log-{number}", "How does it run?", documents, f"It runs at {number} bar. It is blue.")


class Bench:
    """A judge in front of a stub, with what it spent and how long it would have waited."""

    def __init__(self, stub: Stub, account: MemoryAccount | None = None, **changes: Any) -> None:
        self.stub = stub
        self.pauses: list[float] = []
        self.account = account or MemoryAccount()
        made = JudgeSettings(**{"model": "m", "timeout_seconds": 5, **changes})
        self.judge = LanguageModelJudge(
            Endpoint(stub.url), made, self.account, WordRedaction(), self.pauses.append
        )

    def ask(self, number: int = 1) -> Judged:
        """Judge a log."""
        return self.judge.judge(a_log(number), WHEN)


# name: (how it ends if it lasts, calls of at most 4, whether something may have been paid)
LASTING: dict[str, tuple[str, int, bool]] = {
    "busy": ("judge_unavailable", 4, False),
    "busy_for_long": ("judge_unavailable", 1, False),
    "request_timeout": ("judge_unavailable", 4, True),
    "server_error": ("judge_unavailable", 4, True),
    "overloaded": ("judge_unavailable", 4, True),
    "hang": ("judge_unavailable", 4, True),
    "half_closed": ("judge_unavailable", 4, True),
    "drip": ("judge_unavailable", 4, True),
    "drip_head": ("judge_unavailable", 4, True),
    "malformed_body": ("judge_invalid_answer", 3, True),
    "not_json": ("judge_invalid_answer", 3, True),
    "malformed_content": ("judge_invalid_answer", 3, True),
    "wrong_keys": ("judge_invalid_answer", 3, True),
    "no_choices": ("judge_invalid_answer", 3, True),
    "no_content": ("judge_invalid_answer", 3, True),
    "truncated": ("judge_truncated", 1, True),
    "other_model": ("judge_other_model", 1, True),
    "content_filter": ("judge_refused", 1, True),
    "refusal": ("judge_refused", 1, True),
    "bad_request": ("judge_misconfigured", 1, False),
    "unauthorized": ("judge_misconfigured", 1, False),
    "forbidden": ("judge_misconfigured", 1, False),
    "not_found": ("judge_misconfigured", 1, False),
    "redirect": ("judge_misconfigured", 1, False),
    "no_usage": ("answered", 1, True),
}
SLOW = ("hang", "drip", "drip_head")


def test_every_fault_of_the_stub_has_an_expected_end() -> None:
    """A fault that is added to the stub gets a row here."""
    assert LASTING.keys() == FAULTS.keys()


@pytest.mark.parametrize("name", LASTING)
def test_a_fault_that_lasts_ends_with_its_reason_and_settled_calls(name: str) -> None:
    """Each call is settled under the reason; what was refused unread gives its tokens back."""
    reason, calls, paid = LASTING[name]
    with judge_stub(FAULTS[name]) as stub:
        bench = Bench(stub, timeout_seconds=0.15 if name in SLOW else 5)
        judged = bench.ask()
    assert (judged.reason or "answered") == reason
    assert (judged.annotation is None) == (judged.reason is not None)
    assert judged.calls == len(stub.asked) == calls
    assert bench.account.outcomes == [reason] * calls
    assert [call.attempt for call in bench.account.calls] == list(range(1, calls + 1))
    assert all((call.usage is not None) == paid for call in bench.account.calls)


@pytest.mark.parametrize("name", [name for name, (_, calls, _) in LASTING.items() if calls > 1])
def test_a_fault_that_passes_ends_with_a_verdict(name: str) -> None:
    """What is asked again is answered the second time."""
    with judge_stub(in_turn(FAULTS[name])) as stub:
        bench = Bench(stub, timeout_seconds=0.5 if name in SLOW else 5)
        judged = bench.ask()
    assert judged.reason is None
    assert judged.annotation is not None
    assert judged.calls == len(stub.asked) == 2
    assert bench.account.outcomes == [LASTING[name][0], "answered"]


@pytest.mark.parametrize("name", SLOW)
def test_one_call_takes_no_longer_than_its_timeout(name: str) -> None:
    """Bytes that come one by one, in the head or in the body, do not prolong a call."""
    with judge_stub(FAULTS[name]) as stub:
        bench = Bench(stub, timeout_seconds=0.3, attempts=1)
        start = time.monotonic()
        assert bench.ask().reason == "judge_unavailable"
        assert time.monotonic() - start < 2


def test_a_name_that_is_looked_up_for_long_does_not_prolong_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver cannot be interrupted, but nobody has to wait for it."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: time.sleep(1.5) or [])
    stub = Stub(supported)
    stub.url = "http://judge.invalid/v1"
    start = time.monotonic()
    assert Bench(stub, timeout_seconds=0.2, attempts=1).ask().reason == "judge_unavailable"
    assert time.monotonic() - start < 1


def test_an_endpoint_that_is_not_there_costs_calls_but_no_tokens() -> None:
    """Nothing was sent, so nothing was paid."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        stub = Stub(supported)
        stub.url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        bench = Bench(stub)
        assert bench.ask().reason == "judge_unavailable"
    assert bench.account.outcomes == ["judge_unavailable"] * 4
    assert bench.account.tokens == 0


def test_pauses_grow_and_are_not_shorter_than_asked_for() -> None:
    """Exponential with jitter; a Retry-After within reason is waited for."""
    with judge_stub(FAULTS["overloaded"]) as stub:
        growing = Bench(stub)
        growing.ask()
        stub.behaviour = lambda asked: Reply(status=429, headers={"Retry-After": "20"})
        asked = Bench(stub)
        asked.ask()
    assert [1 <= growing.pauses[0] <= 1.5, 2 <= growing.pauses[1] <= 3, 4 <= growing.pauses[2] <= 6] == [
        True
    ] * 3
    assert len(asked.pauses) == 3
    assert all(20 <= pause <= 30 for pause in asked.pauses)


@pytest.mark.parametrize("value", ["", "soon", "nan", "Thu, 99 Foo 2026", "-5"])
def test_a_retry_after_that_says_nothing_is_passed_over(value: str) -> None:
    """The usual pauses apply."""
    with judge_stub(lambda asked: Reply(status=429, headers={"Retry-After": value})) as stub:
        bench = Bench(stub)
        assert bench.ask().reason == "judge_unavailable"
    assert len(bench.pauses) == 3
    assert max(bench.pauses) <= 6


@pytest.mark.parametrize(
    ("value", "calls"),
    [("Wed, 21 Oct 2015 07:28:00 GMT", 4), ("Fri, 21 Oct 2089 07:28:00 GMT", 1), ("inf", 1)],
)
def test_a_retry_after_may_be_a_date(value: str, calls: int) -> None:
    """A past date asks for no pause, one far away is not waited for."""
    with judge_stub(lambda asked: Reply(status=503, headers={"Retry-After": value})) as stub:
        assert Bench(stub).ask().calls == calls


def test_a_cut_answer_is_asked_for_once_more_with_twice_the_room() -> None:
    """When it filled the room it had; the reservation has the room that is asked for."""
    full = Reply("{", finish_reason="length", usage={"prompt_tokens": 9, "completion_tokens": 500})
    with judge_stub(in_turn(lambda asked: full)) as stub:
        bench = Bench(stub, answer_tokens=500)
        assert bench.ask().annotation is not None
        assert [asked.body["max_tokens"] for asked in stub.asked] == [500, 1000]
        assert [call.request.output_tokens for call in bench.account.calls] == [500, 1000]
        stub.behaviour = lambda asked: replace(full, usage=None)
        lasting = Bench(stub, answer_tokens=500)
        assert (lasting.ask().reason, len(lasting.account.calls)) == ("judge_truncated", 2)


def test_an_answer_of_no_use_is_asked_for_with_another_seed_and_no_pause() -> None:
    """The same seed would give the same answer."""
    with judge_stub(FAULTS["malformed_content"]) as stub:
        bench = Bench(stub, seed=7)
        bench.ask()
        assert [asked.body["seed"] for asked in stub.asked] == [7, 8, 9]
        assert bench.pauses == [0, 0]
        unseeded = Bench(stub, seed=None)
        unseeded.ask()
        assert all("seed" not in asked.body for asked in stub.asked[3:])


@pytest.mark.parametrize("name", ["unauthorized", "not_found", "bad_request", "other_model"])
def test_a_judge_that_cannot_answer_anybody_is_asked_once(name: str) -> None:
    """The rest of the logs gets the same reason without a call."""
    with judge_stub(FAULTS[name]) as stub:
        bench = Bench(stub)
        ends = [bench.ask(number) for number in range(1, 6)]
    assert {end.reason for end in ends} == {LASTING[name][0]}
    assert [end.calls for end in ends] == [1, 0, 0, 0, 0]
    assert len(stub.asked) == 1


def test_an_endpoint_that_is_down_is_given_up_after_some_logs() -> None:
    """A dead endpoint costs a batch seconds, not hours."""
    with judge_stub(FAULTS["server_error"]) as stub:
        bench = Bench(stub, attempts=2)
        ends = [bench.ask(number) for number in range(1, 30)]
    assert {end.reason for end in ends} == {"judge_unavailable"}
    assert len(stub.asked) == 2 * BREAK_AFTER


def test_faults_between_answers_do_not_give_the_judge_up() -> None:
    """Only logs in a row count."""
    with judge_stub() as stub:
        bench = Bench(stub, attempts=1)
        for number in range(1, 13):
            stub.behaviour = supported if number % BREAK_AFTER == 0 else FAULTS["overloaded"]
            bench.ask(number)
    assert len(stub.asked) == 12


def test_a_rejected_request_after_answers_is_about_that_log() -> None:
    """One log that the endpoint cannot digest does not end a batch; a rejected key does."""
    with judge_stub() as stub:
        bench = Bench(stub)
        ends = []
        for number, behaviour in enumerate([FAULTS["refusal"], FAULTS["bad_request"], supported], start=1):
            stub.behaviour = behaviour
            ends.append(bench.ask(number).reason)
        assert ends == ["judge_refused", "judge_misconfigured", None]
        stub.behaviour = FAULTS["unauthorized"]
        assert [bench.ask(number).calls for number in (4, 5)] == [1, 0]


@pytest.mark.parametrize(
    ("status", "error", "reason"),
    [
        (400, {"code": "context_length_exceeded", "message": "x"}, "judge_prompt_too_long"),
        (
            400,
            {"code": 400, "message": "This model's maximum context length is 8 tokens"},
            "judge_prompt_too_long",
        ),
        (400, {"code": 400, "type": "exceed_context_size_error", "message": "x"}, "judge_prompt_too_long"),
        (413, {"message": "x"}, "judge_prompt_too_long"),
        (400, {"code": "content_filter", "message": "x"}, "judge_refused"),
        (422, {"code": {"odd": []}, "message": ["odd"]}, "judge_misconfigured"),
        (429, {"code": "insufficient_quota", "message": "x"}, "judge_unavailable"),
    ],
)
def test_an_error_that_says_more_than_its_status_is_heard(status: int, error: Any, reason: str) -> None:
    """Too long for this model, filtered, or no money left: one call, and the reason."""
    raw = json.dumps({"error": error}).encode()
    with judge_stub(lambda asked: Reply(status=status, raw=raw)) as stub:
        judged = Bench(stub).ask()
    assert (judged.reason, judged.calls) == (reason, 1)


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b'{"error": "no"}', b'{"error": {"code": []}}', b"\xff\xfe", b"null"]
)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_odd_bodies_never_raise(status: int, raw: bytes) -> None:
    """Whatever the body is, there is a reason."""
    with judge_stub(lambda asked: Reply(status=status, raw=raw)) as stub:
        judged = Bench(stub, attempts=1).ask()
    expected = {200: "judge_invalid_answer", 400: "judge_misconfigured", 500: "judge_unavailable"}
    assert judged.reason == expected[status]


def test_a_body_without_end_is_cut_off() -> None:
    """More bytes than any answer has are not read into memory."""
    with judge_stub(lambda asked: Reply(raw=b" " * 5_000_000)) as stub:
        bench = Bench(stub, attempts=1, answer_tokens=100)
        assert bench.ask().reason == "judge_unavailable"


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 1},
        {"prompt_tokens": 10**30, "completion_tokens": 1},
        {"prompt_tokens": "many"},
        {},
    ],
)
def test_a_count_that_cannot_be_is_replaced_by_what_was_reserved(usage: dict[str, Any]) -> None:
    """The account is never told numbers that no call can have."""
    with judge_stub(lambda asked: replace(verdict(asked), usage=usage)) as stub:
        bench = Bench(stub)
        assert bench.ask().annotation is not None
    call = bench.account.calls[0]
    assert call.usage is not None
    assert call.usage.input_tokens == call.request.input_tokens
    assert call.usage.output_tokens == call.request.output_tokens


@pytest.mark.parametrize("behaviour", [supported, FAULTS["busy"], FAULTS["malformed_content"]])
def test_a_spent_budget_ends_with_the_reason_budget_and_no_call(behaviour: Behaviour) -> None:
    """Also in the middle of repeated calls for one answer."""
    with judge_stub(behaviour) as stub:
        bench = Bench(stub, MemoryAccount(calls=2))
        ends = [bench.ask(number) for number in (1, 2, 3)]
    assert ends[-1].reason == "budget"
    assert ends[-1].calls == 0
    assert len(stub.asked) == 2


def test_nothing_of_a_log_is_in_log_lines(caplog: pytest.LogCaptureFixture) -> None:
    """At the most talkative level, whatever goes wrong; the reason is there for people."""
    caplog.set_level(logging.DEBUG)
    for name in ("malformed_content", "server_error", "other_model", "half_closed", "unauthorized"):
        with judge_stub(FAULTS[name]) as stub:
            Bench(stub, attempts=2).ask()
    lines = [record.getMessage() for record in caplog.records]
    assert not any(SECRET in line or "bar" in line for line in lines)
    assert any("Another model than the configured one" in line and "another-model" in line for line in lines)


def test_an_error_of_the_account_is_not_swallowed() -> None:
    """A database that is gone is not the endpoint's doing: the task must fail and be repeated."""

    class Gone(MemoryAccount):
        def settle(self, *arguments: Any) -> None:
            raise ConnectionError("gone")

    with judge_stub() as stub, pytest.raises(ConnectionError):
        Bench(stub, Gone()).ask()


def test_a_model_that_wants_the_newer_name_of_the_limit_gets_it() -> None:
    """Once learned, it is used from the first call on; an endpoint that wants neither is misconfigured."""
    raw = json.dumps(
        {"error": {"code": "unsupported_parameter", "param": "max_tokens", "message": "x"}}
    ).encode()

    def newer(asked: Asked) -> Reply:
        return Reply(status=400, raw=raw) if "max_tokens" in asked.body else supported(asked)

    with judge_stub(newer) as stub:
        bench = Bench(stub)
        assert [bench.ask(number).calls for number in (1, 2)] == [2, 1]
        assert stub.asked[-1].body["max_completion_tokens"] == 4_000
        stub.behaviour = lambda asked: Reply(status=400, raw=raw)
        neither = Bench(stub)
        assert [(neither.ask(1).reason, neither.ask(2).calls)] == [("judge_misconfigured", 0)]


def test_an_endpoint_that_speaks_no_tls_is_unavailable() -> None:
    """The handshake fails before anything is sent."""
    with judge_stub() as stub:
        stub.url = stub.url.replace("http:", "https:")
        bench = Bench(stub, attempts=1)
        assert bench.ask().reason == "judge_unavailable"
    assert bench.account.tokens == 0


FAST = [name for name in LASTING if name not in (*SLOW, "busy_for_long")]


@settings(max_examples=15, deadline=None)
@given(
    faults=st.lists(st.sampled_from([*FAST, *["ok"] * 12]), max_size=40),
    calls=st.integers(0, 40),
    attempts=st.integers(1, 4),
    seed=st.randoms(use_true_random=False),
)
def test_any_mixture_of_faults_ends_every_log_once_and_within_the_budget(
    faults: list[str], calls: int, attempts: int, seed: Random
) -> None:
    """Four threads; then once more with a well endpoint: what was answered is not asked again."""
    script = [FAULTS.get(name, supported) for name in faults]
    with judge_stub(in_turn(*script)) as stub, ThreadPoolExecutor(4) as threads:
        account = MemoryAccount(calls=calls)
        numbers = [seed.randrange(8) for _ in range(16)]
        first = Bench(stub, account, attempts=attempts)
        ends = list(threads.map(first.ask, numbers))
        asked = len(stub.asked)
        assert asked == len(account.calls) <= calls
        assert "under_way" not in account.outcomes
        for end in ends:
            assert (end.annotation is None) == (end.reason is not None)
            assert end.reason is None or end.reason in FAILURE_REASONS or end.reason == "budget"
            assert end.calls <= attempts
        assert sum(end.calls for end in ends) == asked
        answered = [call.request.content_hash for call in account.calls if call.outcome == "answered"]
        assert sorted(answered) == sorted(account.answers)
        stub.behaviour, account.calls_limit = supported, None
        again = list(threads.map(Bench(stub, account).ask, sorted(set(numbers))))
    assert all(end.annotation is not None for end in again)
    assert sum(end.calls for end in again) == len(set(numbers)) - len(answered)
