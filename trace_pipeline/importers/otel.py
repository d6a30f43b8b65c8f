"""Spans with OpenTelemetry's GenAI attributes."""

from __future__ import annotations

import json
from typing import Any

from trace_pipeline.importers.otlp import otel_spans
from trace_pipeline.importers.spans import Span
from trace_pipeline.importers.values import at_path, first_of

_TRACELOOP = "traceloop.entity."  # OpenLLMetry's name for what a function was given and gave
_MODELS = frozenset({"chat", "text_completion", "generate_content"})


def otel_genai_spans(row: Any) -> list[Span]:
    """Return the spans of a row. Of documents only ids and scores are promised: texts may be joined."""
    found = []
    for span in otel_spans(row):
        attributes = span.attributes
        operation = str(at_path(attributes, "gen_ai.operation.name") or "")
        documents = _opened(at_path(attributes, "gen_ai.retrieval.documents"))
        asked = first_of(
            attributes,
            ("gen_ai.retrieval.query.text", "gen_ai.input.messages", "gen_ai.prompt", _TRACELOOP + "input"),
        )
        answered = first_of(
            attributes, ("gen_ai.output.messages", "gen_ai.completion", _TRACELOOP + "output")
        )
        kind = (
            "retriever"
            if documents is not None or operation == "retrieval"
            else "llm"
            if operation in _MODELS
            else ""
        )
        found.append(
            Span(
                span.trace_id,
                span.span_id,
                span.parent_id,
                kind,
                span.name,
                span.started,
                _opened(asked),
                _opened(answered),
                documents,
                span.error,
                {
                    "model": first_of(attributes, ("gen_ai.response.model", "gen_ai.request.model")),
                    "app_version": span.resource.get("service.version"),
                    "environment": first_of(
                        dict(span.resource), ("deployment.environment.name", "deployment.environment")
                    ),
                    "tenant": first_of(span.flat, ("tenant", "tenant.id", "tenant_id")),
                },
                {
                    **attributes,
                    "name": span.name,
                    "response_id": at_path(attributes, "gen_ai.response.id"),
                    "conversation_id": at_path(attributes, "gen_ai.conversation.id"),
                    "data_source_id": at_path(attributes, "gen_ai.data_source.id"),
                },
            )
        )
    return found


def _opened(value: Any) -> Any:
    """Structured attributes are often stored as JSON texts."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
