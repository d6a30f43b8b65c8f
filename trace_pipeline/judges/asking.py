"""Asking until there is an answer or a reason: what is repeated, the waits, and when a judge is given up."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

from tenacity import RetryCallState, Retrying, retry_if_result, stop_after_attempt

from trace_core.reasons import describe
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.client import Client, Reply
from trace_pipeline.judges.contracts import Account, Request
from trace_pipeline.judges.schema import Answer, KnownKeys, read_answer

log = logging.getLogger(__name__)

#: Wait before the second call, in seconds; it doubles with each further one, up to the longest.
FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 30.0
#: Share of a pause that is random on top, so that parallel tasks do not come back together.
JITTER: Final = 0.5
#: Longest Retry-After that is waited for; an endpoint that asks for more is unavailable for this log.
LONGEST_RETRY_AFTER_SECONDS: Final = 60.0
#: Calls more after answers without the form asked for, each with another seed.
INVALID_REPEATS: Final = 2
#: Logs in a row that found the endpoint unavailable, after which no further call is made.
BREAK_AFTER: Final = 3


class Breaker:
    """Remembers that asking is of no use any more; shared by the threads of a judge."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self._unavailable = 0
        self._heard = False
        self._lock = Lock()

    def note(self, reply: Reply) -> None:
        """Note a call: some outcomes hold for every log to come.

        A rejected request does so only before any answer, good or bad; after one, it is this log that is
        rejected.
        """
        with self._lock:
            if reply.outcome not in ("judge_unavailable", "judge_misconfigured"):
                self._heard = True
            if reply.then == "break" and not (reply.about_request and self._heard):
                self._open(reply.outcome, reply.detail)

    def note_log(self, reason: str | None) -> None:
        """Note how a log ended: None = with an answer."""
        with self._lock:
            self._unavailable = self._unavailable + 1 if reason == "judge_unavailable" else 0
            if self._unavailable >= BREAK_AFTER:
                self._open("judge_unavailable")

    def _open(self, reason: str, detail: str = "") -> None:
        if self.reason is None:
            self.reason = reason
            more = f" ({detail})" if detail else ""
            log.warning("The judge is asked no more in this task: %s%s", describe(reason), more)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the prompt, the sentences it is about, and the request for the account."""

    messages: tuple[Mapping[str, str], ...]
    known: KnownKeys
    request: Request


@dataclass(frozen=True, slots=True)
class Asked:
    """What asking came to: an answer or a reason code, and the calls made."""

    answer: Answer | None
    reason: str | None
    calls: int


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a question as often as it is worth; safe to use from several threads."""

    client: Client
    settings: JudgeSettings
    account: Account
    breaker: Breaker
    sleep: Callable[[float], None] = time.sleep

    def ask(self, question: Question) -> Asked:
        """Ask; each call is reserved before and settled after."""
        turn = _Turn(self, question)
        retrying = Retrying(
            stop=stop_after_attempt(self.settings.attempts),
            wait=_pause,
            retry=retry_if_result(_again),
            sleep=self.sleep,
            retry_error_callback=_reply,
        )
        reply = retrying(turn.call)
        return Asked(turn.answer, None if turn.answer else reply.outcome, turn.calls)


class _Turn:
    """The calls for one answer: what changes from one to the next."""

    def __init__(self, asker: Asker, question: Question) -> None:
        self.answer: Answer | None = None
        self.calls = 0
        self._asker = asker
        self._question = question
        self._seed = asker.settings.seed
        self._answer_tokens = asker.settings.answer_tokens
        self._invalid = 0
        self._longer = False

    def call(self) -> Reply:
        """Make one call, if the breaker and the budget let it."""
        breaker, account = self._asker.breaker, self._asker.account
        if breaker.reason:
            return Reply(breaker.reason, "stop")
        request = replace(self._question.request, output_tokens=self._answer_tokens)
        call_id = account.reserve(request, self.calls + 1)
        if call_id is None:
            return Reply("budget", "stop")
        self.calls += 1
        messages = [dict(message) for message in self._question.messages]
        reply = self._judged(self._asker.client.ask(messages, self._seed, self._answer_tokens))
        breaker.note(reply)
        kept = self.answer.to_json(self._asker.settings.store_explanations) if self.answer else None
        account.settle(call_id, request, reply.outcome, reply.spent(request), kept)
        return self._next(reply)

    def _judged(self, reply: Reply) -> Reply:
        """Return the reply, its text read: one without the form asked for is no answer."""
        if reply.then != "take":
            return reply
        self.answer = read_answer(reply.text, self._question.known)
        return reply if self.answer else replace(reply, outcome="judge_invalid_answer", then="again")

    def _next(self, reply: Reply) -> Reply:
        """Return the reply with what asking again is worth, and prepare the next call."""
        if reply.outcome == "judge_invalid_answer":
            self._invalid += 1
            self._seed = None if self._seed is None else self._seed + 1
            return reply if self._invalid <= INVALID_REPEATS else replace(reply, then="stop")
        if reply.outcome == "judge_truncated":
            used = reply.usage.output_tokens if reply.usage else self._answer_tokens
            # Cut off before the limit that was sent, the answer met another one: a higher one is in vain.
            if self._longer or used < self._answer_tokens:
                return replace(reply, then="stop")
            self._longer = True
            self._answer_tokens *= 2
            return reply
        if reply.pause is not None and reply.pause > LONGEST_RETRY_AFTER_SECONDS:
            return replace(reply, then="stop")
        return reply


def _again(reply: Reply) -> bool:
    return reply.then == "again"


def _reply(state: RetryCallState) -> Reply:
    assert state.outcome is not None  # noqa: S101 - tenacity asks only after a call
    reply: Reply = state.outcome.result()
    return reply


def _pause(state: RetryCallState) -> float:
    """Return the seconds until the next call: growing, partly random, not less than what was asked for.

    After an answer, though of no use, nothing is waited for: the endpoint is well.
    """
    reply = _reply(state)
    if reply.outcome != "judge_unavailable":
        return 0.0
    growing = min(FIRST_PAUSE_SECONDS * 2.0 ** (state.attempt_number - 1), LONGEST_PAUSE_SECONDS)
    return max(growing, reply.pause or 0.0) * (1 + JITTER * random.random())  # noqa: S311 - no secret
