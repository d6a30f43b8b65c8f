"""The model of the scorer `nli`: does it tell what follows from a sentence from what does not."""

from __future__ import annotations

from collections.abc import Iterator

from trace_pipeline.context import Pipeline
from trace_pipeline.doctor.finding import Finding, advice, ok

_PART = "nli"


def check(pipeline: Pipeline) -> Iterator[Finding]:
    """Yield a finding where the scorer is used; that it can be loaded at all is known by then."""
    if not any(scorer.name == _PART for scorer in pipeline.scorers):
        return
    from trace_pipeline.nli.scorer import NliScorer

    for scorer in pipeline.scorers:
        if not isinstance(scorer, NliScorer):
            continue
        if scorer.model.tells_sense_from_nonsense():
            yield ok(
                _PART, "The model is there: by it a sentence follows from itself, an unrelated one does not."
            )
        else:
            yield advice(
                _PART,
                "By the model a sentence does not follow from itself, or an unrelated one does.",
                "Are the labels in config.json in the order of the outputs, and does the model know English?",
            )
