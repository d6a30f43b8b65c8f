"""Which results become `gen_ai.evaluation.result` events, and what such an event says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from trace_core.aggregates import METRICS
from trace_core.scorers import Evaluation

Which = Literal["findings", "all", "none"]

_MAX_KEYS = 20


@dataclass(frozen=True, slots=True)
class EvaluationEvent:
    """One metric of one evaluated answer. `score` in [0, 1]; no field holds text of a log but its id."""

    name: str
    response_id: str
    scorer: str
    fingerprint: str
    logged_at: datetime
    score: float | None = None
    label: str | None = None
    explanation: str | None = None
    error: str | None = None


def events_of(
    evaluation: Evaluation, scorer: str, logged_at: datetime, which: Which
) -> Iterator[EvaluationEvent]:
    """Yield the events of one evaluation.

    `findings`: the answers that need a look, which are those with an unsupported sentence and those on which
    the scorer broke. `all`: each metric of each scored answer, undefined ones without a score.
    """
    common = (evaluation.log_id, scorer, evaluation.fingerprint, logged_at)
    if which == "none":
        return
    if evaluation.status == "failed":
        yield EvaluationEvent("adherence", *common, error=evaluation.reason)
    elif evaluation.status == "scored":
        for metric in METRICS if which == "all" else ("adherence",):
            score: float | None = getattr(evaluation, metric)
            if score is None:
                if which == "all":
                    reason = evaluation.undefined.get(metric, "unknown")
                    yield EvaluationEvent(metric, *common, label="undefined", explanation=reason)
            elif which == "all" or score < 1.0:
                label, explanation = _words(evaluation, score) if metric == "adherence" else (None, None)
                yield EvaluationEvent(metric, *common, score=score, label=label, explanation=explanation)


def _words(evaluation: Evaluation, score: float) -> tuple[str, str | None]:
    if score >= 1.0:
        return "supported", None
    # Keys, not sentences: the reasons that a scorer stores name words of the answer.
    keys = evaluation.annotation.unsupported_keys if evaluation.annotation else ()
    named = ", ".join(keys[:_MAX_KEYS]) + (", ..." if len(keys) > _MAX_KEYS else "")
    return "unsupported", f"unsupported sentences: {named}" if keys else None
