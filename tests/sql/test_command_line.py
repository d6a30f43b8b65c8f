"""The commands that need a database, from an empty one to the alert."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from trace_pipeline.cli.main import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Run `trace-pipeline` in this process; returns exit code, output and standard error."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr(sys, "argv", ["trace-pipeline", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), *capfd.readouterr()

    return call


def test_from_an_empty_database_to_the_alert(
    command: Command, empty_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """migrate, sample, run, watch, digest, report and explain find the planted release and show a log behind it."""
    monkeypatch.setenv("TRACE_RESULTS_URL", empty_database)
    assert command("migrate")[0] == 0
    sample = ["--nights", "40", "--logs", "200", "--first-day", "2026-10-01", "--release-night", "32"]
    assert command("sample", *sample)[0] == 0
    code, output, _ = command("run", "--date", "2026-10-01", "--to", "2026-11-09")
    assert code == 0
    assert "40 days restated" in output
    _, output, _ = command("watch", "--dry-run")
    assert "tenant=acme" in output
    assert "2.4.0" in output
    code, output, _ = command("watch")
    assert "1 messages sent" in output
    assert "0 messages sent" in command("watch")[1]
    assert "RAG quality, 2 weeks to" in command("digest", "--weeks", "2", "--dry-run")[1]
    assert "1 messages sent" in command("digest")[1]
    assert "0 messages sent" in command("digest")[1]
    code, output, _ = command("report", "--table-nights", "5")
    assert code == 0
    assert "2026-11-09" in output
    assert command("report", "--segment", "tenant=acme")[0] == 0
    assert command("report", "--csv", tmp_path / "trend.csv")[0] == 0
    trend = pd.read_csv(tmp_path / "trend.csv")
    assert len(trend) == 40 * 5
    assert trend["mean"].between(0, 1).all()
    assert command("report", "--html", tmp_path / "trend.html")[0] == 0
    assert "tenant=acme" in (tmp_path / "trend.html").read_text()
    code, output, _ = command("explain", "s1-0035-000001")
    assert code == 0
    assert output.count("Evaluation log") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--date", "tomorrow"], "from_day must be a day such as"),
        (["run", "--date", "2026-10-02", "--to", "2026-10-01"], "is after to_day"),
        (["report", "--segment", "acme"], "--segment must be name=value"),
        (["sample", "--first-day", "x"], "--first-day must be a day"),
        (["explain", "nobody"], "There is no log 'nobody'"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    command: Command, database: str, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    """Exit code 1 and a sentence on standard error, never a traceback."""
    monkeypatch.setenv("TRACE_RESULTS_URL", database)
    code, _, error = command(*arguments)
    assert code == 1
    assert says in error
    assert "Traceback" not in error


def test_a_database_without_schema_says_what_to_run(
    command: Command, empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """run before migrate names the missing table or command."""
    monkeypatch.setenv("TRACE_RESULTS_URL", empty_database)
    code, _, error = command("run", "--date", "2026-10-01")
    assert code == 1
    assert "source.table" in error or "migrate" in error
    assert "Traceback" not in error


def test_an_empty_database_has_nothing_to_report(
    command: Command, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """report and watch on a schema without nights say so and end well."""
    monkeypatch.setenv("TRACE_RESULTS_URL", database)
    code, output, _ = command("report")
    assert code == 0
    assert "No night" in output
    assert command("watch")[0] == 0
