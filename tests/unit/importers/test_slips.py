"""Slips of exporters, foreign encodings and wrapped words: read, or refused with the row and the remedy."""

from __future__ import annotations

import gzip
import io
import json
from datetime import timedelta
from typing import Any

import pytest

from tests.unit.importers.test_files import ROW, A, Q, a_csv
from tests.unit.importers.tools import AT, TEXT, imported, read, refused
from trace_core.errors import ConfigurationError
from trace_core.records import Limits
from trace_pipeline.importers import Refused


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"candidates": [{"content": {"parts": [{"text": A}], "role": "model"}}]}, A),
        ([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": A}], A),
        ("AIMessage(content='Five working days.')", A),
        ("content='Five working days.' response_metadata={}", A),
        ('{"name": "Ana", "age": 3}', '{"name": "Ana", "age": 3}'),
        (42, "42"),
    ],
)
def test_answers_of_every_shape(answer: Any, expected: str) -> None:
    """Providers wrap the words; JSON that holds none of them is the answer as it stands."""
    (row,) = imported([{**ROW, "answer": answer}])
    assert row["response"] == expected


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"status": "error", "message": "Rate limited"}, "provider_error"),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "x"}]}, "response_not_text"),
        ([{"type": "tool_use", "name": "search"}], "response_not_text"),
        ({}, "missing_response"),
        ("nan", "missing_response"),
    ],
)
def test_what_is_no_answer(answer: Any, reason: str) -> None:
    """Each has its reason."""
    assert refused([{**ROW, "answer": answer}]) == [(1, reason)]


@pytest.mark.parametrize(
    "question",
    [
        {"args": [Q, "de"], "kwargs": {}},
        {"messages": [["system", "Help."], ["human", Q]]},
        "[SystemMessage(content='Help.'), HumanMessage(content='How long does a refund take?')]",
    ],
)
def test_questions_of_every_shape(question: Any) -> None:
    """Arguments of a traced function, LangChain's pairs, and what it prints."""
    (row,) = imported([{**ROW, "question": question}])
    assert row["question"] == Q


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([ROW, {**ROW, "answer": "No."}])[:-1] + ",]",
        json.dumps(ROW) + ",\n" + json.dumps({**ROW, "answer": "No."}) + ",\n",
        f"{ROW}\n{ {**ROW, 'answer': 'No.'} }\n",
        json.dumps([{**ROW, "n": 1}, {**ROW, "answer": "No."}]).replace('"n": 1', '"n": ' + "9" * 5_000),
    ],
)
def test_small_slips_cost_nothing(content: str) -> None:
    """A comma too many, Python's `print`, a number without end: the rows are there."""
    for name in ("x.json", "x.jsonl"):
        assert [row["response"] for row in imported(content, name)] == [A, "No."]


def test_indented_objects_in_a_file_of_lines() -> None:
    """Whatever the file is called."""
    content = json.dumps(ROW, indent=2) + "\n" + json.dumps({**ROW, "answer": "No."}, indent=2)
    assert len(imported(content, "x.jsonl")) == 2


def test_gzip_as_stores_leave_it() -> None:
    """Packed twice; in parts; with rubbish behind it, which costs no row."""
    packed = gzip.compress(json.dumps(ROW).encode() + b"\n")
    assert len(imported(gzip.compress(packed))) == 1
    assert len(imported(packed + packed)) == 2
    outcomes = read(packed + b"rubbish", "x.jsonl.gz")
    assert [isinstance(outcome, Refused) for outcome in outcomes] == [False, True]


def test_a_csv_file_of_excel() -> None:
    """It names its separator in a line of its own, which counts."""
    outcomes = read("sep=;\r\n" + a_csv([Q, str([TEXT]), A], separator=";", newline="\r\n"))
    assert [(outcome.place.row, outcome.place.line) for outcome in outcomes] == [(1, 3)]
    assert not any(isinstance(outcome, Refused) for outcome in outcomes)


def test_an_open_quote_is_told_with_its_lines() -> None:
    """The lines that it takes are named."""
    content = a_csv([Q, str([TEXT]), A]) + '"Open,x,y\n' + a_csv([Q, str([TEXT]), A])
    (refusal,) = [outcome for outcome in read(content, "x.csv") if isinstance(outcome, Refused)]
    assert (refusal.code, refusal.place.line) == ("wrong_number_of_columns", 3)
    assert "up to line 5" in refusal.detail


@pytest.mark.parametrize("encoding", ["euc-kr", "ascii"])
def test_bytes_that_do_not_fit_a_named_encoding_are_refused(encoding: str) -> None:
    """They are never replaced by question marks."""
    content = json.dumps([{**ROW, "answer": "Ölwechsel für 12 £: 五日"}], ensure_ascii=False)
    assert refused(content, encoding=encoding) == [(1, "invalid_encoding")]


@pytest.mark.parametrize("encoding", ["base64", "rot13", "idna", "nonsense"])
def test_what_is_no_encoding_of_texts_is_said(encoding: str) -> None:
    """Python has codecs of that name."""
    with pytest.raises(ConfigurationError, match="not the name of an encoding"):
        read([ROW], encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "text"), [("euc-kr", "환불은 5일이 걸립니다."), ("shift_jis", "返金には5営業日。ソ表")]
)
def test_east_asian_encodings_are_read_when_named(encoding: str, text: str) -> None:
    """Also characters whose second byte is a backslash."""
    content = a_csv([text, str([text]), text]).encode(encoding)
    assert refused(content, "x.csv") == [(1, "invalid_encoding")]
    (row,) = imported(content, "x.csv", encoding=encoding)
    assert (row["question"], row["documents"], row["response"]) == (text, [text], text)


def test_parquet_of_other_writers() -> None:
    """Bytes for texts, maps and objects as documents, nanoseconds, and a value that Python cannot hold."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for documents, times in (
        (pyarrow.array([[b"One."]]), pyarrow.array([1795168800123456789], pyarrow.timestamp("ns", "UTC"))),
        (pyarrow.array([[{"page_content": "One."}]]), pyarrow.array([1795168800123456])),
        (
            pyarrow.array([[("d", "One.")]], pyarrow.map_(pyarrow.string(), pyarrow.string())),
            pyarrow.array([1795168800.123456]),
        ),
    ):
        table = pyarrow.table(
            {
                "question": pyarrow.array([Q]).dictionary_encode(),
                "contexts": documents,
                "answer": [A],
                "timestamp": times,
                "left": pyarrow.array([2**62], pyarrow.duration("s")),
            }
        )
        file = io.BytesIO()
        parquet.write_table(table, file)
        (row,) = imported(file.getvalue(), logged_at=None)
        found = [item if isinstance(item, str) else item["text"] for item in row["documents"]]
        assert (row["question"], found, row["response"]) == (Q, ["One."], A)
        assert row["logged_at"] == AT + timedelta(microseconds=123_456)


def test_texts_land_where_the_night_looks_for_them() -> None:
    """Settings can name another field than `text`: an imported document has its text there."""
    limits = Limits(document_text_fields=("body",))
    (row,) = imported([{**ROW, "contexts": [{"body": TEXT, "id": "d"}, "Two."]}], limits=limits)
    assert row["documents"] == [{"body": TEXT, "id": "d"}, "Two."]
