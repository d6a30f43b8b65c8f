"""Spans of OpenTelemetry in the forms they are stored in: OTLP JSON, an SDK's lines, tables of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trace_pipeline.importers.literals import looks_written, read_literal
from trace_pipeline.importers.values import nested

_STARTS = (
    "startTimeUnixNano start_time_unix_nano start_time startTime start_timestamp startTimestamp timestamp"
).split()


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
    # TruLens' table of events has `trace`, `record_attributes` and `start_timestamp`, also as JSON texts.
    context = _object(_read(row.get("context", row.get("trace"))))
    trace_id = _first(row, "traceId", "trace_id", "context.trace_id") or context.get("trace_id")
    flat = dict(_attributes(_read(row.get("attributes", row.get("record_attributes")))))
    flat |= {
        key.removeprefix("attributes."): item
        for key, item in row.items()
        if key.startswith("attributes.") and item is not None
    }
    if not trace_id or not (flat or {"attributes", "context.trace_id"} & set(row)):
        return
    messages: dict[str, list[Any]] = {}
    for event in _listed(_read(row.get("events"))):
        _take_event(_object(event), flat, messages)
    flat = {**messages, **flat}
    status = _object(row.get("status"))
    code = _first(status, "code", "status_code") or row.get("status_code")
    failed = str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR")
    yield OtelSpan(
        str(trace_id),
        str(_first(row, "spanId", "span_id", "context.span_id") or context.get("span_id") or ""),
        str(_first({**context, **row}, "parentSpanId", "parent_span_id", "parent_id") or ""),
        str(row.get("name") or ""),
        _first(row, *_STARTS),
        (status.get("message") or status.get("description") or "error") if failed else None,
        nested(flat),
        flat,
        resource,
    )


def _take_event(event: Mapping[str, Any], flat: dict[str, Any], messages: dict[str, list[Any]]) -> None:
    """Add an event's attributes; OTel's former events of single messages become the two lists of messages."""
    attributes = {**_attributes(_read(event.get("attributes"))), **_object(_typed(event.get("body")))}
    name = str(event.get("name") or event.get("eventName") or attributes.get("event.name"))
    told = _read(attributes.get("gen_ai.event.content"))
    message = {**attributes, **_object(told)}
    if name == "gen_ai.choice":
        inner = _read(message.get("message"))
        inner = inner if isinstance(inner, Mapping) else {"content": inner or message.get("content")}
        messages.setdefault("gen_ai.output.messages", []).append({"role": "assistant", **inner})
    elif name.startswith("gen_ai.") and name.endswith(".message"):
        said = {"role": name.split(".")[1], "content": message.get("content")}
        messages.setdefault("gen_ai.input.messages", []).append(said)
    else:
        for key, item in attributes.items():
            flat.setdefault(key, item)


def _read(value: Any) -> Any:
    """Open an object or a list that a database or a CSV file holds as text."""
    if isinstance(value, str) and looks_written(value):
        try:
            return read_literal(value)
        except ValueError:
            return value
    return value


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
