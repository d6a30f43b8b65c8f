"""A judge and an account in memory, for tests of what is asked and what is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from threading import Lock
from typing import Any

import pytest

from trace_core.annotation import Annotation
from trace_core.records import Log
from trace_core.scorers import get_scorer
from trace_pipeline.context import Pipeline
from trace_pipeline.judges.contracts import Account, Judge, Judged, LogPlace, Request, Usage
from trace_pipeline.judges.desk import Desk
from trace_pipeline.judges.scorer import HybridScorer, JudgeScorer

LONG = "Plenty of other things are told here at length."


@dataclass
class FakeNights:
    """The accounts of all nights: a limit of calls for each, kept answers, and the ids asked about, in order.

    reply: the annotation, or the reason why there is none, of a log.
    """

    most: int = 1_000_000
    reply: Callable[[Log], Annotation | str] | None = None
    calls: dict[date, int] = field(default_factory=dict)
    answers: dict[str, Annotation] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def account(self, night: date, fingerprint: str) -> Account:
        """Open the account of a night."""
        return FakeAccount(self, night)

    def judge(self, account: Account) -> Judge:
        """Make a judge."""
        return FakeJudge(self, account)


@dataclass
class FakeAccount:
    """The calls of a night."""

    nights: FakeNights
    night: date

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        """Return the kept answer."""
        found = self.nights.answers.get(content_hash)
        return None if found is None else {"annotation": found}

    def reserve(self, request: Request, attempt: int) -> int | None:
        """Count a call."""
        with self.nights.lock:
            made = self.nights.calls.get(self.night, 0)
            if made >= self.nights.most:
                return None
            self.nights.calls[self.night] = made + 1
            self.nights.asked.append(request.place.log_id)
            return made + 1

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Keep the answer."""
        if answer is not None:
            self.nights.answers[request.content_hash] = answer["annotation"]


@dataclass
class FakeJudge:
    """Answers at once, one call a log."""

    nights: FakeNights
    account: Account
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"model": "fake"})

    def content_hash(self, log: Log) -> str:
        """Hash the texts."""
        texts = [log.question, log.response, *(document.text for document in log.documents)]
        return hashlib.sha256(repr(texts).encode()).hexdigest()

    def estimate(self, log: Log) -> Usage:
        """One answer of the least length that the settings allow to be set."""
        return Usage(100, 4_000)

    def judge(self, log: Log, logged_at: datetime) -> Judged:
        """Take the kept answer, or make one call."""
        content_hash = self.content_hash(log)
        kept = self.account.kept(content_hash)
        if kept is not None:
            return Judged(content_hash, kept["annotation"], None, 0, 1)
        request = Request(content_hash, LogPlace(log.log_id, logged_at), 100, 4_000)
        call_id = self.account.reserve(request, 1)
        if call_id is None:
            return Judged(content_hash, None, "budget", 0, 0)
        found = (self.nights.reply or good)(log)
        if isinstance(found, str):
            self.account.settle(call_id, request, found, None, None)
            return Judged(content_hash, None, found, 1, 0)
        self.account.settle(call_id, request, "answered", Usage(1, 1), {"annotation": found})
        return Judged(content_hash, found, None, 1, 0)


def good(log: Log) -> Annotation:
    """Everything is relevant, used and supported."""
    return annotated(log)


def bad(log: Log) -> Annotation:
    """No sentence is supported."""
    return annotated(log, supported=False)


def annotated(log: Log, *, supported: bool = True) -> Annotation:
    """Return an annotation of a log's sentences."""
    sentences = get_scorer("lexical").sentences(log)
    keys = tuple("abcdefghij"[: len(sentences.response)])
    counts = tuple(len(document) for document in sentences.documents)
    found = Annotation(counts, keys, unsupported_keys=() if supported else keys)
    every = found.document_sentence_keys
    return Annotation(counts, keys, every, every, found.unsupported_keys)


def use_judge(monkeypatch: pytest.MonkeyPatch, nights: FakeNights) -> None:
    """Let pipelines ask the judge in memory."""

    def make(name: str, pipeline: Pipeline) -> JudgeScorer:
        kind = HybridScorer if name == "hybrid" else JudgeScorer
        return kind(Desk(nights), get_scorer("lexical"), pipeline.settings.judge)

    monkeypatch.setattr("trace_pipeline.context.make_scorer", make)
