"""Rows and lines that cannot be read: every way traffic breaks, each with its reason code.

A row of Postgres can be broken only as far as its column types allow; a line of a file in any way. Each shape
breaks one thing and leaves the rest readable.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]
encode = json.JSONEncoder(ensure_ascii=False).encode
_TOO_LARGE_BYTES = 4_000_001  # one more than a log may have by default
_TOO_MANY_DOCUMENTS = 1_001
_NIGHTS_PER_LARGE_ROW, _FIRST_LARGE_ROW = 20, 7


def _with(**columns: Any) -> Callable[[Row], Row]:
    return lambda row: {**row, **columns}


def _too_large(row: Row) -> Row:
    filler = "The log of the appliance repeats this line. "
    return {**row, "documents": [{"id": "dump", "text": filler * (_TOO_LARGE_BYTES // len(filler) + 1)}]}


def _too_many(row: Row) -> Row:
    return {**row, "documents": [{"id": str(n), "text": f"Part {n}."} for n in range(_TOO_MANY_DOCUMENTS)]}


def _then(row: Row, document: object) -> Row:
    return {**row, "documents": [*row["documents"], document]}


ROW_SHAPES: tuple[tuple[str, Callable[[Row], Row]], ...] = (
    ("missing_question", _with(question=None)),
    ("missing_response", _with(response=None)),
    ("documents_missing", _with(documents=None)),
    ("documents_not_a_list", lambda row: {**row, "documents": {"results": row["documents"]}}),
    ("document_without_text", lambda row: _then(row, {"id": "orphan", "score": 0.71})),
    ("segments_not_an_object", lambda row: {**row, "segments": list(row["segments"].values())}),
    ("too_many_documents", _too_many),
    ("missing_question", _with(question="  \n ")),
    ("document_without_text", lambda row: _then(row, None)),
    ("documents_not_a_list", _with(documents="see the handbook")),
    ("document_without_text", lambda row: _then(row, {"id": "number", "text": 42})),
    ("segments_not_an_object", _with(segments="acme")),
    ("document_without_text", lambda row: _then(row, ["a list", "in the list"])),
    ("text_too_large", _too_large),
)
"""(reason code, how to break a row); all of these fit into the columns of ``trace.rag_log``."""

LINE_SHAPES: tuple[tuple[str, Callable[[Row], bytes]], ...] = (
    ("invalid_json", lambda row: _dump(row)[:-40]),
    ("invalid_encoding", lambda row: _dump({**row, "response": "caf~"}).replace(b"caf~", b"caf\xe9")),
    ("invalid_encoding", lambda row: _dump({**row, "response": "ends~here"}).replace(b"~", rb"\u0000")),
    ("invalid_encoding", lambda row: _dump({**row, "response": "half a smile~"}).replace(b"~", rb"\ud83d")),
    ("invalid_logged_at", lambda row: _dump({**row, "logged_at": f"{row['logged_at'][:4]}-02-30T09:00:00Z"})),
    ("missing_log_id", lambda row: _dump({key: row[key] for key in row if key != "log_id"})),
    ("duplicate_log_id", lambda row: _dump(row)),
    ("not_an_object", lambda row: encode(["log", row["metadata"]]).encode()),
    ("question_not_text", lambda row: _dump({**row, "question": 404})),
    ("response_not_text", lambda row: _dump({**row, "response": {"text": row["response"]}})),
    ("ground_truth_not_text", lambda row: _dump({**row, "ground_truth": [row["response"]]})),
    ("invalid_logged_at", lambda row: _dump({**row, "logged_at": "last Tuesday"})),
    ("missing_log_id", lambda row: _dump({**row, "log_id": None})),
)
"""(reason code, how to write a broken line); only a file can carry these."""


def break_row(row: Row, shape: int) -> Row:
    """The row broken in the shape with this index in ROW_SHAPES; its metadata names the reason code."""
    code, broken = ROW_SHAPES[shape]
    return {**broken(row), "metadata": _marked(code)}


def row_shape(night: int, earlier: int) -> int:
    """Index of the shape for a night's next malformed row, after ``earlier`` ones: they take turns.

    The shape of several megabytes, the last, comes at most once a night and only in every twentieth night, so
    that a large sample does not consist of it.
    """
    if earlier == 0 and night % _NIGHTS_PER_LARGE_ROW == _FIRST_LARGE_ROW:
        return len(ROW_SHAPES) - 1
    return (night * 5 + earlier) % (len(ROW_SHAPES) - 1)


def broken_line(good: Mapping[str, Any], turn: int, log_id: str) -> bytes:
    """A line, with its newline, broken in the shape whose turn it is.

    ``good`` is a readable row that went before it (``logged_at`` as text): a repeated id is that row's.
    """
    code, shape = LINE_SHAPES[turn % len(LINE_SHAPES)]
    own_id = good["log_id"] if code == "duplicate_log_id" else log_id
    # The marker comes first, so that a line cut short still carries it.
    return shape({"metadata": _marked(code), **good, "log_id": own_id} | {"metadata": _marked(code)}) + b"\n"


def _marked(code: str) -> dict[str, Any]:
    return {"sample": {"malformed": code}}


def _dump(row: Row) -> bytes:
    return encode(row).encode()
