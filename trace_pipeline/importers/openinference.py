"""Spans with OpenInference's attributes, as Phoenix and its instrumentations write them."""

from __future__ import annotations

from typing import Any

from trace_pipeline.importers.otlp import otel_spans
from trace_pipeline.importers.spans import Span
from trace_pipeline.importers.values import at_path, first_of, nested

_KINDS = {"RETRIEVER": "retriever", "RERANKER": "reranker", "LLM": "llm"}


def openinference_spans(row: Any) -> list[Span]:
    """Return the spans of a row."""
    found = []
    for span in otel_spans(row):
        attributes = span.attributes
        kind = _KINDS.get(
            str(at_path(attributes, "openinference.span.kind") or at_path(row, "span_kind") or "").upper(), ""
        )
        documents = (
            at_path(attributes, "reranker.output_documents")
            if kind == "reranker"
            else at_path(attributes, "retrieval.documents")
        )
        if kind == "retriever" and documents is None:
            documents = first_of(attributes, ("output.value.documents", "output.value"))
        asked = first_of(attributes, ("input.value",))
        if asked is None:
            asked = _messages(at_path(attributes, "llm.input_messages"))
        answered = first_of(attributes, ("output.value",)) if kind != "llm" else None
        if answered is None:
            answered = _messages(at_path(attributes, "llm.output_messages")) or at_path(
                attributes, "output.value"
            )
        metadata = at_path(attributes, "metadata")
        found.append(
            Span(
                span.trace_id,
                span.span_id,
                span.parent_id,
                kind,
                span.name,
                span.started,
                asked,
                answered,
                documents,
                span.error,
                {
                    "model": at_path(attributes, "llm.model_name"),
                    "prompt_version": at_path(attributes, "llm.prompt_template.version"),
                    "app_version": first_of(
                        {"m": metadata, "r": dict(span.resource)},
                        ("m.app_version", "m.version", "r.service.version"),
                    ),
                    "tenant": at_path(metadata, "tenant") or at_path(metadata, "tenant_id"),
                    "language": at_path(metadata, "language"),
                    "environment": first_of(
                        dict(span.resource), ("deployment.environment.name", "deployment.environment")
                    ),
                },
                {
                    **attributes,
                    "name": span.name,
                    "metadata": metadata,
                    "session_id": at_path(attributes, "session.id"),
                    "user_id": at_path(attributes, "user.id"),
                },
            )
        )
    return found


def _messages(value: Any) -> Any:
    """Return messages without the wrapping key `message`."""
    if not isinstance(value, list):
        return value
    items = [nested(item) if isinstance(item, dict) else item for item in value]
    return [item.get("message", item) if isinstance(item, dict) else item for item in items]
