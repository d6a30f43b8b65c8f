"""Each format lands in the same columns, guessed or named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.importers.tools import AT, TEXT, imported, refused

Q, A = "How long does a refund take?", "Five working days."
FLAT: dict[str, dict[str, Any]] = {
    "native": {"log_id": "7", "question": Q, "documents": [TEXT], "response": A, "logged_at": AT.isoformat()},
    "ragas": {"user_input": Q, "retrieved_contexts": [TEXT], "response": A, "reference": "5 days"},
    "ragas 0.1": {"question": Q, "contexts": [TEXT], "answer": A, "ground_truths": ["5 days"]},
    "deepeval": {"input": Q, "retrieval_context": [TEXT], "actual_output": A, "expected_output": "5 days"},
    "ragchecker": {
        "query_id": "7",
        "query": Q,
        "retrieved_context": [{"doc_id": "d", "text": TEXT}],
        "response": A,
        "gt_answer": "5 days",
    },
    "trulens": {
        "ai.observability.record_root.input": Q,
        "ai.observability.retrieval.retrieved_contexts": [TEXT],
        "ai.observability.record_root.output": A,
        "ai.observability.app_version": "2.0",
    },
    "ragbench": {
        "id": "7",
        "dataset_name": "covidqa",
        "question": Q,
        "documents": [TEXT],
        "documents_sentences": [[["0a", TEXT]]],
        "response": A,
        "response_sentences": [["a", A]],
    },
}


def texts(row: dict[str, Any]) -> list[str]:
    """Return the texts of a row's documents."""
    return [item if isinstance(item, str) else item["text"] for item in row["documents"]]


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("guessed", [True, False])
def test_a_flat_row_lands_in_the_columns(name: str, guessed: bool) -> None:
    """Question, documents and response have the right text, whether the format is named or guessed."""
    options = {} if guessed else {"format": name.split()[0]}
    (row,) = imported([FLAT[name]], **options)
    assert (row["question"], texts(row), row["response"]) == (Q, [TEXT], A)
    assert row["ground_truth"] in (None, "5 days")
    assert (row["ground_truth"] is None) == (name in ("native", "trulens", "ragbench"))


def otlp(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return attributes in OTLP's form."""
    return [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]


OPENINFERENCE = [
    {
        "name": "retrieve",
        "context": {"trace_id": "t1", "span_id": "b"},
        "parent_id": "a",
        "start_time": "2026-11-20T10:00:01Z",
        "attributes": {
            "openinference.span.kind": "RETRIEVER",
            "input.value": Q,
            "retrieval.documents.0.document.id": "d1",
            "retrieval.documents.0.document.content": TEXT,
            "retrieval.documents.0.document.score": 0.9,
        },
    },
    {
        "name": "chain",
        "context": {"trace_id": "t1", "span_id": "a"},
        "start_time": "2026-11-20T10:00:00Z",
        "attributes": {
            "openinference.span.kind": "CHAIN",
            "input.value": json.dumps({"question": Q}),
            "output.value": A,
            "metadata": json.dumps({"tenant": "acme", "app_version": "2.0"}),
        },
    },
]
GENAI = {
    "resourceSpans": [
        {
            "resource": {"attributes": otlp({"service.version": "2.0"})},
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "t1",
                            "spanId": "b",
                            "parentSpanId": "a",
                            "name": "retrieval",
                            "startTimeUnixNano": "1795168800000000000",
                            "attributes": otlp(
                                {
                                    "gen_ai.operation.name": "retrieval",
                                    "gen_ai.retrieval.query.text": Q,
                                    "gen_ai.retrieval.documents": json.dumps([{"id": "d1", "content": TEXT}]),
                                }
                            ),
                        },
                        {
                            "traceId": "t1",
                            "spanId": "a",
                            "name": "chat",
                            "startTimeUnixNano": "1795168800000000000",
                            "attributes": otlp(
                                {
                                    "gen_ai.operation.name": "chat",
                                    "gen_ai.request.model": "m1",
                                    "gen_ai.input.messages": json.dumps(
                                        [
                                            {
                                                "role": "system",
                                                "parts": [{"type": "text", "content": "Help."}],
                                            },
                                            {"role": "user", "parts": [{"type": "text", "content": Q}]},
                                        ]
                                    ),
                                    "gen_ai.output.messages": json.dumps(
                                        [{"role": "assistant", "parts": [{"type": "text", "content": A}]}]
                                    ),
                                }
                            ),
                        },
                    ]
                }
            ],
        }
    ]
}
LANGFUSE = [
    {
        "id": "t1",
        "timestamp": "2026-11-20T10:00:00.000Z",
        "input": {"messages": [{"role": "user", "content": Q}]},
        "output": {"answer": A},
        "release": "2.0",
        "userId": "u9",
        "tags": ["beta"],
    },
    {"id": "o1", "traceId": "t1", "type": "RETRIEVER", "name": "search", "output": [{"pageContent": TEXT}]},
    {"id": "o2", "traceId": "t1", "type": "GENERATION", "model": "m1", "promptName": "p", "promptVersion": 3},
]
LANGSMITH = {
    "id": "t1",
    "trace_id": "t1",
    "run_type": "chain",
    "start_time": "2026-11-20T10:00:00",
    "inputs": {"question": Q},
    "outputs": {"output": A},
    "extra": {"metadata": {"revision_id": "2.0"}},
    "child_runs": [
        {
            "id": "r",
            "run_type": "retriever",
            "inputs": {"query": Q},
            "outputs": {"documents": [{"page_content": TEXT, "type": "Document", "metadata": {"id": "d1"}}]},
        }
    ],
}


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("openinference", "\n".join(json.dumps(span) for span in OPENINFERENCE)),
        ("otel", GENAI),
        ("otel", json.dumps(GENAI) + "\n" + json.dumps({"resourceSpans": []}).replace("[]", "[{}]") + "\n"),
        ("langfuse", LANGFUSE),
        ("langfuse", [{**LANGFUSE[0], "observations": LANGFUSE[1:]}]),
        ("langsmith", [LANGSMITH]),
        (
            "langsmith",
            [
                {**LANGSMITH, "child_runs": None},
                {**LANGSMITH["child_runs"][0], "trace_id": "t1", "parent_run_id": "t1"},
            ],
        ),
    ],
)
def test_spans_of_a_trace_become_one_log(format: str, content: Any) -> None:
    """Root, retriever and model are joined by their trace id; release and model become segments."""
    for options in ({}, {"format": format}):
        outcome = imported_only(content, **options)
        assert len(outcome) == 1
        row = outcome[0]
        assert (row["log_id"], row["question"], texts(row), row["response"]) == ("t1", Q, [TEXT], A)
        assert row["logged_at"] == AT
        assert row["segments"]["app_version"] == "2.0"


def imported_only(content: Any, **options: Any) -> list[dict[str, Any]]:
    """Return the imported rows alone."""
    from tests.unit.importers.tools import read
    from trace_pipeline.importers import Imported

    return [dict(found.row) for found in read(content, **options) if isinstance(found, Imported)]


def test_people_stay_out_of_the_segments_unless_mapped() -> None:
    """A user id and tags are kept in metadata; a mapping makes a segment of them."""
    (row,) = imported(LANGFUSE)
    assert row["segments"] == {"app_version": "2.0", "model": "m1", "prompt_version": "p:3"}
    assert (row["metadata"]["userId"], row["metadata"]["tags"]) == ("u9", ["beta"])
    (row,) = imported(LANGFUSE, mapped={"segments": {"tenant": "userId"}})
    assert row["segments"]["tenant"] == "u9"


def test_a_span_outside_of_the_window_is_refused() -> None:
    """Traces are held for so long only; a late span is told, not made a log of its own."""
    spans = [{**LANGFUSE[1], "traceId": f"t{number}", "id": f"o{number}"} for number in range(2, 6)]
    found = refused([LANGFUSE[0], *spans, LANGFUSE[1]], format="langfuse", trace_window=2)
    assert (6, "trace_out_of_window") in found


def test_documents_with_ids_only_are_refused_or_joined(tmp_path: Any) -> None:
    """OTel promises ids and scores: without texts the row is refused, with a file of texts it is imported."""
    spans = json.loads(json.dumps(GENAI).replace(f'\\"content\\": \\"{TEXT}\\"', '\\"score\\": 0.5'))
    assert refused(spans) == [(1, "documents_hold_no_text")]
    (tmp_path / "chunks.csv").write_text(f"id,text\nd1,{TEXT}\n")
    (row,) = imported(spans, mapped={"folder": str(tmp_path), "texts": {"file": "chunks.csv"}})
    assert texts(row) == [TEXT]
