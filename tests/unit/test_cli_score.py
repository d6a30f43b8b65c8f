"""`trace-pipeline score`: a file in, a file out, no database."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from trace_pipeline.cli.main import main
from trace_pipeline.sample import SampleSettings, generate_jsonl

FIELDS = [
    "log_id",
    "status",
    "reason",
    "relevance",
    "utilization",
    "adherence",
    "adherence_probability",
    "completeness",
    "average",
    "fingerprint",
    "annotation",
]
GOOD = {
    "log_id": "one",
    "question": "Where is the office?",
    "documents": ["The office is in Paris."],
    "response": "The office is in Paris.",
}
Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Run `trace-pipeline` in this process; returns its exit code and standard error."""

    def call(*arguments: str | Path) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["trace-pipeline", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), capfd.readouterr().err

    return call


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_one_object_a_line_with_the_promised_fields(command: Command, tmp_path: Path) -> None:
    """The native form is scored and every output line has the same fields in the same order."""
    (tmp_path / "in.jsonl").write_text(
        json.dumps(GOOD) + "\n\n" + json.dumps(GOOD | {"log_id": "two"}) + "\n"
    )
    code, _ = command(
        "score", "--scorer", "heuristic", "--input", tmp_path / "in.jsonl", "--output", tmp_path / "out"
    )
    first, second = lines_of(tmp_path / "out")
    assert code == 0
    assert list(first) == FIELDS
    assert (first["log_id"], first["status"], first["adherence"]) == ("one", "scored", 1.0)
    assert second["log_id"] == "two"


def test_a_line_that_cannot_be_read_comes_out_with_its_reason(command: Command, tmp_path: Path) -> None:
    """No line is lost: each bad one has status quarantined and a reason code."""
    bad = [
        (b"{", "invalid_json"),
        (b"[1]", "not_an_object"),
        (b'{"log_id": "x", "question": "\xff"}', "invalid_encoding"),
        (json.dumps(GOOD | {"log_id": None}).encode(), "missing_log_id"),
        (json.dumps(GOOD | {"question": None}).encode(), "missing_question"),
        (json.dumps(GOOD | {"response": 7}).encode(), "response_not_text"),
        (json.dumps(GOOD | {"documents": {"a": 1}}).encode(), "documents_not_a_list"),
        (json.dumps(GOOD | {"documents": [["nested"]]}).encode(), "document_without_text"),
        (json.dumps(GOOD | {"question": "nul \x00"}).encode(), "invalid_encoding"),
        (json.dumps(GOOD | {"response": "\ud800"}).encode(), "invalid_encoding"),
        (b'{"log_id": ' + b"9" * 6000 + b"}", "invalid_json"),
        (b'{"a":' * 100_000, "invalid_json"),
    ]
    (tmp_path / "in.jsonl").write_bytes(
        b"\n".join(line for line, _ in bad) + b"\n" + json.dumps(GOOD).encode()
    )
    code, error = command("score", "--input", tmp_path / "in.jsonl", "--output", tmp_path / "out")
    results = lines_of(tmp_path / "out")
    assert code == 0, error
    assert [line["reason"] for line in results[:-1]] == [reason for _, reason in bad]
    assert {line["status"] for line in results[:-1]} == {"quarantined"}
    assert results[-1]["status"] == "scored"


def test_compressed_files_and_samples_go_through(command: Command, tmp_path: Path) -> None:
    """A .gz of sample traffic with every malformed kind gives one line a line, compressed again."""
    settings = SampleSettings(first_day=date(2026, 10, 1), nights=1, logs_per_night=200, malformed_share=0.3)
    lines = list(generate_jsonl(settings))
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    code, _ = command("score", "--input", tmp_path / "in.jsonl.gz", "--output", tmp_path / "out.jsonl.gz")
    assert code == 0
    results = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()
    assert len(results) == len(lines)


def test_ragbench_rows_are_named_by_their_three_keys(command: Command, tmp_path: Path) -> None:
    """log_id is dataset_name/id/generation_model_name and the row's own sentences are kept."""
    row = {
        "dataset_name": "demo_test",
        "id": "7",
        "generation_model_name": "model-x",
        "question": "Where is the office?",
        "documents": ["The office is in Paris. It is big."],
        "response": "In Paris.",
        "documents_sentences": [[["0a", "The office is in Paris."], ["0b", "It is big."]]],
        "response_sentences": [["a", "In Paris."]],
    }
    (tmp_path / "in.jsonl").write_text(json.dumps(row))
    code, _ = command("score", "--input", tmp_path / "in.jsonl", "--output", tmp_path / "out")
    (result,) = lines_of(tmp_path / "out")
    assert code == 0
    assert result["log_id"] == "demo_test/7/model-x"
    assert result["annotation"]["document_sentence_counts"] == [2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--scorer", "nope"], "there is no scorer 'nope'"),
        (["--input", "missing.jsonl"], "No such file"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    """Exit code 1, a sentence that says what is wrong, no traceback and no output file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(json.dumps(GOOD))
    given = arguments if "--input" in arguments else [*arguments, "--input", "in.jsonl"]
    code, error = command("score", *given, "--output", "out.jsonl")
    assert code == 1
    assert says in error
    assert "Traceback" not in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl"]


def test_a_damaged_archive_leaves_no_half_output(command: Command, tmp_path: Path) -> None:
    """A truncated .gz is refused with a sentence; the output file does not appear."""
    whole = gzip.compress(
        b"".join(json.dumps(GOOD | {"log_id": str(n)}).encode() + b"\n" for n in range(5_000))
    )
    (tmp_path / "in.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    code, error = command("score", "--input", tmp_path / "in.jsonl.gz", "--output", tmp_path / "out.jsonl")
    assert code == 1
    assert "ends early or is damaged" in error
    assert not (tmp_path / "out.jsonl").exists()
