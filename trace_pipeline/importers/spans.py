"""Spans that belong together become one row: joined by trace id within a bounded window."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from trace_pipeline.importers.documents import listed
from trace_pipeline.importers.outcomes import Place, Raw, Refused
from trace_pipeline.importers.values import at_path, weight

_OPEN_CHARACTERS: Final = 64_000_000
_NOTHING: Final[tuple[Any, ...]] = (None, "", "null", {}, [])
_SEARCHES: Final = ("retriever", "reranker")  # what they give is no answer
_REMEMBERED: Final = 200_000


@dataclass(frozen=True, slots=True)
class Span:
    """One step of an answer. `kind`: retriever, reranker, llm, root, or empty for everything else."""

    trace_id: str
    span_id: str = ""
    parent_id: str = ""
    kind: str = ""
    name: str = ""
    started: Any = None
    input: Any = None
    output: Any = None
    documents: Any = None
    error: Any = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    row: Mapping[str, Any] = field(default_factory=dict)
    whole: bool = False  # nothing of this trace stands elsewhere


class Joiner:
    """Holds the spans of up to `window` traces; a trace is done when it is the one untouched for longest."""

    def __init__(self, spans_of: Callable[[Any], list[Span]], window: int) -> None:
        self._spans_of, self._window = spans_of, window
        self._open: OrderedDict[str, tuple[list[Span], Place, int]] = OrderedDict()
        self._closed: OrderedDict[str, None] = OrderedDict()
        self._characters = 0

    def join(self, rows: Iterable[Raw | Refused]) -> Iterator[Raw | Refused]:
        """Yield a row a trace, under the place of its first span, and the refusals that came in."""
        for raw in rows:
            if isinstance(raw, Refused):
                yield raw
                continue
            spans = self._spans_of(raw.value)
            if not spans:
                yield Refused(raw.place, "unknown_format", "the row is no span, trace or run of this format")
            for trace_id in dict.fromkeys(span.trace_id for span in spans):
                yield from self._take(
                    trace_id, [span for span in spans if span.trace_id == trace_id], raw.place
                )
        while self._open:
            yield self._close()

    def _take(self, trace_id: str, spans: list[Span], place: Place) -> Iterator[Raw | Refused]:
        if trace_id in self._closed:
            yield Refused(
                place, "trace_out_of_window", f"more than {self._window:,} traces after its first span"
            )
            return
        known, first, size = self._open.pop(trace_id, ([], place, 0))
        grown = sum(weight(span.row) for span in spans)
        self._characters += grown
        self._open[trace_id] = ([*known, *spans], first, size + grown)
        if any(span.whole for span in spans):
            self._open.move_to_end(trace_id, last=False)
            yield self._close()
        while len(self._open) > self._window or (self._characters > _OPEN_CHARACTERS and self._open):
            yield self._close()

    def _close(self) -> Raw:
        trace_id, (spans, place, size) = self._open.popitem(last=False)
        self._characters -= size
        self._closed[trace_id] = None
        if len(self._closed) > _REMEMBERED:
            self._closed.popitem(last=False)
        return Raw(place, trace_row(spans))


def trace_row(spans: list[Span]) -> dict[str, Any]:
    """Return one row of a trace's spans: the root's question and answer, what was retrieved, and labels.

    A reranker's output stands for the documents where there is one: it is what the model was shown.
    The answer is the root's output, or that of the last call of a model.
    """
    ids = {span.span_id for span in spans}
    roots = [span for span in spans if span.kind == "root"] or [
        span for span in spans if not span.parent_id or span.parent_id not in ids
    ]
    root = next((span for span in roots if span.kind not in _SEARCHES), (roots or spans)[0])
    models = [span for span in spans if span.kind == "llm"]
    retrievers = [span for span in spans if span.documents is not None]
    rerankers = [span for span in retrievers if span.kind == "reranker"]
    output = (
        root.output
        if root.output not in _NOTHING and root.kind not in _SEARCHES
        else next((span.output for span in reversed(models) if span.output), None)
    )
    sources = [rerankers[-1]] if rerankers else retrievers
    question = next(
        (
            span.input
            for span in (root, *(span for span in retrievers), *models)
            if span.input not in _NOTHING
        ),
        None,
    )
    labels: dict[str, Any] = {}
    for span in (root, *models, *spans):
        labels = {**{k: v for k, v in span.labels.items() if v not in (None, "")}, **labels}
    return {
        **root.row,
        "log_id": root.trace_id,
        "logged_at": root.started
        if root.started is not None
        else next((s.started for s in spans if s.started is not None), None),
        "question": question,
        "response": output,
        "documents": _together([span.documents for span in sources]) if sources else _shown(root),
        "error": next((span.error for span in (root, *reversed(spans)) if span.error), None)
        if output in _NOTHING
        else None,
        "labels": labels,
        "spans": {span.name: span.row for span in spans if span.name},
    }


def _together(found: list[Any]) -> Any:
    """Put the documents of several retrievals into one list, each text or id once."""
    if len(found) == 1:
        return found[0]
    items: list[Any] = []
    for part in found:
        for item in listed(part) or []:
            if item not in items:
                items.append(item)
    return items


def _shown(root: Span) -> Any:
    """Return the documents that a chain gave out beside its answer, `{"answer": ..., "context": [...]}`."""
    return next(
        (
            found
            for name in ("context", "contexts", "source_documents", "documents", "retrieved_contexts")
            if isinstance(found := at_path(root.output, name), list) and found
        ),
        None,
    )
