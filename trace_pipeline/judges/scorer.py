"""The scorers `judge` and `hybrid`: which logs need no call, and what is stored of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from trace_core.digests import digest
from trace_core.metrics.scores import score_annotation
from trace_core.records import Log
from trace_core.scorers import Evaluation, Scorer
from trace_core.scorers.base import JSON, LogSentences, Status
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.contracts import Judged
from trace_pipeline.judges.desk import Desk
from trace_pipeline.judges.preparing import DueLogs, JudgedBatch, prepare

#: Raise it when a rule of this module changes a value.
_RULES: Final = "judge-scorer-1"


class JudgeScorer:
    """Asks a judge about a sample of the logs, those that the cheap scorer doubts with a larger chance.

    Settled without a call: an empty response is skipped; of a refusal (setting `judge.settle_refusals`) and
    of a log without document sentences the cheap scorer's annotation is taken.
    """

    name = "judge"

    def __init__(self, desk: Desk, cheap: Scorer, settings: JudgeSettings) -> None:
        self.desk = desk
        self.cheap = cheap
        self.settings = settings
        # The cheap scorer is in it: what is settled by rule has its values.
        self.parameters: Mapping[str, JSON] = {
            "rules": _RULES,
            "judge": dict(desk.parameters),
            "settle_refusals": settings.settle_refusals,
            cheap.name: cheap.fingerprint,
            **self._own_parameters(),
        }
        self.fingerprint = digest(self.name, dict(self.parameters))

    def _own_parameters(self) -> Mapping[str, JSON]:
        return {}

    @property
    def answers(self) -> str:
        """The fingerprint under which the judge's answers are kept; scorers that ask alike share it."""
        return self.desk.fingerprint

    @property
    def rate(self) -> float:
        """Share of the logs that are the judge's turn which it is asked about, the budget permitting."""
        return self.settings.sampling_rate

    def prepare(self, due: DueLogs, night: date, share: float) -> JudgedBatch:
        """Ask about the drawn logs of a batch; returns the scorer of that batch, which knows the answers.

        night: whose budget is spent. share: the part of it, in (0, 1], that this batch may plan with.
        """
        return prepare(self, due, night, share)

    def settle(self, lexical: Evaluation) -> Evaluation | None:
        """Return the evaluation of a log that needs no judge; None when it is the judge's turn."""
        if lexical.status == "skipped":
            return self._by_rule(lexical)
        if lexical.status == "scored" and self._is_by_rule(lexical):
            # The probability is the cheap scorer's, and means nothing beside verdicts of the judge.
            return replace(self._by_rule(lexical), adherence_probability=None)
        return None

    def _is_by_rule(self, lexical: Evaluation) -> bool:
        refuses = lexical.response_kind == "refusal" and self.settings.settle_refusals
        annotation = lexical.annotation
        return refuses or (annotation is not None and not annotation.document_sentence_count)

    def _by_rule(self, lexical: Evaluation) -> Evaluation:
        return replace(lexical, fingerprint=self.fingerprint, decided_by="rule")

    def evaluation(self, lexical: Evaluation, judged: Judged | None, probability: float) -> Evaluation:
        """Return the evaluation of a log that is the judge's turn; judged None: it was not drawn."""
        log_id, kind = lexical.log_id, lexical.response_kind
        if judged is None:
            found = Evaluation.unscored(log_id, "sampled_out", "sampling", kind, self.fingerprint)
        elif judged.annotation is not None:
            scores = score_annotation(judged.annotation)
            found = Evaluation.scored(log_id, kind, scores, judged.annotation, self.fingerprint)
        else:
            reason = judged.reason or "judge_invalid_answer"
            status: Status = "sampled_out" if reason == "budget" else "failed"
            found = Evaluation.unscored(log_id, status, reason, kind, self.fingerprint)
        return replace(
            found,
            decided_by="judge",
            inclusion_probability=probability,
            content_hash=judged.content_hash if judged else None,
        )

    def score(self, log: Log) -> Evaluation:
        """Score a log without a night: what is the judge's turn waits for a budget."""
        lexical = self.cheap.score(log)
        unasked = Judged("", None, "budget", 0, 0)
        return self.settle(lexical) or replace(self.evaluation(lexical, unasked, 1.0), content_hash=None)

    def sentences(self, log: Log) -> LogSentences:
        """The sentences as the cheap scorer has them."""
        return self.cheap.sentences(log)

    def score_many(self, logs: Iterable[Log]) -> Iterator[Evaluation]:
        """Score a stream in its order, without a night."""
        return map(self.score, logs)


class HybridScorer(JudgeScorer):
    """Scores every log by the cheap scorer, and asks a judge about those whose probability is in a band."""

    name = "hybrid"

    def _own_parameters(self) -> Mapping[str, JSON]:
        return {"doubt_low": self.settings.doubt_low, "doubt_high": self.settings.doubt_high}

    @property
    def rate(self) -> float:
        """All that is doubtful, the budget permitting."""
        return 1.0

    def settle(self, lexical: Evaluation) -> Evaluation | None:
        """Keep what the cheap scorer is sure of, exactly as it is."""
        chance = lexical.adherence_probability
        is_doubtful = (
            lexical.status == "scored"
            and chance is not None
            and self.settings.doubt_low <= chance <= self.settings.doubt_high
        )
        if not is_doubtful:
            return replace(lexical, fingerprint=self.fingerprint, decided_by="lexical")
        return self._by_rule(lexical) if self._is_by_rule(lexical) else None
