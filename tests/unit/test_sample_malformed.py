"""The malformed part of the sample traffic: each row lands where it says it will."""

import json
import re
from collections import Counter
from datetime import date

import pytest

from trace_core.errors import BadInput
from trace_core.reasons import QUARANTINE_REASONS
from trace_core.records import parse_log, parse_log_line
from trace_core.timestamps import parse_logged_at
from trace_pipeline.sample import SampleSettings, generate, generate_jsonl
from trace_pipeline.sample.malformed import LINE_SHAPES, ROW_SHAPES, break_row, broken_line

SETTINGS = SampleSettings(date(2026, 9, 28), nights=20, logs_per_night=60, malformed_share=0.03)
GOOD = next(generate(SampleSettings(date(2026, 9, 28), malformed_share=0.0)))
GOOD_LINE = {**GOOD, "logged_at": GOOD["logged_at"].isoformat()}
ONLY_IN_A_FILE = {
    "not_an_object",
    "invalid_json",
    "invalid_encoding",
    "missing_log_id",
    "duplicate_log_id",
    "invalid_logged_at",
    "question_not_text",
    "response_not_text",
    "ground_truth_not_text",
}
MARKER = re.compile(rb'"malformed": "(\w+)"')


def reason(line: bytes, seen: set[str]) -> str | None:
    """The code a line must be quarantined with, or None for a readable one."""
    try:
        raw = parse_log_line(line)
        parse_logged_at(raw.get("logged_at"))
        log = parse_log(raw)
    except BadInput as bad:
        return bad.code
    if log.log_id in seen:
        return "duplicate_log_id"
    seen.add(log.log_id)
    return None


@pytest.mark.parametrize("turn", range(len(ROW_SHAPES)))
def test_a_broken_row_is_quarantined_with_its_reason(turn: int) -> None:
    """Each shape gives exactly the reason code that its metadata names."""
    row = break_row(GOOD, turn)
    with pytest.raises(BadInput) as caught:
        parse_log(row)
    assert row["metadata"] == {"sample": {"malformed": caught.value.code}}


@pytest.mark.parametrize("turn", range(len(LINE_SHAPES)))
def test_a_broken_line_is_quarantined_with_its_reason(turn: int) -> None:
    """Each shape gives exactly the reason code that stands in the line."""
    line = broken_line(GOOD_LINE, turn, "another-id")
    found = MARKER.search(line)
    assert found
    assert reason(line, {GOOD["log_id"]}) == found[1].decode()


def test_every_reason_code_occurs() -> None:
    """Rows carry all codes that columns of Postgres allow, lines the others: together every code there is."""
    assert {code for code, _ in LINE_SHAPES} == ONLY_IN_A_FILE
    assert {code for code, _ in ROW_SHAPES} == set(QUARANTINE_REASONS) - ONLY_IN_A_FILE


def test_rows_fit_into_the_columns() -> None:
    """A malformed row still goes into trace.rag_log: texts are texts without NUL, the rest is JSON."""
    for turn in range(len(ROW_SHAPES)):
        row = break_row(GOOD, turn)
        for column in ("question", "response", "ground_truth"):
            assert row[column] is None or isinstance(row[column], str)
        text = json.dumps({key: row[key] for key in ("documents", "segments", "metadata", "question")})
        assert "\\u0000" not in text and "\\ud" not in text
        assert row["log_id"] == GOOD["log_id"] and row["logged_at"] == GOOD["logged_at"]


def test_malformed_rows_of_the_traffic_say_their_reason() -> None:
    """In generated traffic the marked rows and no others cannot be read, for the marked reason."""
    codes: Counter[str] = Counter()
    count = 0
    for row in generate(SETTINGS):
        count += 1
        expected = row["metadata"]["sample"].get("malformed")
        try:
            parse_log(row)
        except BadInput as bad:
            assert bad.code == expected
            codes[bad.code] += 1
        else:
            assert expected is None
    assert set(codes) == {code for code, _ in ROW_SHAPES}
    assert codes.total() / count == pytest.approx(SETTINGS.malformed_share, abs=0.012)


def test_malformed_lines_of_the_traffic_say_their_reason() -> None:
    """In a generated file the marked lines, and no others, are unreadable or repeat an id."""
    codes: Counter[str] = Counter()
    seen: set[str] = set()
    for line in generate_jsonl(SETTINGS):
        marked = MARKER.search(line)
        expected = marked[1].decode() if marked else None
        assert reason(line, seen) == expected
        if expected:
            codes[expected] += 1
    assert set(codes) == set(QUARANTINE_REASONS)


def test_large_rows_are_rare() -> None:
    """However much traffic, only every twentieth night has a row of several megabytes, and only one."""
    busy = SampleSettings(date(2026, 9, 28), nights=40, logs_per_night=100, malformed_share=1.0)
    marks = [row["metadata"]["sample"]["malformed"] for row in generate(busy)]
    assert marks.count("text_too_large") == 2


def test_clean_traffic_can_be_had() -> None:
    """With malformed_share 0 every row and line is readable."""
    clean = SampleSettings(date(2026, 9, 28), nights=2, logs_per_night=100, malformed_share=0.0)
    assert all("malformed" not in row["metadata"]["sample"] for row in generate(clean))
    assert not any(MARKER.search(line) for line in generate_jsonl(clean))
