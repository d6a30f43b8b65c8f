"""What a batch tells: how long it took, and the results worth an event, after its transaction has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from time import monotonic

from trace_core.scorers import Evaluation
from trace_pipeline.settings import Settings
from trace_pipeline.telemetry.endpoint import endpoint_of
from trace_pipeline.telemetry.events import EvaluationEvent, events_of
from trace_pipeline.telemetry.measures import Measure


class BatchTelemetry:
    """Keeps the events of a batch, at most `max_events`; without an endpoint it keeps nothing."""

    def __init__(self, settings: Settings) -> None:
        self.endpoint = endpoint_of(settings)
        self.events: list[EvaluationEvent] = []
        self.left_out = 0
        self.logs = 0
        self._settings = settings.telemetry

    def watch(
        self, scorer: str, moments: Iterable[datetime], evaluations: Iterator[Evaluation]
    ) -> Iterator[Evaluation]:
        """Yield the evaluations as they come; `moments` are their logs' times, in the same order."""
        if self.endpoint is None or self._settings.events == "none":
            yield from evaluations
            return
        for moment, evaluation in zip(moments, evaluations, strict=True):
            for event in events_of(evaluation, scorer, moment, self._settings.events):
                if len(self.events) < self._settings.max_events:
                    self.events.append(event)
                else:
                    self.left_out += 1
            yield evaluation


@contextmanager
def batch_telemetry(settings: Settings) -> Iterator[BatchTelemetry]:
    """Time what is inside and tell of it afterwards; of a batch that failed only that: nothing was stored.

    Never raises for a fault of the endpoint; ConfigurationError when it is outside of the air gap.
    """
    batch = BatchTelemetry(settings)
    begun = monotonic()
    error: str | None = None
    try:
        yield batch
    except Exception as fault:
        error = type(fault).__name__
        raise
    finally:
        if batch.endpoint is not None:
            _tell(batch, max(monotonic() - begun, 1e-6), error)


def _tell(batch: BatchTelemetry, seconds: float, error: str | None) -> None:
    from trace_pipeline.telemetry.sender import send

    attributes = {"error.type": error} if error else {}
    measures = [Measure("rag_quality.batch.duration", seconds, attributes)]
    if error is None:
        measures.append(Measure("rag_quality.batch.logs", batch.logs))
        measures.append(Measure("rag_quality.batch.speed", batch.logs / seconds))
    events = [] if error else batch.events
    send(str(batch.endpoint), events, measures, left_out=0 if error else batch.left_out)
