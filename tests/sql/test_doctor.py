"""doctor: each planted misconfiguration is found, named, and given a remedy; a sound installation has none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, make_url
from typer.testing import CliRunner

from tests.sql.tools import MakePipeline, a_log, execute
from trace_pipeline.cli.main import app
from trace_pipeline.doctor import Finding, diagnose
from trace_pipeline.load import load_logs
from trace_pipeline.nightly import run_window
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.window import Window

NOW = datetime.now(UTC)
YESTERDAY = NOW.date() - timedelta(days=1)


def findings(
    database: str | None, source: str | None = None, now: datetime = NOW, **airflow: str
) -> list[Finding]:
    """Return all that is not in order."""
    found = diagnose(results_url=database, source_url=source, now=now, **airflow)  # type: ignore[arg-type]
    return [finding for finding in found if finding.level != "ok"]


def logged(engine: Engine, *moments: datetime) -> None:
    """Write a log at each moment."""
    for _ in load_logs(engine, [a_log(f"log-{at.isoformat()}", at) for at in moments]):
        pass


@pytest.fixture
def sound(engine: Engine, make_pipeline: MakePipeline) -> Engine:
    """A database whose three last nights were scored and judged, as a login that may do just enough would see it."""
    days = [YESTERDAY - timedelta(days=back) for back in (2, 1, 0)]
    logged(engine, *(datetime(d.year, d.month, d.day, 12, tzinfo=UTC) for d in days))
    pipeline = make_pipeline()
    run_window(pipeline, Window(days[0], days[-1]), late_days=0)
    detect_drift(pipeline)
    execute(engine, "select trace.ensure_evaluation_partitions(current_date, current_date + 62)")
    return engine


def texts(found: list[Finding]) -> str:
    """Join the sentences, for a message that shows them all."""
    return "\n".join(
        f"{finding.level} {finding.part}: {finding.text} -> {finding.remedy}" for finding in found
    )


def test_a_sound_installation_has_no_fault(sound: Engine, database: str) -> None:
    """Only the superuser of the tests is remarked upon."""
    found = findings(database)
    assert len(found) == 1 and "superuser" in found[0].text, texts(found)


def drop_view(engine: Engine) -> None:
    """Take a view away."""
    execute(engine, "drop view trace.night_ledger cascade")


def older_revision(engine: Engine) -> None:
    """Pretend an earlier release laid the schema."""
    execute(engine, "update trace.alembic_version set version_num = '0001_initial'")


def newer_revision(engine: Engine) -> None:
    """Pretend a later release laid the schema."""
    execute(engine, "update trace.alembic_version set version_num = '9999_future'")


def no_schema(engine: Engine) -> None:
    """Never migrated."""
    execute(engine, "drop schema trace cascade")


def no_index(engine: Engine) -> None:
    """Take away the index that nights read by."""
    execute(engine, "drop index trace.rag_log_logged_at")


def no_table(engine: Engine) -> None:
    """Another name than the settings have."""
    execute(engine, "alter table trace.rag_log rename to answers")


def no_column(engine: Engine) -> None:
    """A column less."""
    execute(engine, "alter table trace.rag_log rename column question to asked")


def wrong_type(engine: Engine) -> None:
    """Times as text."""
    execute(engine, "alter table trace.rag_log alter column logged_at type text")


def empty_source(engine: Engine) -> None:
    """Nothing was ever logged."""
    execute(engine, "truncate trace.rag_log")


def future_logs(engine: Engine) -> None:
    """A clock that runs ahead."""
    logged(engine, NOW + timedelta(days=3))


def failed_logs(engine: Engine) -> None:
    """The last night lost a batch."""
    execute(engine, "update trace.ledger set failed = 1, scored = scored - 1 where day = :day", day=YESTERDAY)


def quarantined_logs(engine: Engine) -> None:
    """The last night could not read most of its logs."""
    execute(
        engine,
        "update trace.ledger set quarantined = 1, scored = scored - 1, reasons = '{\"missing_question\": 1}'"
        " where day = :day",
        day=YESTERDAY,
    )


def missing_night(engine: Engine) -> None:
    """A night in between was never run."""
    execute(engine, "delete from trace.ledger where day = :day", day=YESTERDAY - timedelta(days=1))


def old_nights(engine: Engine) -> None:
    """The nightly run has stopped."""
    execute(engine, "delete from trace.drift_check")
    execute(engine, "update trace.ledger set day = day - 10")


def other_version(engine: Engine) -> None:
    """The last night was scored by an earlier release."""
    execute(engine, "update trace.scorer set fingerprint = 'earlier'")


def unjudged(engine: Engine) -> None:
    """The watch is paused."""
    execute(engine, "delete from trace.drift_check")


def undelivered(engine: Engine) -> None:
    """A channel refuses."""
    execute(
        engine,
        "insert into trace.alert_delivery (event_key, channel, state, detail)"
        " values ('k', 'slack', 'failed', 'token expired')",
    )


def read_only(engine: Engine) -> None:
    """An administrator has closed the database for a move."""
    execute(engine, f'alter database "{engine.url.database}" set default_transaction_read_only to on')
    engine.dispose()


def lost_table(engine: Engine) -> None:
    """Somebody has cleaned up by hand."""
    execute(engine, "drop table trace.day_to_restate cascade")


def view_without_key(engine: Engine) -> None:
    """A view of one's own that leaves the id out."""
    execute(engine, "alter table trace.rag_log rename column log_id to answer_id")


def marked(engine: Engine) -> None:
    """A run died between its rows and their sums."""
    execute(
        engine,
        "insert into trace.day_to_restate select min(scorer_id), current_date - 1 from trace.scorer",
    )


@pytest.mark.parametrize(
    ("plant", "level", "named", "remedy"),
    [
        (drop_view, "fault", "night_ledger", "migrate"),
        (older_revision, "fault", "0001_initial", "migrate"),
        (newer_revision, "fault", "9999_future", "Install the release"),
        (no_schema, "fault", "no schema trace", "migrate"),
        (no_index, "advice", "no index that starts with 'logged_at'", "reate an index"),
        (no_table, "fault", "'rag_log'", "Correct the setting"),
        (no_column, "fault", "source.columns.question", "Correct the setting"),
        (wrong_type, "fault", "casts it to timestamptz", "Correct the setting"),
        (empty_source, "advice", "empty", "write its logs"),
        (future_logs, "advice", "in the future", "clock"),
        (failed_logs, "fault", "1 of 1 logs failed", "clear it"),
        (quarantined_logs, "advice", "missing_question", "reason-codes"),
        (missing_night, "advice", "1 nights of the last 30", "trace_rescore"),
        (old_nights, "fault", "nights since then are missing", "unpaused"),
        (other_version, "advice", "earlier", "bridge"),
        (unjudged, "fault", "no night has been judged", "trace_watch_drift"),
        (undelivered, "fault", "token expired", "alerts.md"),
        (marked, "advice", "1 days wait", "next run"),
        (read_only, "fault", "read-only", "default_transaction_read_only"),
        (lost_table, "fault", "day_to_restate", "backup"),
        (view_without_key, "fault", "source.columns.log_id", "Correct the setting"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_planted_fault_is_found(
    sound: Engine, database: str, plant: Callable[[Engine], None], level: str, named: str, remedy: str
) -> None:
    """It is named in one sentence, with what to do."""
    plant(sound)
    found = findings(database)
    hits = [f for f in found if f.level == level and named in f.text and remedy in f.remedy]
    assert len(hits) == 1, texts(found)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("TRACE_LATE_DAYS", "many", "late_days"),
        ("TRACE_LATE_DAY", "7", "TRACE_LATE_DAY"),
        ("TRACE_DAY_TIME_ZONE", "Berlin", "day_time_zone"),
        ("TRACE_SCORERS", '["nobody"]', "nobody"),
        ("TRACE_CONFIG", "missing.toml", "missing.toml"),
        ("TRACE_CONFIG", "/tmp", "not a file"),
        ("trace_late_day", "7", "is TRACE_LATE_DAYS meant?"),
        ("TRACE_ALERTS__CHANELS", '["log"]', "is channels meant?"),
        ("TRACE_SCHEDULE", "every day", "five fields"),
        ("TRACE_WATCH_METRICS", '["adherance"]', "adherance"),
        ("TRACE_ALERTS__DEADLINE_MINUTES", "0", "deadline_minutes"),
    ],
)
def test_a_wrong_setting_is_named(
    database: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    """A misspelt, unreadable or impossible setting is a fault of its own."""
    monkeypatch.setenv(name, value)
    found = findings(database)
    assert found[0].level == "fault" and found[0].part == "settings" and named in found[0].text, texts(found)


_JUDGE = {
    "TRACE_SCORERS": '["lexical", "judge"]',
    "TRACE_JUDGE__ENDPOINT": "http://127.0.0.1:9/v1",
    "TRACE_JUDGE__MODEL": "m-2026-08-01",
}


@pytest.mark.parametrize(
    ("environment", "level", "named", "remedy"),
    [
        ({"TRACE_ALERTS__CHANNELS": "[]"}, "advice", "nobody is told", "alerts.channels"),
        ({"TRACE_ALERTS__CHANNELS": '["hooks.slack.com/x"]'}, "fault", "Channel 1 of 1", "alerts.md"),
        ({"TRACE_ALERTS__CHANNELS": '["log", "slak://sesame"]'}, "fault", "Channel 2 of 2", "alerts.md"),
        (
            {"TRACE_RETENTION_DAYS": "30", "TRACE_LATE_DAYS": "60"},
            "fault",
            "kept for 30 days",
            "larger than late_days",
        ),
        (_JUDGE, "fault", "127.0.0.1:9 cannot be reached", "judge.endpoint"),
        ({**_JUDGE, "TRACE_JUDGE__CALLS_PER_NIGHT": "0"}, "advice", "is never asked", "calls_per_night"),
        ({**_JUDGE, "TRACE_JUDGE__MODEL": ""}, "fault", "judge.model", "setting"),
        (
            {**_JUDGE, "TRACE_JUDGE__ENDPOINT": "https://127.0.0.1:9/v1"},
            "advice",
            "TRACE_JUDGE_API_KEY holds no key",
            "trace_judge",
        ),
        (
            {"TRACE_TELEMETRY__OTLP_ENDPOINT": "http://127.0.0.1:9"},
            "fault",
            "127.0.0.1:9 cannot be reached",
            "telemetry.otlp_endpoint",
        ),
        ({"TRACE_IMPORT_FOLDER": "/nowhere/logs"}, "fault", "/nowhere/logs", "mount"),
        ({"TRACE_IMPORT_REFUSED_FOLDER": "/nowhere/no"}, "fault", "/nowhere/no", "mount"),
    ],
)
def test_what_settings_point_at_is_looked_at(
    sound: Engine,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    level: str,
    named: str,
    remedy: str,
) -> None:
    """Channels, judge, telemetry, folders, and days that contradict each other; no address is shown."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = findings(database)
    hits = [f for f in found if f.level == level and named in f.text and remedy in f.remedy]
    assert len(hits) == 1, texts(found)
    assert "sesame" not in texts(found)


def test_a_server_that_is_not_there_is_named(database: str) -> None:
    """Results and source are told apart, and the password is not shown."""
    away = make_url(database).set(port=1, password="sesame").render_as_string(hide_password=False)
    found = findings(away, database)
    assert [f.part for f in found if "cannot be reached" in f.text] == ["results"]
    assert "TRACE_RESULTS_URL" in found[0].remedy and "sesame" not in texts(found)
    found = findings(database, away)
    assert "TRACE_SOURCE_URL" in next(f.remedy for f in found if "cannot be reached" in f.text)


def test_no_results_database_is_said() -> None:
    """Nothing else can be looked at."""
    assert [f.text for f in findings(None)] == ["No results database is named."]


def test_something_that_is_no_url_is_said() -> None:
    """With the form it should have."""
    found = findings("localhost")
    assert len(found) == 1 and "postgresql://" in found[0].remedy


def test_a_login_without_rights_is_told_what_to_grant(sound: Engine, database: str) -> None:
    """A login that may only read is named, with the grant it needs."""
    execute(sound, "create role doctor_reader login password 'x' in role trace_reader")
    try:
        url = (
            make_url(database)
            .set(username="doctor_reader", password="x")
            .render_as_string(hide_password=False)
        )
        found = findings(url)
        assert any("grant trace_pipeline to the login doctor_reader" in f.remedy for f in found), texts(found)
    finally:
        execute(sound, "drop role doctor_reader")


def test_a_clock_that_is_off_is_noticed(sound: Engine, database: str) -> None:
    """By more than five minutes."""
    assert any("clock" in f.text for f in findings(database, now=NOW + timedelta(minutes=30)))


def test_an_airflow_that_is_not_there_is_said(sound: Engine, database: str) -> None:
    """As a fault of that part alone."""
    found = [f for f in findings(database, airflow_url="http://127.0.0.1:9") if f.part == "airflow"]
    assert len(found) == 1 and "No Airflow answers" in found[0].text


def test_the_command_ends_with_1_for_faults_and_0_without(
    sound: Engine, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a deployment can stand on it."""
    monkeypatch.setenv("TRACE_RESULTS_URL", database)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0, result.output
    assert "0 faults" in result.output
    unjudged(sound)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1 and "trace_watch_drift" in result.output
