"""Reading of untrusted input."""

import json
import uuid
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core import BadInput, Document, Limits, Log, parse_log, parse_log_line, parse_logged_at
from trace_core.reasons import QUARANTINE_REASONS, REASONS, describe
from trace_core.records import parse_documents

GOOD: dict[str, Any] = {"log_id": "7", "question": "Why?", "response": "Because.", "documents": ["A text."]}


def reason(**changes: object) -> str:
    """The reason code of a good row with changes."""
    with pytest.raises(BadInput) as caught:
        parse_log({**GOOD, **changes})
    return caught.value.code


def test_a_plain_row_is_read() -> None:
    """The native form with all columns."""
    log = parse_log({**GOOD, "ground_truth": "So.", "segments": {"language": "en"}, "metadata": {"x": 1}})
    assert log == Log("7", "Why?", (Document("A text."),), "Because.", "So.", {"language": "en"})
    assert log.language == "en"


def test_documents_may_be_texts_objects_or_json_text() -> None:
    """All three forms of the wild, with identifiers and sentences."""
    expected = (Document("One."), Document("Two.", "d2"), Document("Three.", "3", ("Three.",)))
    raw = [
        "One.",
        {"content": "Two.", "id": "d2"},
        {"page_content": "Three.", "id": 3, "sentences": ["Three."]},
    ]
    assert parse_documents(raw) == expected
    assert parse_documents(tuple(raw)) == expected
    assert parse_documents(json.dumps(raw)) == expected
    assert parse_documents(list(expected)) == expected
    assert parse_documents([]) == ()
    assert parse_documents([{"body": "Own."}], Limits(document_text_fields=("body",))) == (Document("Own."),)


def test_sentences_of_another_shape_are_not_sentences() -> None:
    """A field of that name that holds a number means something else."""
    assert parse_documents([{"text": "A.", "sentences": 3, "id": {"a": 1}}]) == (Document("A."),)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"log_id": None}, "missing_log_id"),
        ({"log_id": " "}, "missing_log_id"),
        ({"log_id": True}, "missing_log_id"),
        ({"log_id": 1.5}, "missing_log_id"),
        ({"log_id": Decimal("1.5")}, "missing_log_id"),
        ({"log_id": Decimal("1e999999")}, "missing_log_id"),
        ({"log_id": Decimal("NaN")}, "missing_log_id"),
        ({"log_id": 10**5000}, "missing_log_id"),
        ({"log_id": "x" * 501}, "missing_log_id"),
        ({"log_id": "a\x00"}, "invalid_encoding"),
        ({"question": None}, "missing_question"),
        ({"question": " \n"}, "missing_question"),
        ({"question": 5}, "question_not_text"),
        ({"question": b"bytes"}, "question_not_text"),
        ({"question": "a\ud800"}, "invalid_encoding"),
        ({"question": "a\x00b"}, "invalid_encoding"),
        ({"response": None}, "missing_response"),
        ({"response": ["a"]}, "response_not_text"),
        ({"response": memoryview(b"a")}, "response_not_text"),
        ({"documents": None}, "documents_missing"),
        ({"documents": "null"}, "documents_missing"),
        ({"documents": "not json"}, "documents_not_a_list"),
        ({"documents": "[" * 100_000}, "documents_not_a_list"),
        ({"documents": "[1" + "0" * 5000 + "]"}, "document_without_text"),
        ({"documents": {"text": "a"}}, "documents_not_a_list"),
        ({"documents": 7}, "documents_not_a_list"),
        ({"documents": b"[]"}, "documents_not_a_list"),
        ({"documents": [None]}, "document_without_text"),
        ({"documents": [["nested"]]}, "document_without_text"),
        ({"documents": [{"title": "a"}]}, "document_without_text"),
        ({"documents": [{"text": None}]}, "document_without_text"),
        ({"documents": [{"text": 5}]}, "document_without_text"),
        ({"documents": [7]}, "document_without_text"),
        ({"documents": [{"text": "a", "id": "\x00"}]}, "invalid_encoding"),
        ({"documents": [{"text": "a", "sentences": ["\x00"]}]}, "invalid_encoding"),
        ({"ground_truth": 5}, "ground_truth_not_text"),
        ({"segments": [1]}, "segments_not_an_object"),
        ({"segments": "text"}, "segments_not_an_object"),
        ({"segments": {"a": "\x00"}}, "invalid_encoding"),
        ({"response": "x" * 4_000_001}, "text_too_large"),
        ({"response": "é" * 2_000_001}, "text_too_large"),
        ({"documents": ["x" * 2_500_000, "x" * 2_500_000]}, "text_too_large"),
        ({"documents": "x" * 25_000_000}, "text_too_large"),
        ({"documents": ["a"] * 1_001}, "too_many_documents"),
    ],
)
def test_a_row_that_cannot_be_read_has_a_reason(changes: dict[str, object], code: str) -> None:
    """Each fault has its own code."""
    if changes.get("documents") == "[1" + "0" * 5000 + "]":
        code = "documents_not_a_list"  # the reader itself refuses integers of thousands of digits
    assert reason(**changes) == code


@pytest.mark.parametrize("raw", [None, 5, "text", b"x", [1], object()])
def test_a_row_that_is_no_object_has_a_reason(raw: Any) -> None:
    """Anything but a mapping."""
    with pytest.raises(BadInput, match="not_an_object"):
        parse_log(raw)


def test_readable_oddities_are_read() -> None:
    """Empty responses and documents, numbers as identifiers, blanks as texts."""
    log = parse_log({**GOOD, "log_id": 7, "response": "", "documents": ["", " "]})
    assert (log.log_id, log.response, len(log.documents)) == ("7", "", 2)
    assert parse_log({**GOOD, "log_id": Decimal(12)}).log_id == "12"
    identifier = uuid.uuid4()
    assert parse_log({**GOOD, "log_id": identifier}).log_id == str(identifier)
    assert parse_log({**GOOD, "ground_truth": ""}).ground_truth == ""


def test_segments_become_short_texts() -> None:
    """Numbers and booleans as JSON, nested values as compact JSON, null dropped, long ones cut."""
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    segments = parse_log(
        {
            **GOOD,
            "segments": {
                "a": 1.5,
                "b": True,
                "c": None,
                "d": {"x": [1, "é"]},
                "e" * 300: "v" * 300,
                "when": datetime(2026, 1, 2, tzinfo=UTC),
                "price": Decimal("1.20"),
                "bytes": memoryview(b"x"),
                "deep": deep,
                "huge": 10**5000,
                5: "five",
            },
        }
    ).segments
    assert segments == {
        "a": "1.5",
        "b": "true",
        "d": '{"x":[1,"é"]}',
        "e" * 200: "v" * 200,
        "when": '"2026-01-02T00:00:00+00:00"',
        "price": '"1.20"',
        "bytes": '"(memoryview)"',
        "deep": "(unreadable)",
        "huge": "(unreadable)",
        "5": "five",
    }
    assert parse_log({**GOOD, "segments": '{"a": "b"}'}).segments == {"a": "b"}
    assert parse_log({**GOOD, "segments": "null"}).segments == {}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\xff\xfe", "invalid_encoding"),
        ("{", "invalid_json"),
        ("", "invalid_json"),
        ("[" * 100_000, "invalid_json"),
        ("[1]", "not_an_object"),
        ("null", "not_an_object"),
    ],
)
def test_a_line_that_cannot_be_read_has_a_reason(line: str | bytes, code: str) -> None:
    """Lines of a JSONL file."""
    with pytest.raises(BadInput) as caught:
        parse_log_line(line)
    assert caught.value.code == code


def test_a_line_is_read() -> None:
    """Bytes or text."""
    assert parse_log_line(b'{"a": "\xc3\xa9"}') == {"a": "é"} == parse_log_line('{"a": "é"}')


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (" 2026-01-02 03:04:05.25+02:00 ", datetime(2026, 1, 2, 1, 4, 5, 250_000, tzinfo=UTC)),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)),
        (date(2026, 1, 2), datetime(2026, 1, 2, tzinfo=UTC)),
        (datetime(2026, 1, 2), datetime(2026, 1, 2, tzinfo=UTC)),  # noqa: DTZ001 - that is the case
        (datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2))), datetime(2026, 1, 1, 22, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1_767_323_045.5, datetime(2026, 1, 2, 3, 4, 5, 500_000, tzinfo=UTC)),
        (Decimal("1767323045"), datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_utc(value: object, expected: datetime) -> None:
    """ISO 8601, epoch seconds, dates and datetimes."""
    assert parse_logged_at(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "yesterday",
        "2026-13-01",
        float("nan"),
        float("inf"),
        10**400,
        1e18,
        -1e18,
        [],
        {},
        b"2026",
        Decimal("NaN"),
        Decimal("sNaN"),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
        "9999-12-31T23:59:59-05:00",
    ],
)
def test_what_is_no_time_has_a_reason(value: object) -> None:
    """Never another exception."""
    with pytest.raises(BadInput, match="invalid_logged_at"):
        parse_logged_at(value)


def test_bad_input_survives_pickling() -> None:
    """Errors cross process boundaries with code and detail."""
    import pickle

    error = pickle.loads(pickle.dumps(BadInput("invalid_json", "line 3")))
    assert (error.code, error.detail, str(error)) == ("invalid_json", "line 3", "invalid_json: line 3")


def test_every_reason_is_a_sentence() -> None:
    """Codes are snake_case names, sentences end with a full stop."""
    for code, sentence in REASONS.items():
        assert code.replace("_", "a").isalpha() and code.islower()
        assert sentence.endswith(".") and describe(code) == sentence
    assert describe("something_else") == "something_else"


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | st.sampled_from(["[]", "[null]", '["a"]', "{}", '{"a": {}}']),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
DRIVER_VALUES = JSON_VALUES | st.one_of(
    st.datetimes(),
    st.dates(),
    st.decimals(),
    st.binary(max_size=8),
    st.binary(max_size=8).map(memoryview),
    st.uuids(),
)
FIELDS = ["log_id", "question", "response", "documents", "ground_truth", "segments", "response_sentences"]


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), DRIVER_VALUES) | DRIVER_VALUES)
def test_parse_log_raises_nothing_but_bad_input(raw: Any) -> None:
    """Whatever a JSON reader or database driver returns."""
    try:
        log = parse_log({**GOOD, **raw} if isinstance(raw, dict) else raw)
    except BadInput as error:
        assert error.code in QUARANTINE_REASONS
    else:
        assert log.question.strip()
        for text in (log.log_id, log.question, log.response, *(d.text for d in log.documents)):
            assert "\x00" not in text
            text.encode("utf-8")


@settings(max_examples=200, deadline=None)
@given(DRIVER_VALUES)
def test_parse_logged_at_raises_nothing_but_bad_input(value: object) -> None:
    """A time in UTC or a reason."""
    try:
        assert parse_logged_at(value).tzinfo is UTC
    except BadInput as error:
        assert error.code == "invalid_logged_at"
