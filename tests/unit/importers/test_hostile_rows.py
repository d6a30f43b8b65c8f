"""Values of any shape under any format's names: imported or refused, never an exception."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.importers.tools import AT
from trace_pipeline.importers import FORMATS, FileReader, Imported, ImportOptions

_TEXT = st.sampled_from(
    ["", "a", "['a' 'b']", "[", "{", "\x00", "\ud800", "{'error': 1}", "1e999", "-1", "0", "[Document(a=1)]"]
)
_VALUE: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXT),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "0",
                    "1",
                    "text",
                    "content",
                    "id",
                    "role",
                    "type",
                    "parts",
                    "score",
                    "messages",
                    "documents",
                    "key",
                    "value",
                    "stringValue",
                    "error",
                ]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
_NAMES = (
    "id log_id trace_id traceId span_id context attributes name events status start_time timestamp "
    "question user_input input inputs query contexts retrieved_contexts retrieved_context "
    "retrieval_context documents response answer output outputs actual_output ground_truth "
    "ground_truths reference segments metadata labels spans observations child_runs run_type "
    "parent_run_id error extra resourceSpans documents_sentences response_sentences release tags "
    "level type promptName promptVersion record_id ai.observability.record_root.input "
    "gen_ai.input.messages gen_ai.output.messages gen_ai.retrieval.documents input.value "
    "retrieval.documents.0.document.content llm.output_messages openinference.span.kind "
    "ai.observability.record_id "
).split()
_ATTRIBUTES = st.dictionaries(st.sampled_from(_NAMES), _VALUE, max_size=6)
_ROW = st.one_of(
    _VALUE,
    _ATTRIBUTES,
    st.fixed_dictionaries(
        {"trace_id": st.sampled_from(["t", "u"]), "attributes": _ATTRIBUTES}, optional={"events": _VALUE}
    ),
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["t", "u"]),
            "observations": st.lists(_ATTRIBUTES, max_size=2),
            "input": _VALUE,
            "output": _VALUE,
        }
    ),
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["t", "u"]),
            "run_type": _TEXT,
            "child_runs": st.lists(_ATTRIBUTES, max_size=2),
            "inputs": _VALUE,
            "outputs": _VALUE,
        }
    ),
)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(rows=st.lists(_ROW, min_size=1, max_size=12))
def test_no_row_raises(format: str, rows: list[Any]) -> None:
    """What comes out can be stored: times have a zone, everything can be written as JSON in UTF-8."""
    for data in (json.dumps(rows).encode(), b"\n".join(json.dumps(row).encode() for row in rows)):
        for outcome in FileReader("x", ImportOptions(format, logged_at=AT, trace_window=2), io.BytesIO(data)):
            if isinstance(outcome, Imported):
                row = {**outcome.row, "logged_at": outcome.row["logged_at"].isoformat()}
                assert "\\u0000" not in json.dumps(row, allow_nan=False)
                json.dumps(row, ensure_ascii=False).encode("utf-8")
            else:
                assert outcome.remedy
