"""Telemetry: which events there are, what arrives at a real endpoint, and that a faulty one harms nothing."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.unit.otlp_server import otlp_server
from trace_core.annotation import Annotation, SentenceSupport
from trace_core.scorers import Evaluation
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.telemetry import batch_telemetry, sender
from trace_pipeline.telemetry.events import EvaluationEvent, events_of
from trace_pipeline.telemetry.measures import Measure

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET = "the words of the answer"
BAD = Evaluation(
    "log-1",
    "scored",
    None,
    "answer",
    0.5,
    0.25,
    0.0,
    None,
    0.25,
    undefined={"completeness": "no_relevant_sentence"},
    annotation=Annotation(
        (1,), ("a", "b"), unsupported_keys=("a",), support=(SentenceSupport("a", False, reason=SECRET),)
    ),
    fingerprint="f1",
)
GOOD = Evaluation("log-2", "scored", None, "answer", 1.0, 1.0, 1.0, 1.0, 1.0, fingerprint="f1")
BROKEN = Evaluation.unscored("log-3", "failed", "scorer_error", "answer", "f1")
EMPTY = Evaluation.unscored("log-4", "skipped", "empty_response", "empty", "f1")


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no failure of one test keep the next from sending, and no variable of the developer's."""
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)
    sender._pause.clear()
    yield
    sender._pause.clear()


def told(evaluation: Evaluation, which: str) -> list[tuple[object, ...]]:
    """Return name, score, label and error of the events of one evaluation."""
    events = events_of(evaluation, "lexical", NOON, which)  # type: ignore[arg-type]
    return [(event.name, event.score, event.label, event.error) for event in events]


def test_findings_are_unsupported_answers_and_broken_ones() -> None:
    """A good answer and one with nothing to score are no finding."""
    assert told(BAD, "findings") == [("adherence", 0.0, "unsupported", None)]
    assert told(BROKEN, "findings") == [("adherence", None, None, "scorer_error")]
    assert told(GOOD, "findings") == told(EMPTY, "findings") == []
    assert told(BAD, "none") == told(BROKEN, "none") == []


def test_all_has_each_metric_and_undefined_is_not_zero() -> None:
    """Five events a scored answer; one without a value has a label and its reason instead."""
    assert told(BAD, "all") == [
        ("relevance", 0.5, None, None),
        ("utilization", 0.25, None, None),
        ("adherence", 0.0, "unsupported", None),
        ("completeness", None, "undefined", None),
        ("average", 0.25, None, None),
    ]
    assert ("adherence", 1.0, "supported", None) in told(GOOD, "all")
    assert told(EMPTY, "all") == []


def test_the_explanation_names_keys_and_no_words() -> None:
    """The reason that the scorer stores quotes the answer; the event does not."""
    (event,) = events_of(BAD, "lexical", NOON, "findings")
    assert event.explanation == "unsupported sentences: a"


def batch(settings: Settings, *evaluations: Evaluation) -> list[Evaluation]:
    """Run a batch of evaluations under telemetry; return what came through."""
    with batch_telemetry(settings) as running:
        moments = [NOON] * len(evaluations)
        through = list(running.watch("lexical", moments, iter(evaluations)))
        running.logs = len(evaluations)
    return through


def test_a_batch_arrives_as_events_and_metrics() -> None:
    """Decoded from the wire: name, attributes by the conventions, the batch's figures, no text."""
    with otlp_server() as received:
        settings = load_settings(telemetry={"otlp_endpoint": received.url + "/"})
        assert batch(settings, BAD, GOOD, BROKEN, EMPTY) == [BAD, GOOD, BROKEN, EMPTY]
    assert received.names == {"gen_ai.evaluation.result"}
    assert received.events[0] == {
        "gen_ai.evaluation.name": "adherence",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "unsupported",
        "gen_ai.evaluation.explanation": "unsupported sentences: a",
        "gen_ai.response.id": "log-1",
        "rag_quality.scorer": "lexical",
        "rag_quality.fingerprint": "f1",
        "rag_quality.logged_at": "2026-11-30T12:00:00+00:00",
    }
    assert received.events[1]["error.type"] == "scorer_error"
    assert "gen_ai.evaluation.score.value" not in received.events[1]
    assert received.measured("rag_quality.batch.logs") == {(): 4.0}
    assert received.measured("rag_quality.batch.duration")[()] > 0
    assert received.resource["service.name"] == "trace-nightly"
    assert SECRET.encode() not in received.raw


def test_a_failed_batch_tells_its_error_and_no_results() -> None:
    """Its transaction was rolled back, so its results are none; the error itself goes on."""
    with otlp_server() as received:
        settings = load_settings(telemetry={"otlp_endpoint": received.url})
        with pytest.raises(ZeroDivisionError), batch_telemetry(settings) as running:
            list(running.watch("lexical", [NOON], iter([BAD])))
            raise ZeroDivisionError
    assert received.events == []
    assert list(received.measured("rag_quality.batch.duration")) == [("ZeroDivisionError",)]


def test_events_are_capped_and_the_rest_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """A night on which everything is bad does not flood the receiver."""
    with otlp_server() as received:
        batch(load_settings(telemetry={"otlp_endpoint": received.url, "max_events": 3}), *[BAD] * 10)
    assert len(received.events) == 3
    assert "7 events beyond telemetry.max_events were left out" in caplog.text


def test_many_events_arrive_in_several_requests() -> None:
    """No request grows without bound."""
    with otlp_server() as received:
        batch(load_settings(telemetry={"otlp_endpoint": received.url, "max_events": 2_000}), *[BAD] * 1_200)
    assert (len(received.events), received.requests) == (1_200, 4)


def test_the_standard_variable_is_an_endpoint_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting wins over it; the standard switch turns everything off."""
    with otlp_server() as standard, otlp_server() as own:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", standard.url)
        batch(load_settings(), BAD)
        batch(load_settings(telemetry={"otlp_endpoint": own.url}), BAD)
        monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
        batch(load_settings(telemetry={"otlp_endpoint": own.url}), BAD)
    assert (len(standard.events), len(own.events)) == (1, 1)


def test_without_an_endpoint_nothing_is_kept_or_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off is off: no event is made, no thread, no library."""
    monkeypatch.setattr(sender, "send", lambda *_, **__: pytest.fail("sent"))
    with batch_telemetry(load_settings()) as running:
        assert list(running.watch("lexical", [NOON], iter([BAD]))) == [BAD]
    assert running.events == []


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.parametrize("fault", ["refuses", "hang", "dribble", 500, 400, 307])
def test_a_faulty_endpoint_costs_seconds_and_one_line(
    fault: int | str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is raised, the wait is bounded, one warning counts what was dropped and holds no address."""
    monkeypatch.setattr(sender, "PATIENCE_SECONDS", 1.0)
    monkeypatch.setattr(sender, "REQUEST_SECONDS", 0.5)
    caplog.set_level(logging.WARNING)
    with otlp_server(fault) as received:
        url = f"http://127.0.0.1:{free_port()}" if fault == "refuses" else received.url
        settings = load_settings(telemetry={"otlp_endpoint": url})
        begun = time.monotonic()
        assert batch(settings, BAD) == [BAD]
        assert time.monotonic() - begun < 3
        asked = received.requests
        begun = time.monotonic()
        batch(settings, BAD)  # the pause: a process of two hundred batches does not wait two hundred times
        assert time.monotonic() - begun < 0.5
        assert received.requests == asked
    (warning,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert "1 of 1 events and 3 measures were dropped" in warning.getMessage()
    assert "127.0.0.1" not in caplog.text


def test_where_nobody_listens_nobody_waits() -> None:
    """A mapped task is a process of its own: two hundred of them must not wait two hundred times."""
    begun = time.monotonic()
    assert not sender.send(f"http://127.0.0.1:{free_port()}", [], [])
    assert time.monotonic() - begun < 1


def test_a_fault_after_the_first_chunk_counts_what_is_left(caplog: pytest.LogCaptureFixture) -> None:
    """What was taken is not called dropped."""
    events = [EvaluationEvent("adherence", str(n), "s", "f", NOON, score=0.0) for n in range(700)]
    with otlp_server() as received:
        real = sender._send_events

        def once(endpoint: str, chunk: list[EvaluationEvent]) -> bool:
            return len(chunk) == 500 and real(endpoint, chunk)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sender, "_send_events", once)
            assert not sender.send(received.url, events, [Measure("rag_quality.batch.logs", 1)])
    assert "200 of 700 events" in caplog.text and len(received.events) == 500


def test_a_missing_extra_is_a_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endpoint without the library is said, and scoring goes on."""

    def absent(*_: object) -> bool:
        raise ImportError("opentelemetry")

    monkeypatch.setattr(sender, "_send_measures", absent)
    monkeypatch.setattr(sender, "_listens", lambda _: True)
    assert not sender.send("http://127.0.0.1:1", [], [])
    assert "the extra `otel` of this package is not installed" in caplog.text
