"""Sends events and measures to an OTLP/HTTP endpoint, in a thread that is waited for some seconds at most."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Mapping, Sequence
from threading import Thread, current_thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from trace_pipeline.telemetry.events import EvaluationEvent
from trace_pipeline.telemetry.measures import MEASURES, Measure

if TYPE_CHECKING:
    import requests

log = logging.getLogger(__name__)

REQUEST_SECONDS = 2.0  # one request with its retries
PATIENCE_SECONDS = 3.0  # all of them together; a task ends at the latest then
PAUSE_SECONDS = 60.0  # after a failure this process does not try again for so long
_CHUNK = 500
_SCOPE = "trace_pipeline"
_THREAD = "trace-telemetry"
_LIBRARY_LOGGERS = (
    "opentelemetry.exporter.otlp.proto.http._log_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "urllib3.connectionpool",
)
_pause: dict[str, float] = {}


def send(
    endpoint: str, events: Sequence[EvaluationEvent], measures: Sequence[Measure], *, left_out: int = 0
) -> bool:
    """Send all of it; True when the endpoint took everything in time. Never raises, never waits for long.

    What could not be sent is dropped, and its number logged in one line, without the address.
    """
    if left_out:
        log.warning("Telemetry: %s events beyond telemetry.max_events were left out.", left_out)
    if time.monotonic() < _pause.get(endpoint, 0.0):
        return False
    outcome: dict[str, Any] = {"sent": 0}
    # A daemon: an endpoint that dribbles bytes must not keep the process from ending.
    sender = Thread(target=_send, args=(endpoint, events, measures, outcome), daemon=True, name=_THREAD)
    sender.start()
    sender.join(PATIENCE_SECONDS)
    if outcome.get("done"):
        return True
    _pause[endpoint] = time.monotonic() + PAUSE_SECONDS
    log.warning(
        "Telemetry: %s; %s of %s events and %s measures were dropped. The results are not affected.",
        outcome.get("fault", f"no answer within {PATIENCE_SECONDS:g} s"),
        len(events) - outcome["sent"],
        len(events),
        len(measures),
    )
    return False


def _send(
    endpoint: str, events: Sequence[EvaluationEvent], measures: Sequence[Measure], outcome: dict[str, Any]
) -> None:
    try:
        if not _listens(endpoint):
            outcome["fault"] = "nobody listens at the endpoint"
            return
        _keep_library_quiet()
        if not _send_measures(endpoint, measures):
            outcome["fault"] = "the endpoint did not take the measures"
            return
        for start in range(0, len(events), _CHUNK):
            chunk = events[start : start + _CHUNK]
            if not _send_events(endpoint, chunk):
                outcome["fault"] = "the endpoint did not take the events"
                return
            outcome["sent"] += len(chunk)
        outcome["done"] = True
    except ImportError:
        outcome["fault"] = "an endpoint is configured, but the extra `otel` of this package is not installed"
    except Exception as error:  # its text may hold the address, with a secret in it
        outcome["fault"] = f"sending failed with {type(error).__name__}"


def _listens(endpoint: str) -> bool:
    """Tell whether a connection can be made: the exporter tries a refused one until its time is up."""
    import requests

    parts = urlsplit(endpoint)
    if requests.utils.get_environ_proxies(endpoint):
        return True  # the proxy connects, not this process
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((str(parts.hostname), port), REQUEST_SECONDS).close()
    except OSError:
        return False
    return True


def _send_measures(endpoint: str, measures: Sequence[Measure]) -> bool:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import Histogram, MeterProvider
    from opentelemetry.sdk.metrics.export import (
        AggregationTemporality,
        InMemoryMetricReader,
        MetricExportResult,
    )

    # Deltas: each task is a process of its own, and totals that start anew with each would collide.
    reader = InMemoryMetricReader(preferred_temporality={Histogram: AggregationTemporality.DELTA})
    provider = MeterProvider([reader], resource=_resource(), shutdown_on_exit=False)
    meter = provider.get_meter(_SCOPE)
    instruments: dict[str, Any] = {}
    for measure in measures:
        kind, unit, meaning = MEASURES[measure.name]
        if measure.name not in instruments:
            make = meter.create_gauge if kind == "gauge" else meter.create_histogram
            instruments[measure.name] = make(measure.name, unit=unit, description=meaning)
        record = instruments[measure.name].set if kind == "gauge" else instruments[measure.name].record
        record(measure.value, dict(measure.attributes))
    data = reader.get_metrics_data()
    if data is None:
        return True
    exporter = OTLPMetricExporter(
        endpoint=f"{endpoint}/v1/metrics", timeout=REQUEST_SECONDS, session=_session()
    )
    return exporter.export(data) is MetricExportResult.SUCCESS


def _send_events(endpoint: str, events: Sequence[EvaluationEvent]) -> bool:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import (
        InMemoryLogRecordExporter,
        LogRecordExportResult,
        SimpleLogRecordProcessor,
    )

    kept: Any = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    provider = LoggerProvider(resource=_resource(), shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(kept))
    logger = provider.get_logger(_SCOPE)
    now = time.time_ns()
    for event in events:
        logger.emit(
            timestamp=now,
            observed_timestamp=now,
            event_name="gen_ai.evaluation.result",
            attributes=_attributes(event),
        )
    exporter = OTLPLogExporter(endpoint=f"{endpoint}/v1/logs", timeout=REQUEST_SECONDS, session=_session())
    return exporter.export(kept.get_finished_logs()) is LogRecordExportResult.SUCCESS


def _attributes(event: EvaluationEvent) -> Mapping[str, str | float]:
    """Return the attributes by the names of OpenTelemetry's conventions for generative AI."""
    found: dict[str, str | float | None] = {
        "gen_ai.evaluation.name": event.name,
        "gen_ai.evaluation.score.value": event.score,
        "gen_ai.evaluation.score.label": event.label,
        "gen_ai.evaluation.explanation": event.explanation,
        "gen_ai.response.id": event.response_id,
        "error.type": event.error,
        "rag_quality.scorer": event.scorer,
        "rag_quality.fingerprint": event.fingerprint,
        "rag_quality.logged_at": event.logged_at.isoformat(),
    }
    return {name: value for name, value in found.items() if value is not None}


def _resource() -> Any:
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
    return Resource({"service.name": "trace-nightly"}).merge(OTELResourceDetector().detect())


def _session() -> requests.Session:
    import requests

    session = requests.Session()
    session.max_redirects = 0  # an answer must not send the events to another host
    return session


def _not_ours(_record: logging.LogRecord) -> bool:
    return current_thread().name != _THREAD


def _keep_library_quiet() -> None:
    # They log each attempt with the address; send() says once what became of all. Other threads' still speak.
    for name in _LIBRARY_LOGGERS:
        logging.getLogger(name).addFilter(_not_ours)  # adding it again changes nothing
