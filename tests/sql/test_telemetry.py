"""Telemetry of real nights: what the stored results say arrives, and only of the newest night."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from tests.sql.tools import DAY, MakePipeline, a_log, insert, night, noon, rows
from tests.unit.otlp_server import otlp_server
from trace_pipeline.telemetry import sender


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no failure of one test keep the next from sending."""
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    monkeypatch.setattr(sender, "_pause", {})


def test_a_night_tells_its_ledger_its_means_and_its_findings(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """Rows by outcome, quarantine by reason, means with n as stored, and the unsupported answer by its id."""
    unsupported = a_log("bad", response="Elephants paint purple symphonies under water.")
    insert(
        engine, a_log("good"), unsupported, a_log("unreadable", question=None), a_log("empty", response="")
    )
    with otlp_server() as received:
        settings = {"otlp_endpoint": received.url}
        night(make_pipeline(scorers="heuristic", telemetry=settings))
        assert [event["gen_ai.response.id"] for event in received.events] == ["bad"]
        outcomes = received.measured("rag_quality.night.rows")
        assert outcomes["heuristic", "scored"] == 2 and outcomes["heuristic", "failed"] == 0
        assert received.measured("rag_quality.night.quarantined")[("heuristic", "missing_question")] == 1
        stored = rows(engine, "select metric, n, mean from trace.metric_trend where dimension = '' and n > 0")
        means = received.measured("rag_quality.night.mean")
        assert means == {("heuristic", metric): mean for metric, _, mean in stored}
        assert received.measured("rag_quality.night.answers")["heuristic", "adherence"] == 2
        assert b"Elephants" not in received.raw and b"purple" not in received.raw
        # Nothing is new: the batch has no events to tell again.
        night(make_pipeline(scorers="heuristic", telemetry=settings))
        assert len(received.events) == 1


def test_an_older_night_is_not_told_as_the_newest(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A gauge is about now: rescoring history does not move it."""
    insert(engine, a_log("old"), a_log("new", noon(days=1)))
    night(make_pipeline(scorers="heuristic"), nights=2)
    with otlp_server() as received:
        pipeline = make_pipeline(scorers="heuristic", telemetry={"otlp_endpoint": received.url})
        night(pipeline, force=True)
        assert received.measured("rag_quality.night.rows") == {}
        night(pipeline, DAY + timedelta(days=1), force=True)
        assert received.measured("rag_quality.night.rows")


def test_a_night_is_scored_whole_when_the_endpoint_fails(
    engine: Engine, make_pipeline: MakePipeline, caplog: pytest.LogCaptureFixture
) -> None:
    """The ledger is that of a night without telemetry, and the loss is said once."""
    insert(engine, *[a_log(f"log-{n}", noon(seconds=n)) for n in range(20)])
    with otlp_server(500) as received:
        settings = {"otlp_endpoint": received.url}
        night(make_pipeline(scorers="heuristic", batch_rows=5, telemetry=settings))
    assert rows(engine, "select source_rows, scored from trace.ledger") == [(20, 20)]
    assert caplog.text.count("were dropped") == 1
