"""The model of the scorer `nli`: does it make sense, and is it fast enough for the batches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trace_pipeline.context import Pipeline
from trace_pipeline.doctor.finding import Finding, advice, ok

if TYPE_CHECKING:
    from trace_pipeline.nli.model import NliModel

_PART: Final = "nli"
#: Sentences of a response that is thought of; a longer one takes longer.
_SENTENCES: Final = 5
#: Minutes that the task of a batch has, and those that it should take at most.
_TASK_MINUTES: Final = 60
_GOOD_MINUTES: Final = 30
_TRIED: Final = (
    "The goods that were sent on the third of May reached the shop on Monday, and it sold all of them {}."
)


def check(pipeline: Pipeline) -> Iterator[Finding]:
    """Yield findings where the scorer is used; that its model can be loaded is known by then."""
    if not any(scorer.name == _PART for scorer in pipeline.scorers):
        return
    from trace_pipeline.nli.scorer import NliScorer

    for scorer in pipeline.scorers:
        if isinstance(scorer, NliScorer):
            yield _sense(scorer.model)
            yield from _speed(scorer.model, pipeline)


def _sense(model: NliModel) -> Finding:
    if model.tells_sense_from_nonsense():
        return ok(_PART, "By the model a sentence follows from itself, and an unrelated one does not.")
    return advice(
        _PART,
        "By the model a sentence does not follow from itself, or an unrelated one does.",
        "Are the labels in config.json in the order of the outputs, and does the model know English?",
    )


def _speed(model: NliModel, pipeline: Pipeline) -> Iterator[Finding]:
    rate, rows = pairs_per_second(model), pipeline.settings.batch_rows
    a_log = _SENTENCES * (pipeline.settings.nli.sentence_pairs + 1) / rate / 60  # minutes
    if a_log * rows > _GOOD_MINUTES:
        yield advice(
            _PART,
            f"At {rate:,.0f} pairs a second, as here just now, a batch of {rows:,} logs of {_SENTENCES} "
            f"sentences takes {a_log * rows:,.0f} minutes; its task has {_TASK_MINUTES}.",
            f"Lower batch_rows to {max(1, int(_GOOD_MINUTES / a_log)):,}, or take a smaller model.",
        )


def pairs_per_second(model: NliModel) -> float:
    """Measure the pairs of sentences of some twenty words that the model judges in a second, here and now."""
    from trace_pipeline.nli.pairs import Pair

    pairs = [Pair(_TRIED.format("today"), _TRIED.format(i)) for i in range(8)]
    begin = time.perf_counter()
    model.judge(pairs)
    return len(pairs) / max(time.perf_counter() - begin, 1e-6)
