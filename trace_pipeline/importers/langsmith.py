"""Runs of a LangSmith export: a line each, or with their children inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trace_pipeline.importers.spans import Span
from trace_pipeline.importers.values import at_path, first_of

_KINDS = {"retriever": "retriever", "llm": "llm"}
_MAX_DEPTH = 30


def langsmith_spans(row: Any) -> list[Span]:
    """Return a run and its children as spans."""
    if not isinstance(row, Mapping) or not (row.get("id") or row.get("trace_id")):
        return []
    nested = isinstance(row.get("child_runs"), list) and bool(row["child_runs"])
    trace_id = str(row.get("trace_id") or row.get("id"))
    return list(_runs(row, trace_id, nested, 0))


def _runs(run: Mapping[str, Any], trace_id: str, whole: bool, depth: int) -> Iterator[Span]:
    kind = _KINDS.get(str(run.get("run_type") or run.get("type")).lower(), "")
    parent = run.get("parent_run_id") or run.get("parent_id")
    if not parent and not depth and (str(run.get("id") or trace_id) == trace_id):
        kind = "root"
    metadata = first_of(run, ("extra.metadata", "metadata")) or {}
    yield Span(
        trace_id,
        str(run.get("id") or ""),
        str(parent or (trace_id if depth else "")),
        kind,
        str(run.get("name") or ""),
        run.get("start_time"),
        run.get("inputs"),
        run.get("outputs"),
        run.get("outputs") if kind == "retriever" else None,
        run.get("error") or ("error" if run.get("status") == "error" else None),
        {
            "model": first_of(
                run,
                (
                    "extra.metadata.ls_model_name",
                    "extra.invocation_params.model",
                    "extra.invocation_params.model_name",
                ),
            ),
            "app_version": first_of(metadata, ("app_version", "revision_id", "version")),
            "prompt_version": at_path(metadata, "prompt_version"),
            "tenant": first_of(metadata, ("tenant", "tenant_id")),
            "language": at_path(metadata, "language"),
            "environment": first_of(metadata, ("environment", "env")),
        },
        {key: item for key, item in run.items() if key not in ("child_runs", "id", "trace_id")},
        whole and not depth,
    )
    children = run.get("child_runs")
    for child in children if isinstance(children, list) and depth < _MAX_DEPTH else []:
        if isinstance(child, Mapping):
            yield from _runs(child, trace_id, whole, depth + 1)
