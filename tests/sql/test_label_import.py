"""Labels from files: each row kept or refused with a reason, the later verdict stands, nothing is a traceback."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.test_trust_rates import evaluate, scorer
from tests.sql.tools import login, noon, rows, url_of
from trace_core.errors import BadInput
from trace_pipeline.cli.main import main
from trace_pipeline.trust.label_rows import (
    LABEL_REASONS,
    VERDICT_WORDS,
    LabelDefaults,
    read_label,
)

Command = Callable[..., tuple[int, str, str]]
AT = "2026-11-01T10:00:00Z"
KEPT = (
    "select log_id, sentence_key, verdict, note, labelled_by, source, drawn, input_hash from trace.label"
    " order by log_id, sentence_key nulls first, labelled_by"
)
HOSTILE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"log_id": ""}, "missing_log_id"),
    ({"log_id": "nobody"}, "unknown_log"),
    ({"log_id": "x" * 100_000}, "unknown_log"),
    ({"log_id": "a\u0000"}, "invalid_text"),
    ({"log_id": ["a"]}, "invalid_text"),
    ({"log_id": "twin"}, "ambiguous_log"),
    ({"logged_at": "yesterday"}, "invalid_logged_at"),
    ({"logged_at": "2026-10-02"}, "unknown_log"),
    ({"verdict": ""}, "missing_verdict"),
    ({"verdict": "perhaps"}, "unknown_verdict"),
    ({"verdict": {"a": 1}}, "invalid_text"),
    ({"sentence_key": "B"}, "invalid_sentence_key"),
    ({"sentence_key": "zz"}, "unknown_sentence"),
    ({"sentence_key": "a", "level": "response"}, "level_contradicts_key"),
    ({"level": "sentence"}, "level_contradicts_key"),
    ({"note": "x" * 2_001}, "note_too_long"),
    ({"note": "\ud800"}, "invalid_text"),
    ({"labelled_by": ""}, "missing_labelled_by"),
    ({"labelled_by": "x" * 201}, "invalid_labelled_by"),
    ({"labelled_at": None}, "missing_labelled_at"),
    ({"labelled_at": "soon"}, "invalid_labelled_at"),
    ({"labelled_at": "2150-01-01"}, "labelled_in_the_future"),
    ({"drawn": "perhaps"}, "invalid_drawn"),
)


@pytest.fixture
def known(engine: Engine) -> Engine:
    """A database that knows four answers, two of them of the same id."""
    number = scorer(engine)
    evaluate(engine, number, "a", noon(microseconds=123_456))
    evaluate(engine, number, "b")
    evaluate(engine, number, "twin")
    evaluate(engine, number, "twin", noon() + timedelta(hours=1))
    evaluate(engine, number, "=1+1")
    return engine


@pytest.fixture
def label(
    known: Engine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """Run `trace-pipeline label` over a text; returns exit code, output and standard error."""

    def call(text: str | bytes, *options: str, name: str = "labels.csv") -> tuple[int, str, str]:
        content = text if isinstance(text, bytes) else text.encode()
        path = tmp_path / name
        path.write_bytes(content)
        if name == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        given = ["-" if name == "-" else str(path), "--database-url", url_of(known), *options]
        monkeypatch.setattr(sys, "argv", ["trace-pipeline", "label", *given])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capfd.readouterr()  # type: ignore[return-value]

    return call


def test_a_file_is_kept_once_and_the_later_verdict_stands(label: Command, known: Engine) -> None:
    """By id and whole second, by id alone, by sentence; a second time nothing changes."""
    file = (
        "\ufeffLog ID,log_id,logged at,verdict,sentence key,note,Labelled-By,labelled_at,drawn\r\n"
        f',a,2026-10-01T12:00:00Z,Hallucinated,,"two\r\nlines, =HYPERLINK()",ada,{AT},true\r\n'
        f",b,,1.0,,,bob,{AT},\r\n"
        f",b,,not-supported,b,,bob,{AT},\r\n"
        f",'=1+1,,yes,,'=cmd,ada,{AT},\r\n"
        ",b,,unsure,,,bob,2026-11-01T09:00:00Z,\r\n"
    )
    code, output, _ = label(file)
    assert code == 0 and "5 labels read: 4 new, 0 replaced, 1 unchanged. 0 rows refused." in output
    expected = [
        ("=1+1", None, "supported", "=cmd", "ada", "csv", False, "h"),
        ("a", None, "unsupported", "two\r\nlines, =HYPERLINK()", "ada", "csv", True, "h"),
        ("b", None, "supported", "", "bob", "csv", False, "h"),
        ("b", "b", "unsupported", "", "bob", "csv", False, "h"),
    ]
    assert rows(known, KEPT) == expected
    assert "0 new, 0 replaced, 5 unchanged" in label(file)[1]
    assert rows(known, KEPT) == expected
    later = json.dumps({"log_id": "a", "verdict": False, "labelled_by": "ada", "labelled_at": "2026-11-02"})
    assert "0 new, 1 replaced" in label(later, name="-")[1]
    assert rows(known, KEPT)[1][2:] == ("unsupported", "", "ada", "jsonl", True, "h")


def test_every_row_that_cannot_be_kept_says_why(label: Command, known: Engine, tmp_path: Path) -> None:
    """With its number, a code and a sentence, also in the file of refusals; the good rows are kept."""
    good = {"log_id": "a", "verdict": True, "labelled_by": "ada", "labelled_at": AT}
    lines = [json.dumps(good | change) for change, _ in HOSTILE] + ["[1]", "{", json.dumps(good)]
    refused = tmp_path / "refused.jsonl"
    code, output, error = label("\n".join(lines), "--refused", str(refused), name="labels.jsonl")
    assert code == 1 and "1 labels read: 1 new" in output and f"{len(lines) - 1} rows refused" in output
    found = {one["line"]: one["reason"] for one in map(json.loads, refused.read_text().splitlines())}
    assert [found[at] for at in range(1, len(HOSTILE) + 1)] == [code for _, code in HOSTILE]
    assert found[len(HOSTILE) + 1] == "not_an_object" and found[len(HOSTILE) + 2] == "invalid_json"
    assert "row 1: missing_log_id: The row names no log." in error and "Traceback" not in error
    assert {code for _, code in HOSTILE} | {"not_an_object"} == set(LABEL_REASONS)
    assert len(rows(known, KEPT)) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty_file"),
        (b"PK\x03\x04", "not_a_log_file"),
        (b"who,what\n1,2\n", "missing_header"),
        (b"log_id,verdict\na,yes,no\n", "wrong_number_of_columns"),
        (b"log_id,verdict\n\xff,yes\n", "invalid_encoding"),
        (b'log_id,verdict\n"a,yes\n', "wrong_number_of_columns"),
        (b"log_id,verdict\n" + b"x" * 3_000_000 + b",yes\n", "unknown_log"),
    ],
)
def test_a_file_that_is_no_list_of_labels_is_refused(label: Command, content: bytes, says: str) -> None:
    """In a sentence, with exit code 1."""
    code, _, error = label(content, "--labelled-by", "ada", "--labelled-at", AT)
    assert code == 1 and says in error and "Traceback" not in error


def test_a_dry_run_checks_and_writes_nothing(label: Command, known: Engine) -> None:
    """Options stand in for what the rows do not say."""
    options = ("--labelled-by", "ada", "--labelled-at", AT)
    code, output, _ = label("log_id,verdict\na,yes\nb,no\n", *options, "--dry-run")
    assert code == 0 and "2 labels can be kept; nothing was written" in output
    assert rows(known, KEPT) == []
    assert label("log_id,verdict\na,yes\n", "--labelled-by", "ada", "--labelled-at", "noon")[0] == 1


def test_the_labeller_s_role_is_enough(known: Engine, label: Command) -> None:
    """A member of trace_labeller may import; a mere reader is told in a sentence."""
    for role, code in (("trace_labeller", 0), ("trace_reader", 1)):
        with login(known, role) as member:
            done, _, error = label(
                f"log_id,verdict,labelled_by,labelled_at\nb,yes,{role},{AT}\n",
                "--database-url",
                url_of(member),
            )
        assert done == code and "Traceback" not in error


@pytest.mark.parametrize("verdict", VERDICT_WORDS)
def test_the_documented_words_are_understood(verdict: str) -> None:
    """In any case, with hyphens or underscores; and as JSON's true, false, 1 and 0."""
    defaults = LabelDefaults(noon() + timedelta(days=99), "ada", noon())
    page = (Path(__file__).parents[2] / "docs/how-to/label.md").read_text(encoding="utf-8")
    for word in VERDICT_WORDS[verdict]:
        assert f"`{word}`" in page, word
        for form in (word, word.upper(), word.replace(" ", "_"), f" {word} "):
            assert read_label({"id": 1, "label": form}, defaults).verdict == verdict
    for value, says in ((True, "supported"), (1, "supported"), (0, "unsupported"), (0.0, "unsupported")):
        assert read_label({"id": "x", "label": value}, defaults).verdict == says
    with pytest.raises(BadInput, match="not_an_object"):
        read_label(None, defaults)
