"""Exports as the tools write them today: the shapes that differ from each format's plain row."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tests.unit.importers.test_formats import otlp
from tests.unit.importers.tools import TEXT, imported, refused

Q, A, SECOND = "How long does a refund take?", "Five working days.", "Contact billing for help."
DOCS = [{"page_content": TEXT, "metadata": {}}, {"page_content": SECOND, "metadata": {}}]
AT_TEXT = "2026-11-20T10:00:00.000000"
TRACE = {"id": "t", "timestamp": AT_TEXT, "input": Q, "output": A}
FOUND = {"id": "o1", "traceId": "t", "type": "RETRIEVER", "name": "search", "output": DOCS}
SAID = {"id": "o2", "traceId": "t", "type": "GENERATION", "name": "llm", "output": {"content": A}}
ROOT_RUN = {"id": "r", "trace_id": "r", "run_type": "chain", "start_time": AT_TEXT, "inputs": {"input": Q}}
SEARCH_RUN = {
    "id": "s",
    "trace_id": "r",
    "run_type": "retriever",
    "parent_run_id": "r",
    "start_time": AT_TEXT,
}


def blob(row: dict[str, Any], parent: str | None, **more: Any) -> dict[str, Any]:
    """Return an observation as Langfuse's export to blob storage writes it: payloads as JSON texts."""
    return {
        "trace_id": "t",
        "id": row["id"],
        "type": row["type"],
        "name": row.get("name", ""),
        "start_time": "2026-11-20 10:00:00.000000",
        "parent_observation_id": parent,
        "input": json.dumps(row.get("input")),
        "output": json.dumps(row.get("output")),
        **more,
    }


def span(number: str, parent: str, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a span in OTLP's form."""
    return {
        "traceId": "t",
        "spanId": number,
        "parentSpanId": parent,
        "name": number,
        "startTimeUnixNano": "1795168800000000000",
        "attributes": otlp(attributes),
        **more,
    }


def traced(*spans: dict[str, Any]) -> dict[str, Any]:
    """Return spans as an OTLP file."""
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def a_csv(*rows: dict[str, Any]) -> str:
    """Return rows as CSV; values that are no texts as JSON."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow({k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()})
    return file.getvalue()


RETRIEVAL = span(
    "b",
    "a",
    {
        "gen_ai.retrieval.documents": json.dumps(
            [{"id": "1", "content": TEXT}, {"id": "2", "content": SECOND}]
        )
    },
)
USER = {"name": "gen_ai.user.message", "attributes": otlp({"content": Q})}
CHOICE = {"name": "gen_ai.choice", "attributes": otlp({"message": json.dumps({"content": A})})}
WRAPPED = [
    {"name": "gen_ai.user.message", "attributes": otlp({"gen_ai.event.content": json.dumps({"content": Q})})},
    {
        "name": "gen_ai.choice",
        "attributes": otlp({"gen_ai.event.content": json.dumps({"message": {"content": A}})}),
    },
]
PHOENIX = [
    {"context.span_id": "a", "context.trace_id": "t", "parent_id": None, "start_time": AT_TEXT + "Z"},
    {
        "context.span_id": "b",
        "context.trace_id": "t",
        "parent_id": "a",
        "attributes.openinference.span.kind": "RETRIEVER",
        "attributes.retrieval.documents": [{"document.content": TEXT}, {"document.content": SECOND}],
    },
    {
        "context.span_id": "c",
        "context.trace_id": "t",
        "parent_id": "a",
        "attributes.openinference.span.kind": "LLM",
        "attributes.llm.input_messages": [{"message.role": "user", "message.content": Q}],
        "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": A}],
    },
]
EVENTS = [
    {
        "trace": {"trace_id": "t", "span_id": "a", "parent_id": ""},
        "start_timestamp": "2026-11-20 10:00:00",
        "record_attributes": {
            "ai.observability.span_type": "record_root",
            "ai.observability.record_id": "r",
            "ai.observability.record_root.input": Q,
            "ai.observability.record_root.output": A,
        },
    },
    {
        "trace": {"trace_id": "t", "span_id": "b", "parent_id": "a"},
        "start_timestamp": "2026-11-20 10:00:00",
        "record_attributes": {
            "ai.observability.record_id": "r",
            "ai.observability.retrieval.retrieved_contexts": [TEXT, SECOND],
        },
    },
]
CALLS = {"calls": [{"stack": [{"method": {"name": "retrieve"}}], "rets": [TEXT, SECOND]}]}
RAGAS = {"user_input": Q, "retrieved_contexts": [TEXT, SECOND], "response": A}
CASE = {"input": Q, "actualOutput": A, "retrievalContext": [TEXT, SECOND]}
FAILED = {**SAID, "output": None, "level": "ERROR"}
CALLING = {
    "gen_ai.input.messages": json.dumps([{"role": "user", "content": Q}]),
    "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "tool_call"}]}]),
}
EXPORTS: dict[str, Any] = {
    "langfuse payloads as texts": [
        {**TRACE, "output": json.dumps(A), "observations": json.dumps([FOUND, SAID])}
    ],
    "langfuse decorated function": [{**TRACE, "input": {"args": [Q], "kwargs": {}}, "observations": [FOUND]}],
    "langfuse blob storage": [
        blob(FOUND, "o0"),
        blob(SAID, "o0"),
        blob({"id": "o0", "type": "CHAIN", "input": {"question": Q}, "output": A}, None),
    ],
    "langfuse blob storage as CSV": a_csv(
        blob(FOUND, "o0"), blob({"id": "o0", "type": "SPAN", "input": Q, "output": A}, "")
    ),
    "langfuse search by a tool": [
        {**TRACE, "observations": [{**FOUND, "type": "TOOL", "name": "vector_search"}]}
    ],
    "langfuse observations without a root": [blob({**FOUND, "input": {"query": Q}}, ""), blob(SAID, "")],
    "langsmith columns as texts": a_csv(
        {**ROOT_RUN, "inputs": {"input": Q}, "outputs": {"output": A}, "parent_run_id": ""},
        {**ROOT_RUN, **SEARCH_RUN, "inputs": {}, "outputs": {"documents": DOCS}},
    ),
    "langsmith chain that gives its context": [{**ROOT_RUN, "outputs": {"context": DOCS, "answer": A}}],
    "langsmith two retrievers": [
        {**ROOT_RUN, "outputs": {"output": A}},
        {**SEARCH_RUN, "outputs": {"documents": DOCS}},
        {**SEARCH_RUN, "id": "s2", "outputs": {"documents": DOCS[:1]}},
    ],
    "phoenix dataframe": PHOENIX,
    "phoenix dataframe by index": {row["context.span_id"]: row for row in PHOENIX},
    "phoenix attributes as texts": [
        {
            "trace_id": "t",
            "span_id": "a",
            "start_time": AT_TEXT + "Z",
            "attributes": json.dumps({"input": {"value": Q}, "output": {"value": A}}),
        },
        {
            "trace_id": "t",
            "span_id": "b",
            "parent_id": "a",
            "attributes": json.dumps(
                {"retrieval": {"documents": [{"document": {"content": t}} for t in (TEXT, SECOND)]}}
            ),
        },
    ],
    "otel events of single messages": traced(
        span("a", "", {"gen_ai.operation.name": "chat"}, events=[USER, CHOICE]), RETRIEVAL
    ),
    "otel events with content": traced(
        span("a", "", {"gen_ai.operation.name": "chat"}, events=WRAPPED), RETRIEVAL
    ),
    "openllmetry workflow": traced(
        span(
            "a",
            "",
            {
                "traceloop.entity.input": json.dumps({"args": [Q], "kwargs": {}}),
                "traceloop.entity.output": json.dumps(A),
            },
        ),
        RETRIEVAL,
    ),
    "trulens events": EVENTS,
    "trulens events as CSV": a_csv(*EVENTS),
    "trulens recorded calls": [
        {
            "record_id": "r",
            "app_id": "a",
            "input": Q,
            "output": json.dumps(A),
            "ts": AT_TEXT,
            "record_json": json.dumps(CALLS),
        }
    ],
    "deepeval folder of runs": {"testRunData": {"testFile": None, "testCases": [CASE]}, "testRunLink": None},
    "deepeval result": {
        "test_results": [{"input": Q, "actual_output": A, "retrieval_context": [TEXT, SECOND]}],
        "confident_link": None,
    },
    "ragas by index": {"7": RAGAS},
    "ragas split": {"columns": list(RAGAS), "index": [0], "data": [list(RAGAS.values())]},
    "ragas table": {"schema": {"fields": []}, "data": [{"index": 0, **RAGAS}]},
    "ragas conversation": [
        {
            "user_input": [{"type": "human", "content": Q}, {"type": "ai", "content": A}],
            "retrieved_contexts": [TEXT, SECOND],
        }
    ],
    "ragas headers for people": a_csv(
        {"User Input": Q, "Retrieved Contexts": str([TEXT, SECOND]), "Response": A}
    ),
    "hugging face viewer": {"features": [], "rows": [{"row_idx": 0, "row": RAGAS, "truncated_cells": []}]},
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_gives_its_log(name: str) -> None:
    """Question, both documents and the answer, guessed without a format."""
    (row,) = imported(EXPORTS[name])
    found = [item if isinstance(item, str) else item["text"] for item in row["documents"]]
    assert (row["question"], found, row["response"]) == (Q, [TEXT, SECOND], A)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([{**TRACE, "observations": [SAID]}], "documents_missing"),
        ([{**TRACE, "output": None, "observations": [FAILED]}], "provider_error"),
        (traced(span("a", "", CALLING), RETRIEVAL), "response_not_text"),
    ],
)
def test_a_trace_without_answer_or_documents_says_so(content: Any, reason: str) -> None:
    """An observation's error counts for the trace; a call of a tool is no answer."""
    assert refused(content) == [(1, reason)]
