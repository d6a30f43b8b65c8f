"""Fakes of the parts that tests need to hold still: scorers and channels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from trace_core.errors import TemporaryFault
from trace_core.records import Log
from trace_core.scorers import Evaluation
from trace_pipeline.alerts import AlertMessage


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
    monkeypatch.setattr("trace_pipeline.steps.send_alerts.make_channel", lambda target: channel)
