"""A real OTLP/HTTP receiver on loopback that decodes what it gets, and can be made to fail."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


@dataclass
class Received:
    """What has arrived; `fault` is None, a status, "hang" or "dribble"."""

    fault: int | str | None = None
    url: str = ""
    requests: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    measures: list[tuple[str, dict[str, str], float]] = field(default_factory=list)
    resource: dict[str, str] = field(default_factory=dict)
    raw: bytes = b""
    over: Event = field(default_factory=Event)

    def measured(self, name: str) -> dict[tuple[str, ...], float]:
        """Return attribute values -> value of a metric."""
        return {tuple(where.values()): value for found, where, value in self.measures if found == name}


def plain(attributes: Any) -> dict[str, Any]:
    """Return OTLP attributes as a dict."""
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in attributes}


def take(received: Received, path: str, body: bytes) -> None:
    """Decode one request."""
    received.raw += body
    if path == "/v1/logs":
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
            received.resource = plain(resource.resource.attributes)
            for record in (record for scope in resource.scope_logs for record in scope.log_records):
                received.names.add(record.event_name)
                received.events.append(plain(record.attributes))
        return
    assert path == "/v1/metrics"
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
            for point in metric.gauge.data_points:
                value = point.as_int if point.WhichOneof("value") == "as_int" else point.as_double
                received.measures.append((metric.name, plain(point.attributes), value))
            for bucket in metric.histogram.data_points:
                assert metric.histogram.aggregation_temporality == 1  # delta
                received.measures.append((metric.name, plain(bucket.attributes), bucket.sum))


@contextmanager
def otlp_server(fault: int | str | None = None) -> Iterator[Received]:
    """Run the receiver on a free port."""
    received = Received(fault)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.requests += 1
            body = self.rfile.read(int(self.headers["content-length"]))
            if received.fault == "hang":
                received.over.wait(30)
                return
            if received.fault == "dribble":
                self.send_response(200)
                self.send_header("content-length", "100000")
                self.end_headers()
                while not received.over.wait(0.2):
                    self.wfile.write(b"x")
                return
            if isinstance(received.fault, int):
                self.send_response(received.fault)
                self.send_header("location", f"{received.url}/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()
                return
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            take(received, self.path, body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    received.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield received
    finally:
        received.over.set()
        time.sleep(0.05)
        server.shutdown()
        server.server_close()
        thread.join()
