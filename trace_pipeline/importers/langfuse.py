"""Traces and observations of a Langfuse export: nested in each other, or a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trace_pipeline.importers.literals import looks_written, read_literal
from trace_pipeline.importers.spans import Span

_KINDS = {"RETRIEVER": "retriever", "GENERATION": "llm", "RERANKER": "reranker"}
_RETRIEVING = ("retriev", "vector_search", "vectorstore", "similarity_search", "knowledge_base")


def langfuse_spans(row: Any) -> list[Span]:
    """Return a trace, an observation, or a trace with its observations, as spans."""
    if not isinstance(row, Mapping):
        return []
    owner = row.get("traceId") or row.get("trace_id")
    if owner:
        return [_observation(row, str(owner))]
    trace_id = row.get("id")
    if not isinstance(trace_id, str | int):
        return []
    inner = row.get("observations")
    if isinstance(inner, str) and looks_written(inner):
        try:
            inner = read_literal(inner)
        except ValueError:
            inner = None
    observations = [item for item in inner if isinstance(item, Mapping)] if isinstance(inner, list) else []
    trace = Span(
        str(trace_id),
        kind="root",
        name="trace",
        started=row.get("timestamp") or row.get("createdAt") or row.get("created_at"),
        input=row.get("input"),
        output=row.get("output"),
        error=row.get("error"),
        labels={**_labels(row), "app_version": row.get("release") or row.get("version")},
        row={key: item for key, item in row.items() if key not in ("observations", "id", "timestamp")},
        whole=bool(observations),
    )
    return [trace, *(_observation(item, str(trace_id)) for item in observations)]


def _observation(row: Mapping[str, Any], trace_id: str) -> Span:
    kind = _KINDS.get(str(row.get("type") or "").upper(), "")
    name = str(row.get("name") or "")
    if not kind and any(word in name.lower() for word in _RETRIEVING):
        kind = "retriever"  # exports older than the type RETRIEVER have plain spans; agents search by a tool
    version = row.get("promptVersion", row.get("prompt_version"))
    prompt = row.get("promptName") or row.get("prompt_name")
    return Span(
        trace_id,
        str(row.get("id") or ""),
        str(row.get("parentObservationId") or row.get("parent_observation_id") or trace_id),
        kind,
        name or str(row.get("id") or ""),
        row.get("startTime") or row.get("start_time"),
        row.get("input"),
        row.get("output"),
        row.get("output") if kind in ("retriever", "reranker") else None,
        row.get("statusMessage") or "error" if str(row.get("level")).upper() == "ERROR" else None,
        {
            **_labels(row),
            "prompt_version": f"{prompt}:{version}" if prompt and version is not None else version,
        },
        row,
    )


def _labels(row: Mapping[str, Any]) -> dict[str, Any]:
    metadata = row.get("metadata") if isinstance(row.get("metadata"), Mapping) else {}
    return {
        "model": row.get("model") or row.get("providedModelName"),
        "environment": row.get("environment"),
        "app_version": row.get("version"),
        **{name: metadata.get(name) for name in ("tenant", "language", "prompt_version") if metadata},
    }
