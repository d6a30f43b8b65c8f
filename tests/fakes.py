"""Fakes of the parts that tests need to hold still: scorers, channels, a judge's account and redaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import pytest

from trace_core.errors import TemporaryFault
from trace_core.records import Log
from trace_core.scorers import Evaluation
from trace_pipeline.alerts import AlertMessage
from trace_pipeline.judges.contracts import Request, Usage
from trace_pipeline.redaction import Redacted


@dataclass
class FakeScorer:
    """A scorer that gives every metric the value `give` returns; None makes all of them undefined."""

    name: str = "fake"
    fingerprint: str = "f000000000000001"
    give: Callable[[Log], float | None] = lambda log: 1.0
    parameters: dict[str, Any] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def score(self, log: Log) -> Evaluation:
        """Score one log; an error inside becomes `failed`, as in every scorer."""
        self.seen.append(log.log_id)
        try:
            value = self.give(log)
        except Exception:
            return Evaluation.unscored(log.log_id, "failed", "scorer_error", "answer", self.fingerprint)
        undefined = {} if value is not None else dict.fromkeys(METRICS, "no_documents")
        return Evaluation(
            log.log_id,
            "scored",
            None,
            "answer",
            *[value] * 5,
            undefined=undefined,
            fingerprint=self.fingerprint,
        )

    def score_many(self, logs: Iterable[Log]) -> Iterator[Evaluation]:
        """Score a stream in its order."""
        return map(self.score, logs)


METRICS = ("relevance", "utilization", "adherence", "completeness", "average")


def use_scorers(monkeypatch: pytest.MonkeyPatch, *scorers: FakeScorer) -> None:
    """Put the given scorers, alone, into the registry that pipelines read."""
    known = {scorer.name: scorer for scorer in scorers}
    monkeypatch.setattr("trace_pipeline.context.get_scorer", known.__getitem__)


@dataclass
class FakeChannel:
    """A channel that keeps what it is given; it refuses the first `refusals` messages."""

    name: str = "fake"
    refusals: int = 0
    delivered: list[AlertMessage] = field(default_factory=list)

    def deliver(self, message: AlertMessage) -> None:
        """Take a message, or refuse it with a fault that a retry may cure."""
        if self.refusals:
            self.refusals -= 1
            raise TemporaryFault("the channel is busy")
        self.delivered.append(message)


def use_channel(monkeypatch: pytest.MonkeyPatch, channel: FakeChannel) -> None:
    """Let send_alerts deliver to the given channel, whatever its target."""
    monkeypatch.setattr("trace_pipeline.steps.send_alerts.make_channel", lambda *_: channel)


@dataclass
class MemoryCall:
    """One call on a MemoryAccount; outcome `under_way` until it is settled."""

    request: Request
    attempt: int
    outcome: str = "under_way"
    usage: Usage | None = None


class MemoryAccount:
    """A judge's account in memory, with limits; safe for threads."""

    def __init__(self, calls: int | None = None, tokens: int | None = None) -> None:
        self.calls_limit = calls
        self.tokens_limit = tokens
        self.tokens = 0
        self.most_tokens = 0
        self.calls: list[MemoryCall] = []
        self.answers: dict[str, Mapping[str, Any]] = {}
        self._lock = Lock()

    @property
    def outcomes(self) -> list[str]:
        """Outcomes of all calls in order of reservation."""
        return [call.outcome for call in self.calls]

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        """Return the kept answer to this question, if it was ever answered."""
        return self.answers.get(content_hash)

    def reserve(self, request: Request, attempt: int) -> int | None:
        """Promise a call its most tokens; None when there is no room for it."""
        tokens = request.input_tokens + request.output_tokens
        with self._lock:
            if self.calls_limit is not None and len(self.calls) >= self.calls_limit:
                return None
            if self.tokens_limit is not None and self.tokens + tokens > self.tokens_limit:
                return None
            self.tokens += tokens
            self.most_tokens = max(self.most_tokens, self.tokens)
            self.calls.append(MemoryCall(request, attempt))
            return len(self.calls) - 1

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Replace what was promised by what was used, and keep the answer."""
        with self._lock:
            call = self.calls[call_id]
            assert call.outcome == "under_way"
            assert (answer is not None) == (outcome == "answered")
            call.outcome, call.usage = outcome, usage
            used = usage.input_tokens + usage.output_tokens if usage else 0
            self.tokens += used - request.input_tokens - request.output_tokens
            if answer is not None:
                self.answers[request.content_hash] = answer


@dataclass
class WordRedaction:
    """A redaction that replaces the given words; it counts the logs it was given."""

    words: Mapping[str, str] = field(default_factory=dict)
    logs: int = 0

    @property
    def rules(self) -> Mapping[str, Any]:
        """What it replaces."""
        return {"words": sorted(self.words)}

    def open(self, texts: Sequence[str]) -> Redacted:
        """Return the texts with placeholders, and the way back."""
        self.logs += 1
        found = list(texts)
        for word, placeholder in self.words.items():
            found = [text.replace(word, placeholder) for text in found]
        return Redacted(found, {placeholder: word for word, placeholder in self.words.items()})
