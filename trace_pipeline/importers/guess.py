"""The format of a file, guessed from the names in its first rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trace_pipeline.importers.otlp import otel_spans


def guess_format(values: Iterable[Any]) -> str | None:
    """Return the format that most rows have the fields of; None when none fits."""
    votes: dict[str, int] = {}
    for value in values:
        found = _format_of(value)
        if found:
            votes[found] = votes.get(found, 0) + 1
    return max(votes, key=lambda name: votes[name]) if votes else None


def _format_of(row: Any) -> str | None:
    if not isinstance(row, Mapping):
        return None
    spans = list(otel_spans(row))
    if spans:
        return _of_attributes({key for span in spans for key in _prefixes(span.attributes)})
    names = set(row)
    if any(str(name).startswith("ai.observability.") for name in names):
        return "trulens"
    for fits, name in (
        ({"documents_sentences", "response_sentences"} <= names, "ragbench"),
        ("run_type" in names or {"inputs", "outputs"} <= names, "langsmith"),
        (bool({"traceId", "observations", "parentObservationId"} & names), "langfuse"),
        (
            bool({"actual_output", "actualOutput", "retrieval_context", "retrievalContext"} & names),
            "deepeval",
        ),
        ({"query", "retrieved_context"} <= names or "gt_answer" in names, "ragchecker"),
        (bool({"user_input", "retrieved_contexts"} & names), "ragas"),
        ("question" in names and bool({"contexts", "answer"} & names), "ragas"),
        ({"question", "response"} <= names, "native"),
        ("log_id" in names, "native"),
        ({"input", "output"} <= names and bool({"contexts", "app_id", "record_id"} & names), "trulens"),
        ({"id", "input", "output"} <= names, "langfuse"),
    ):
        if fits:
            return name
    return None


def _prefixes(attributes: Mapping[str, Any]) -> set[str]:
    found = set(attributes)
    if isinstance(attributes.get("ai"), Mapping):
        found |= {f"ai.{name}" for name in attributes["ai"]}
    return found


def _of_attributes(names: set[str]) -> str | None:
    if names & {"openinference", "retrieval", "reranker"} or (
        {"input", "output", "llm"} & names and "gen_ai" not in names
    ):
        return "openinference"
    if "gen_ai" in names:
        return "otel"
    return "trulens" if "ai.observability" in names else None
