"""Spans of OpenTelemetry in the forms they are stored in: OTLP JSON, an SDK's lines, tables of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trace_pipeline.importers.values import nested


@dataclass(frozen=True, slots=True)
class OtelSpan:
    """A span with its attributes nested by their dots; those of its events come after its own."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    started: Any
    error: Any
    attributes: Mapping[str, Any]
    flat: Mapping[str, Any]
    resource: Mapping[str, Any]


def otel_spans(row: Any) -> Iterator[OtelSpan]:
    """Yield the spans of a row; nothing when it holds none."""
    if not isinstance(row, Mapping):
        return
    if "resourceSpans" in row or "resource_spans" in row:
        for group in _listed(row.get("resourceSpans", row.get("resource_spans"))):
            resource = _attributes(_object(_object(group).get("resource")).get("attributes"))
            for scope in _listed(_object(group).get("scopeSpans", _object(group).get("scope_spans"))):
                for span in _listed(_object(scope).get("spans")):
                    yield from _span(_object(span), resource)
        return
    yield from _span(row, _attributes(_object(row.get("resource")).get("attributes")))


def _span(row: Mapping[str, Any], resource: Mapping[str, Any]) -> Iterator[OtelSpan]:
    context = _object(row.get("context"))
    trace_id = _first(row, "traceId", "trace_id", "context.trace_id") or context.get("trace_id")
    flat = dict(_attributes(row.get("attributes")))
    flat |= {
        key.removeprefix("attributes."): item
        for key, item in row.items()
        if key.startswith("attributes.") and item is not None
    }
    if not trace_id or (not flat and "attributes" not in row):
        return
    for event in _listed(row.get("events")):
        for key, item in _attributes(_object(event).get("attributes")).items():
            flat.setdefault(key, item)
    status = _object(row.get("status"))
    code = _first(status, "code", "status_code") or row.get("status_code")
    failed = str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR")
    yield OtelSpan(
        str(trace_id),
        str(_first(row, "spanId", "span_id", "context.span_id") or context.get("span_id") or ""),
        str(_first(row, "parentSpanId", "parent_span_id", "parent_id") or ""),
        str(row.get("name") or ""),
        _first(row, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "timestamp"),
        (status.get("message") or status.get("description") or "error") if failed else None,
        nested(flat),
        flat,
        resource,
    )


def _attributes(value: Any) -> Mapping[str, Any]:
    """Return attributes as an object, whether they are one or OTLP's list of keys and typed values."""
    if isinstance(value, Mapping):
        return value
    return {
        str(_object(item).get("key")): _typed(_object(item).get("value"))
        for item in _listed(value)
        if _object(item).get("key")
    }


def _typed(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    for name, item in value.items():
        if name in (
            "stringValue",
            "string_value",
            "boolValue",
            "bool_value",
            "doubleValue",
            "double_value",
            "bytesValue",
        ):
            return item
        if name in ("intValue", "int_value"):
            return (
                int(item)
                if isinstance(item, str) and item.lstrip("-").isdecimal() and len(item) < 30
                else item
            )
        if name in ("arrayValue", "array_value"):
            return [_typed(part) for part in _listed(_object(item).get("values"))]
        if name in ("kvlistValue", "kvlist_value"):
            return dict(_attributes(_object(item).get("values")))
    return None if not value else dict(value)


def _first(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
