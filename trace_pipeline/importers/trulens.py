"""Spans of TruLens, joined by record id: record_root holds question and answer, retrieval the documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trace_pipeline.importers.otlp import otel_spans
from trace_pipeline.importers.spans import Span
from trace_pipeline.importers.values import at_path, first_of

_PREFIX = "ai.observability."


def trulens_spans(row: Any) -> list[Span]:
    """Return the spans of a row."""
    found = []
    for span in otel_spans(row):
        attributes = span.attributes
        kind = at_path(attributes, _PREFIX + "span_type")
        documents = at_path(attributes, _PREFIX + "retrieval.retrieved_contexts")
        root = kind == "record_root" or at_path(attributes, _PREFIX + "record_root.input") is not None
        found.append(
            Span(
                str(at_path(attributes, _PREFIX + "record_id") or span.trace_id),
                span.span_id,
                span.parent_id,
                "root" if root else "retriever" if documents is not None else "",
                span.name,
                span.started,
                at_path(attributes, _PREFIX + "record_root.input"),
                at_path(attributes, _PREFIX + "record_root.output"),
                documents,
                at_path(attributes, _PREFIX + "record_root.error") or span.error,
                {
                    "app_version": at_path(attributes, _PREFIX + "app_version"),
                    "model": first_of(attributes, (_PREFIX + "cost.model", "gen_ai.request.model")),
                },
                {
                    "name": span.name,
                    "app_name": at_path(attributes, _PREFIX + "app_name"),
                    "ground_truth": at_path(attributes, _PREFIX + "record_root.ground_truth_output"),
                },
            )
        )
    return found


def are_trulens_spans(row: Any) -> bool:
    """Is this row a span, and not a flat record?"""
    return isinstance(row, Mapping) and any(True for _ in otel_spans(row))


def recorded_contexts(row: Mapping[str, Any]) -> Any:
    """Return what the retrieving call gave back, where a release before 2.0 recorded it; else None."""
    calls = at_path(row, "record_json.calls")
    for call in calls if isinstance(calls, list) else []:
        path = at_path(call, "stack.-1.path")
        called = f"{at_path(call, 'stack.-1.method.name')} {path}".lower()
        given = at_path(call, "rets")
        if isinstance(given, list) and given and any(word in called for word in ("retriev", "context")):
            return given
    return None
