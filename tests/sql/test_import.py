"""`trace-pipeline import` into a real table: upsert, counts, refusals, dry run, native JSONL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.sql.test_command_line import Command, command  # noqa: F401 - a fixture
from tests.sql.tools import MakePipeline, night, outcomes, rows

LOG = {
    "log_id": "1",
    "logged_at": "2026-10-01T12:00:00Z",
    "question": "How long is the warranty?",
    "documents": ["The warranty lasts two years."],
    "response": "Two years.",
    "metadata": {"score": float("nan"), "text": "a\x00b"},
}


def write(path: Path, *logs: object) -> Path:
    """Write logs as JSON lines."""
    path.write_text("".join(json.dumps(log) + "\n" for log in logs))
    return path


def test_importing_again_changes_nothing(
    command: Command,  # noqa: F811
    database: str,
    engine: Engine,
    make_pipeline: MakePipeline,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """New rows, then none, then the one whose content changed; a night scores what was imported."""
    monkeypatch.setenv("TRACE_RESULTS_URL", database)
    file = write(tmp_path / "logs.jsonl", LOG, {**LOG, "log_id": "2"})
    code, output, _ = command("import", file)
    assert (code, "2 rows imported (2 new, 0 changed, the rest unchanged), 0 refused." in output) == (0, True)
    assert "read as native" in output
    assert "(0 new, 0 changed, the rest unchanged)" in command("import", file)[1]
    write(file, LOG, {**LOG, "log_id": "2", "response": "One year."})
    assert "(0 new, 1 changed, the rest unchanged)" in command("import", file)[1]
    assert rows(engine, "select metadata from trace.rag_log where log_id = '1'") == [
        ({"score": None, "text": "a\ufffdb"},)
    ]
    night(make_pipeline())
    assert outcomes(engine) == {"1": "scored", "2": "scored"}


def test_refused_rows_are_told_and_written(
    command: Command,  # noqa: F811
    database: str,
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 1, row, line, reason and remedy on the terminal for the first 20, in the file for all."""
    monkeypatch.setenv("TRACE_RESULTS_URL", database)
    broken = [{**LOG, "log_id": str(number), "response": None} for number in range(30)]
    file = write(tmp_path / "logs.jsonl", *broken, {**LOG, "log_id": "good"})
    code, output, error = command("import", "--refused", tmp_path / "refused.jsonl", file)
    assert code == 1
    assert error.count("missing_response") == 20
    assert f"{file}, row 1: missing_response: The log has no response. Name its field" in error
    assert "1 rows imported" in output
    assert "30 missing_response" in output
    told = [json.loads(line) for line in (tmp_path / "refused.jsonl").read_text().splitlines()]
    assert [entry["row"] for entry in told] == list(range(1, 31))
    assert rows(engine, "select log_id from trace.rag_log") == [("good",)]


def test_a_dry_run_writes_nothing_and_cannot_steer_the_terminal(
    command: Command,  # noqa: F811
    tmp_path: Path,
) -> None:
    """The first rows as a table, without a database; control characters are shown as spaces."""
    file = write(tmp_path / "logs.jsonl", {**LOG, "question": "\x1b[2Jclear\u202e?"}, LOG)
    code, output, _ = command("import", "--dry-run", "--rows", "1", file)
    assert code == 0
    assert "\x1b[2J" not in output
    assert "\u202e" not in output
    assert "Nothing was written." in output


def test_native_lines_can_be_written_for_score(
    command: Command,  # noqa: F811
    tmp_path: Path,
) -> None:
    """--to writes what `score` reads."""
    file = write(tmp_path / "logs.jsonl", LOG)
    assert command("import", "--to", tmp_path / "native.jsonl.gz", file)[0] == 0
    code, output, _ = command("score", "--input", tmp_path / "native.jsonl.gz")
    assert code == 0
    assert json.loads(output.splitlines()[0])["status"] == "scored"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--format", "csv"], "--format must be one of auto, native"),
        (["--time-zone", "Mars/Base"], "--time-zone 'Mars/Base' is not a time zone"),
        (["--logged-at", "noon"], "--logged-at must be a time such as"),
        (["--encoding", "klingon"], "--encoding 'klingon' is not the name of an encoding"),
        (["--mapping", "nowhere.toml"], "--mapping nowhere.toml cannot be read"),
        (["no_such_file"], "no_such_file is not a file"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    command: Command,  # noqa: F811
    tmp_path: Path,
    arguments: list[str],
    says: str,
) -> None:
    """Exit code 1 and what it may be."""
    code, _, error = command("import", *arguments, "--dry-run", write(tmp_path / "logs.jsonl", LOG))
    assert (code, says in error) == (1, True)
    assert "Traceback" not in error
