"""trace_import, run by Airflow: files land once, refusals are counted, other folders stay unread."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.dags.conftest import states
from tests.dags.test_runs import told

pytestmark = pytest.mark.airflow
LOG = {
    "log_id": "1",
    "logged_at": "2026-10-01T12:00:00Z",
    "question": "How long?",
    "documents": ["Two years."],
    "response": "Two years.",
}


def stored(engine: Engine) -> list[str]:
    """Return the ids in the table of logs."""
    with engine.connect() as connection:
        return list(connection.scalars(text("select log_id from trace.rag_log order by log_id")))


def test_a_folder_is_imported_once_and_refusals_are_written(
    engine: Engine, run_dag: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files, one with a refused row; running again leaves the same rows."""
    folder, refused = tmp_path / "in", tmp_path / "refused"
    (folder / "day").mkdir(parents=True)
    refused.mkdir()
    (folder / "day/a.jsonl").write_text(json.dumps(LOG) + "\n{broken\n")
    (folder / "day/b.json").write_text(json.dumps([{**LOG, "log_id": "2"}]))
    (folder / "day/notes.txt").write_text("not a log")
    monkeypatch.setenv("TRACE_IMPORT_FOLDER", str(folder))
    monkeypatch.setenv("TRACE_IMPORT_REFUSED_FOLDER", str(refused))
    for _ in range(2):
        run = run_dag("trace_import", path="day", format="native")
        assert states(run) == {
            "list_files": "success",
            "import_file[0]": "success",
            "import_file[1]": "success",
        }
        assert stored(engine) == ["1", "2"]
    (line,) = (refused / "day_a.jsonl.refused.jsonl").read_text().splitlines()
    assert (json.loads(line)["row"], json.loads(line)["reason"]) == (2, "invalid_json")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("../secret.jsonl", "must lie below import_folder"),
        ("/etc/passwd", "must lie below import_folder"),
        ("file:///etc/passwd", "must lie below import_folder"),
        ("link.jsonl", "leads out of import_folder by a link"),
        ("nowhere", "There is no log file at"),
    ],
)
def test_nothing_outside_of_the_folder_is_read(
    engine: Engine,
    run_dag: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    path: str,
    says: str,
) -> None:
    """Neither by dots, addresses nor links; the task fails at once and says why."""
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "secret.jsonl").write_text(json.dumps(LOG))
    (folder / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    monkeypatch.setenv("TRACE_IMPORT_FOLDER", str(folder))
    run = run_dag("trace_import", retries=None, path=path)
    assert run.state == "failed"
    assert says in told(capfd)
    assert stored(engine) == []


def test_without_a_folder_nothing_is_imported(
    engine: Engine, run_dag: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """The setting is empty by default, and the sentence names it."""
    assert run_dag("trace_import", retries=None).state == "failed"
    assert "Setting import_folder (TRACE_IMPORT_FOLDER) is empty" in told(capfd)


@pytest.mark.parametrize(
    ("extra", "allowed", "says"),
    [
        ({"endpoint_url": "http://minio.invalid:9000"}, "127.0.0.1", "would reach 'minio.invalid'"),
        ({}, "minio.invalid", "its connection names no endpoint_url"),
    ],
)
def test_the_air_gap_shuts_object_storage_off(
    engine: Engine,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    extra: dict[str, str],
    allowed: str,
    says: str,
) -> None:
    """By the host of the connection that the address names; an unknown host is refused as well."""
    monkeypatch.setenv("AIRFLOW_CONN_STORE", json.dumps({"conn_type": "aws", "extra": extra}))
    monkeypatch.setenv("TRACE_IMPORT_FOLDER", "s3://store@bucket/logs")
    monkeypatch.setenv("TRACE_AIR_GAP", "true")
    monkeypatch.setenv("TRACE_ALLOWED_HOSTS", allowed)
    assert run_dag("trace_import", retries=None).state == "failed"
    assert says in told(capfd)
