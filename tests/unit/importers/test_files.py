"""Files as people have them: the right text, or a reason that names the row and the remedy."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.importers.tools import AT, TEXT, imported, read, refused
from trace_core.errors import ConfigurationError
from trace_pipeline.importers import REMEDIES, Refused

Q, A = "How long does a refund take?", "Five working days."
ROW = {"question": Q, "contexts": [TEXT], "answer": A}
DATA = Path(__file__).parents[2] / "data/importers"


def a_csv(*rows: list[Any], separator: str = ",", newline: str = "\n") -> str:
    """Return rows as a CSV file with the header of Ragas."""
    file = io.StringIO()
    csv.writer(file, delimiter=separator, lineterminator=newline).writerows(
        [["question", "contexts", "answer"], *rows]
    )
    return file.getvalue()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (str([TEXT, 'It\'s "quoted", with\na new line.']), [TEXT, 'It\'s "quoted", with\na new line.']),
        (json.dumps([TEXT, "Zwei."]), [TEXT, "Zwei."]),
        ("['One.' 'Two.'\n 'Three.']", ["One.", "Two.", "Three."]),
        ("array(['One.', 'Two.'], dtype=object)", ["One.", "Two."]),
        ("[Document(metadata={'id': 'd1'}, page_content='One.')]", [{"text": "One.", "id": "d1"}]),
        ("[{'text': 'One.', 'score': nan}]", [{"text": "One."}]),
        ("('One.', 'Two.')", ["One.", "Two."]),
        ("[]", []),
        ("One plain text.", ["One plain text."]),
        ("[1] A text with a mark.\n[2] Another.", ["[1] A text with a mark.\n[2] Another."]),
        ("[{'text': 'One.'}\n {'text': 'Two.'}]", [{"text": "One."}, {"text": "Two."}]),
        ("array([array(['One.', 'Two.'], dtype=object)], dtype=object)", ["One.", "Two."]),
        (str([str({"page_content": "One."})]), [{"text": "One."}]),
        ("page_content='It\\'s one.' metadata={'page': 3}", ["It's one."]),
        ("[Document(metadata={'at': datetime.date(2026, 1, 1)}, page_content='One.')]", [{"text": "One."}]),
        (json.dumps(json.dumps(["One."])), ["One."]),
        (str({"d1": "One."}), [{"text": "One.", "id": "d1"}]),
        (str(["C:\\d \\ and \\N"]), ["C:\\d \\ and \\N"]),
    ],
)
def test_contexts_written_as_text(written: str, expected: list[Any]) -> None:
    """JSON, Python's repr, numpy's and LangChain's: the items, never one joined text."""
    found = imported(a_csv([Q, written, A]))
    assert found[0]["documents"] == expected


@pytest.mark.parametrize(
    "written",
    [
        "[__import__('os').system('true')]",
        "[" * 150 + "]" * 150,
        "['a', open('/etc/passwd')]",
        "[1 +",
        "[x for x in 'ab']",
        "['One.', 'cut off by a spreadsh",
        "['One.' 'Two.' ... 'Nine.' 'Ten.']",
    ],
)
def test_text_that_is_no_list_is_never_run(written: str) -> None:
    """Expressions, endless depth and halves of lists are refused with the row."""
    assert refused(a_csv([Q, str([TEXT]), A], [Q, written, A])) in (
        [(2, "documents_not_a_list")],
        [(2, "document_without_text")],
    )


@pytest.mark.parametrize(
    "content",
    [
        {"question": [Q, Q], "contexts": [[TEXT], [TEXT]], "answer": [A, "No."]},
        {
            "question": {"0": Q, "1": Q},
            "contexts": {"0": [TEXT], "1": [TEXT]},
            "answer": {"0": A, "1": "No."},
        },
        {"rows": [ROW, {**ROW, "answer": "No."}]},
        {"version": 1, "data": [ROW, {**ROW, "answer": "No."}]},
        [ROW, {**ROW, "answer": "No."}],
        json.dumps(ROW, indent=2) + "\n" + json.dumps({**ROW, "answer": "No."}, indent=2),
        json.dumps(ROW) + "\r\n\r\n" + json.dumps({**ROW, "answer": "No."}),
        "\ufeff"
        + json.dumps(ROW)
        + "\n"
        + json.dumps({**ROW, "answer": "No.", "score": float("nan")})
        + "\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("packed", [False, True])
def test_containers(content: Any, encoding: str, packed: bool) -> None:
    """Arrays, wrapped rows, columns, pandas' columns, lines: two rows, in any encoding, packed or not."""
    data = (content if isinstance(content, str) else json.dumps(content)).encode(encoding)
    rows = imported(gzip.compress(data) if packed else data)
    assert [(row["question"], row["documents"], row["response"]) for row in rows] == [
        (Q, [TEXT], A),
        (Q, [TEXT], "No."),
    ]


def test_one_object_is_one_row() -> None:
    """Also one made of objects and lists alone, and over several lines."""
    assert len(imported(json.dumps(ROW, indent=1))) == 1
    run = {"inputs": {"question": Q}, "outputs": {"output": A, "documents": []}, "child_runs": [], "id": "x"}
    (row,) = imported(run, mapped={"documents": "outputs.documents"})
    assert (row["question"], row["documents"], row["response"]) == (Q, [], A)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_csv_of_every_kind(separator: str, newline: str) -> None:
    """Separators, CRLF, a byte order mark, line breaks inside of quotes; rows keep their line numbers."""
    table = "| part | price |\n|---|---|\n| pump | 12 |"
    content = a_csv(
        [Q, json.dumps([table]), A],
        [Q, str([table]), "x\ny"],
        [Q, "[1 +", A],
        separator=separator,
        newline=newline,
    )
    outcomes = read(codecs.BOM_UTF8 + content.encode(), "export.csv")
    assert [found.row["documents"] for found in outcomes if not isinstance(found, Refused)] == [
        [table],
        [table],
    ]
    (refusal,) = [found for found in outcomes if isinstance(found, Refused)]
    assert (refusal.place.row, refusal.place.line, refusal.code) == (3, 5, "documents_not_a_list")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1795168800.25, datetime(2026, 11, 20, 10, 0, 0, 250_000, tzinfo=UTC)),
        ("1795168800", AT),
        (1795168800000, AT),
        (1795168800000000, AT),
        ("1795168800000000000", AT),
        ("2026-11-20T10:00:00Z", AT),
        ("2026-11-20 11:00:00+01:00", AT),
        ("2026-11-20 10:00:00 UTC", AT),
        ("2026-11-20 11:00:00,000", AT),
        ("2026-11-20 11:00", AT),
        ("Fri, 20 Nov 2026 10:00:00 +0000", AT),
        ("Nov 20, 2026, 11:00:00 AM", AT),
        ("Nov 20, 2026, 11:00 PM", AT + timedelta(hours=12)),
        ("20.11.2026 11:00", AT),
        ("2026/11/20 11:00:00", AT),
        ("2026年11月20日 11時00分", AT),
        ("2026. 11. 20. 오후 11:00", AT + timedelta(hours=12)),
        ("٢٠٢٦-١١-٢٠ ١١:٠٠", AT),
        ("2026-11-20T19:00:00+09:00[Asia/Seoul]", AT),
        ("2026-11-20 10:00:00 +0000 UTC", AT),
        ({"$date": {"$numberLong": "1795168800000"}}, AT),
        ({"_seconds": 1795168800, "_nanoseconds": 0}, AT),
    ],
)
def test_times(value: Any, expected: datetime) -> None:
    """Seconds to nanoseconds, ISO with and without a zone (here Berlin's), the comma of Python's logging."""
    (row,) = imported([{**ROW, "timestamp": value}], zone="Europe/Berlin", logged_at=None)
    assert row["logged_at"] == expected


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "missing_logged_at"),
        ("", "missing_logged_at"),
        ("20/11/2026", "invalid_logged_at"),
        ("20 Nov 2026 10:00 KST", "invalid_logged_at"),
        ("NaT", "missing_logged_at"),
        (7, "invalid_logged_at"),
        (True, "invalid_logged_at"),
        ("1e400", "invalid_logged_at"),
        ([], "invalid_logged_at"),
        (float("inf"), "invalid_logged_at"),
    ],
)
def test_times_that_are_none(value: Any, reason: str) -> None:
    """Refused with the row; the remedy of a missing one names --logged-at."""
    assert refused([ROW | {"timestamp": AT.isoformat()}, {**ROW, "timestamp": value}], logged_at=None) == [
        (2, reason)
    ]
    assert "--logged-at" in REMEDIES["missing_logged_at"]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([{"page_content": TEXT, "metadata": {"id": 3}}], [{"text": TEXT, "id": "3"}]),
        ([{"node": {"id_": "n", "text": TEXT}, "score": 0.5}], [{"text": TEXT, "id": "n", "score": 0.5}]),
        ([[TEXT, 0.5]], [TEXT]),
        ([[TEXT, "Two."]], [TEXT, "Two."]),
        ({"ids": ["a"], "documents": [TEXT]}, [{"text": TEXT, "id": "a"}]),
        ({"text": TEXT}, [{"text": TEXT}]),
        ([{"payload": {"text": TEXT}, "id": 5}], [{"text": TEXT, "id": "5"}]),
        ([{"_source": {"content": TEXT}, "_id": "e"}], [{"text": TEXT, "id": "e"}]),
        ({"d1": TEXT, "d2": "Two."}, [{"text": TEXT, "id": "d1"}, {"text": "Two.", "id": "d2"}]),
        ({"d1": {"content": TEXT, "score": 0.5}}, [{"text": TEXT, "id": "d1", "score": 0.5}]),
        ({"retrievalResults": [{"content": {"text": TEXT}}]}, [{"text": TEXT}]),
        ([{"content": [{"type": "text", "text": TEXT}]}], [{"text": TEXT}]),
        ([{"chunk": {"content": TEXT}}], [{"text": TEXT}]),
        ([[TEXT], ["Two."]], [TEXT, "Two."]),
        ([{"id": "d", "preview": "A refund ..."}], [{"id": "d", "text": "A refund ..."}]),
        ([], []),
    ],
)
def test_documents_of_every_shape(documents: Any, expected: list[Any]) -> None:
    """Frameworks and databases wrap the text; it is found, with id and score."""
    (row,) = imported([{**ROW, "contexts": documents}])
    assert row["documents"] == expected


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([{"id": "d1", "score": 0.5}], "documents_hold_no_text"),
        ([{"id": "d1", "text": ""}, {"id": "d2", "text": ""}], "documents_hold_no_text"),
        ([{"title": "A"}], "document_without_text"),
        ({"title": "A"}, "document_without_text"),
        ([TEXT, None], "document_without_text"),
        ([7], "document_without_text"),
        (None, "documents_missing"),
        (7, "documents_not_a_list"),
    ],
)
def test_documents_without_text(documents: Any, reason: str) -> None:
    """Each has its own reason."""
    assert refused([ROW, {**ROW, "contexts": documents, "answer": "x"}]) == [(2, reason)]


PROMPT = f"Answer from the context.\nContext:\n{TEXT}\n---\nTwo.\nQuestion: {Q}"


@pytest.mark.parametrize(
    "part",
    [
        {"path": "prompt", "after": "Context:", "before": "Question:", "split": "\n---\n"},
        {"path": "prompt", "pattern": r"(?:Context:\n|---\n)(.*?)\n(?=---|Question)"},
    ],
)
def test_documents_in_the_prompt_only(part: dict[str, str]) -> None:
    """A mapping cuts them out; a row without the part, or no mapping, is refused with its number."""
    rows = [{"question": Q, "answer": A, "prompt": PROMPT}, {"question": Q, "answer": A, "prompt": "Hello."}]
    assert refused(rows, format="ragas") == [(1, "documents_missing"), (2, "documents_missing")]
    outcomes = read(rows, mapped={"documents": part})
    assert outcomes[0].row["documents"] == [TEXT, "Two."]  # type: ignore[union-attr]
    assert isinstance(outcomes[1], Refused)


def test_what_is_stored_beside_the_texts_can_be_stored() -> None:
    """Sentences of another shape, ids and metadata hold neither NUL nor half characters when they land."""
    odd = {"text": TEXT, "id": "d", "sentences": ["\ud800", 7]}
    row = {"log_id": "1", "question": Q, "documents": [odd], "response": A, "metadata": {"\ud800": "\x00"}}
    (made,) = imported(json.dumps([row]))
    assert made["documents"] == [{"text": TEXT, "id": "d"}]
    json.dumps(made, default=str, ensure_ascii=False).encode("utf-8")


def test_errors_as_answers() -> None:
    """An error object is no answer and refused; its text was read by somebody: imported."""
    told = "Error code: 429 - {'error': {'message': 'Rate limit reached'}}"
    rows = [
        {**ROW, "answer": {"error": {"code": 429}}},
        {**ROW, "answer": None, "status": "error"},
        {**ROW, "answer": json.dumps({"error": "x"})},
    ]
    assert refused(rows) == [(1, "provider_error"), (2, "provider_error"), (3, "provider_error")]
    (row,) = imported([{**ROW, "answer": told}])
    assert row["response"] == told
    assert "answer_reads_like_an_error" in row["metadata"]["import_notes"]
    (row,) = imported([{**ROW, "answer": None, "error": "Sorry, busy."}], mapped={"response": "error"})
    assert row["response"] == "Sorry, busy."


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"", "x.jsonl", "empty_file"),
        (b" \r\n \n", "x.csv", "empty_file"),
        (b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", "x.json", "not_a_log_file"),
        (b"<?xml version='1.0'?><a/>", "x", "not_a_log_file"),
        (bytes(range(256)) * 20, "x", "not_a_log_file"),
        (b"PK\x03\x04" + b"x" * 100, "x.zip", "not_a_log_file"),
        (b"Just a sentence", "x", "not_a_log_file"),
        (b"1,2,3\n4,5,6\n", "x.csv", "missing_header"),
        (b"question,question\na,b\n", "x.csv", "missing_header"),
        (b'{"foo": 1}\n{"foo": 2}\n', "x.jsonl", "unknown_format"),
        (b"PAR1 and then nothing of it", "x.parquet", "damaged_file"),
        (json.dumps({"question": [Q, Q], "answer": [A]}).encode(), "x.json", "unequal_columns"),
        (codecs.BOM_UTF8, "x.csv", "empty_file"),
        (json.dumps(json.dumps([ROW])).encode(), "x.json", "not_a_log_file"),
        (b"2026-11-20 INFO " + json.dumps(ROW).encode(), "x.log", "missing_header"),
        (b"[1, 2]", "x.json", "unknown_format"),
    ],
)
def test_what_is_no_file_of_logs(content: bytes, name: str, reason: str) -> None:
    """One sentence with its remedy, never a traceback."""
    assert refused(content, name)[0][1] == reason


def test_a_cut_gzip_keeps_the_rows_before_the_cut() -> None:
    """Whole rows are imported, then the damage is told."""
    lines = "".join(
        json.dumps({**ROW, "id": number, "pad": f"{number * 7919:x}" * 50}) + "\n" for number in range(5_000)
    )
    packed = gzip.compress(lines.encode())
    outcomes = read(packed[: len(packed) * 2 // 3])
    assert outcomes[-1].code == "damaged_file"  # type: ignore[union-attr]
    assert len(outcomes) > 100


def test_damaged_json_names_the_row_where_it_ends() -> None:
    """A cut array gives its whole rows and one refusal; a damaged line costs that line alone."""
    content = json.dumps([ROW, ROW])
    outcomes = read(content[:-20])
    assert [isinstance(found, Refused) for found in outcomes] == [False, True]
    assert refused(json.dumps(ROW) + "\n{broken\n" + json.dumps(ROW)) == [(2, "invalid_json")]
    assert refused("[" * 100_000) == [(1, "invalid_json")]


def test_latin_1_is_told_with_the_remedy_and_read_when_named() -> None:
    """A row with foreign bytes names --encoding; with it the text is right."""
    content = a_csv([Q, str(["Öl für 12 £."]), "Ölwechsel."]).encode("cp1252")
    assert refused(content, "x.csv") == [(1, "invalid_encoding")]
    assert "--encoding" in REMEDIES["invalid_encoding"]
    (row,) = imported(content, "x.csv", encoding="cp1252")
    assert (row["documents"], row["response"]) == (["Öl für 12 £."], "Ölwechsel.")


def test_an_id_twice_in_a_file() -> None:
    """The same content again is one log; another content is refused and named."""
    first = {**ROW, "id": "1"}
    assert refused([first, first, {**first, "answer": "Other."}]) == [(3, "duplicate_log_id")]


def test_an_id_from_the_content_stays_the_same() -> None:
    """However the file is packed; a ground truth that comes later does not change it."""
    (one,) = imported([ROW])
    (two,) = imported(a_csv([Q, str([TEXT]), A]))
    (three,) = imported([{**ROW, "ground_truth": A}])
    assert one["log_id"] == two["log_id"] == three["log_id"]
    assert one["log_id"].startswith("content-")


@pytest.mark.parametrize("name", ["korean.jsonl", "arabic.json", "japanese.csv"])
def test_logs_of_other_scripts_with_tables(name: str) -> None:
    """Every character of a table and its text arrives."""
    rows = imported((DATA / name).read_bytes(), name)
    assert len(rows) == 2
    assert all("|" in str(row["documents"]) for row in rows)
    assert rows[0]["response"] in {
        "환불은 영업일 기준 5일이 걸립니다.",
        "يستغرق استرداد المبلغ خمسة أيام عمل.",
        "返金には5営業日かかります。",
    }


def test_parquet_and_the_sentence_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists and times come as they are; without pyarrow the extra is named."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([{**ROW, "timestamp": AT}] * 3), file)
    for data in (file.getvalue(), gzip.compress(file.getvalue())):
        rows = imported(data, logged_at=None)
        assert [(row["documents"], row["logged_at"]) for row in rows] == [([TEXT], AT)] * 3
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match="pip install"):
        read(file.getvalue())


def test_every_reason_of_an_import_has_a_remedy() -> None:
    """What a row can be refused for, and what to do about it."""
    from trace_core.reasons import IMPORT_REASONS, QUARANTINE_REASONS

    assert set(REMEDIES) == set(IMPORT_REASONS) | set(QUARANTINE_REASONS)
