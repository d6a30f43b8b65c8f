"""Files of anchors: what is read, and what is refused by the number of its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trace_core.errors import ConfigurationError
from trace_core.scorers import get_scorer
from trace_pipeline.anchor import file as module
from trace_pipeline.anchor.file import Anchor, check_file, read_anchors
from trace_pipeline.cli.main import app


def line(anchor_id: str = "a", **fields: Any) -> str:
    """Return a good line, with other fields where they are given."""
    return json.dumps(
        {"anchor_id": anchor_id, "question": "Why?", "documents": ["So."], "response": "So.", **fields}
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test writes its file."""
    return tmp_path / "anchors.jsonl"


def test_the_shipped_set_is_whole() -> None:
    """58 anchors that differ, each with sentences to be judged, in a dozen languages."""
    anchors = read_anchors("")
    assert len({one.key for one in anchors}) == len({one.content_hash for one in anchors}) == 58
    assert len({one.language for one in anchors}) == 12
    for one in anchors:
        sentences = get_scorer("lexical").sentences(one.log())
        assert sentences.response and any(sentences.documents), one.anchor_id


def test_blank_lines_and_other_fields_are_let_pass(path: Path) -> None:
    """So are a byte order mark and documents that are objects."""
    path.write_text(
        "\ufeff" + line("a", kind="x", language="de") + "\n\n" + line("b", documents=[{"text": "T."}]),
        encoding="utf-8",
    )
    assert read_anchors(str(path)) == [
        Anchor("a", "Why?", ("So.",), "So.", "de"),
        Anchor("b", "Why?", ("T.",), "So."),
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("{", "The line is not valid JSON"),
        ("[1]", "The row is not an object"),
        ("\x00", "The line is not valid JSON"),
        (line(""), "anchor_id must be a text"),
        (line("x" * 201), "anchor_id is longer than 200 characters"),
        (line("a\u0000"), "NUL"),
        (line(7), "anchor_id must be a text"),  # type: ignore[arg-type]
        (line(question=" "), "The log has no question"),
        (line(response="  "), "The log has no response (blank)"),
        (line(response=None), "The log has no response"),
        (line(documents=[]), "an anchor needs a document with text"),
        (line(documents=[" "]), "an anchor needs a document with text"),
        (line(documents="So."), "documents"),
        (line("first"), "Line 1 has the same anchor_id"),
    ],
)
def test_a_line_that_is_no_anchor_is_named(path: Path, bad: str, why: str) -> None:
    """With its number and the reason, never with its text; the set is refused whole."""
    path.write_text(f"{line('first', response='A secret.')}\n\n{bad}\n{line('last')}\n", encoding="utf-8")
    anchors, (refused,) = check_file(path)
    assert [one.anchor_id for one in anchors] == ["first", "last"]
    assert refused.line == 3 and why in refused.why
    with pytest.raises(ConfigurationError) as error:
        read_anchors(str(path))
    assert str(error.value).startswith(f"Setting judge.anchor_file: {path}, line 3: ")
    assert "secret" not in str(error.value)


def test_lines_of_any_length_and_bytes_are_survived(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is too long is one line; bytes that are no text are refused."""
    monkeypatch.setattr(module, "_LONGEST_LINE", 500)
    long = line("long", response="x" * 3_000).encode()
    path.write_bytes(b"\n".join([long, b"\xff\xfe", line("good").encode(), long]))
    anchors, refused = check_file(path)
    assert [one.anchor_id for one in anchors] == ["good"]
    assert [one.line for one in refused] == [1, 2, 4]
    assert "more than 500 bytes" in refused[0].why


@pytest.mark.parametrize(("content", "why"), [("", "holds no anchor"), ("\n \n", "holds no anchor")])
def test_an_empty_file_is_refused(path: Path, content: str, why: str) -> None:
    """It would switch the watch off without a word."""
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=why):
        read_anchors(str(path))


def test_a_missing_file_and_a_folder_are_refused(path: Path) -> None:
    """By name, with the system's reason."""
    for wrong in (path, path.parent):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            read_anchors(str(wrong))


def test_more_anchors_than_can_be_asked_about_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a call a night."""
    monkeypatch.setattr(module, "MOST", 2)
    path.write_text("\n".join(line(name) for name in "abc"), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="3 anchors; at most 2"):
        read_anchors(str(path))


def test_the_content_hash_is_of_the_texts_alone() -> None:
    """Another text is another anchor, another language or id is not."""
    one = Anchor("a", "Q?", ("D.",), "R.")
    assert one.content_hash == Anchor("b", "Q?", ("D.",), "R.", "de").content_hash
    others = [
        Anchor("a", "Q", ("D.",), "R."),
        Anchor("a", "Q?", ("D.", ""), "R."),
        Anchor("a", "Q?", ("D.",), "R"),
    ]
    assert len({one.content_hash, *(other.content_hash for other in others)}) == 4


def test_the_command_checks_a_file(path: Path) -> None:
    """Exit code 1 and a line each where something is wrong; a word where the set is small."""
    path.write_text(f"{line('a')}\n{{\n{line('a')}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["anchor", "--check", str(path)])
    assert done.exit_code == 1
    assert (
        "line 2: The line is not valid JSON" in done.output and "line 3: Line 1 has the same" in done.output
    )
    path.write_text(line("a"), encoding="utf-8")
    done = CliRunner().invoke(app, ["anchor", "--check", str(path)])
    assert done.exit_code == 0 and "1 anchors. With fewer than 40" in done.output


def test_the_command_lists_the_set_without_a_database() -> None:
    """And says how to see more."""
    done = CliRunner().invoke(app, ["anchor"])
    assert done.exit_code == 0 and "58 anchors" in done.output and "TRACE_RESULTS_URL" in done.output
