"""Channels, against real servers on the loopback interface."""

from __future__ import annotations

import io
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from trace_core.errors import ConfigurationError, TemporaryFault
from trace_pipeline.alerts import AlertMessage, make_channel
from trace_pipeline.alerts.apprise_channel import AppriseChannel
from trace_pipeline.alerts.console_channel import ConsoleChannel
from trace_pipeline.alerts.log_channel import LogChannel
from trace_pipeline.settings import load_settings

MESSAGE = AlertMessage(
    key="adherence:opened:2026-11-29:ab",
    title="RAG quality: adherence down 14.8 points",
    body="Where: tenant=acme.\nScorer: heuristic.",
    severity="page",
    incident_id=1,
    metric="adherence",
    day=date(2026, 11, 29),
)
SECRET = "T0psecret"
# Apprise's mail service imports a module that Python 3.13 no longer has, with a substitute of its own.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


class Service(ThreadingHTTPServer):
    """A webhook that answers as told and keeps what it was sent."""

    daemon_threads = True

    def __init__(self, status: int = 200, location: str = "", delay_seconds: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.location, self.delay_seconds = status, location, delay_seconds
        self.received: list[dict[str, Any]] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in mid-answer is what some tests want."""


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.received.append(json.loads(self.rfile.read(length)))
        time.sleep(self.server.delay_seconds)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *args: object) -> None:
        """Keep the test's output clean."""


@contextmanager
def running(service: Service) -> Iterator[str]:
    """Serve until the block ends; gives host:port."""
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"127.0.0.1:{service.server_port}"
    finally:
        service.shutdown()
        service.server_close()
        thread.join()


@contextmanager
def raw_server(answer: bytes, pause_seconds: float = 0.0) -> Iterator[str]:
    """Accept connections, send `answer` a byte at a time, then close; gives host:port."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)  # unread bytes would turn the close into a reset
                for byte in answer:
                    if stop.wait(pause_seconds):
                        return
                    connection.sendall(bytes([byte]))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_apprise_delivers_title_and_body_as_written() -> None:
    """A webhook that answers 200 has the message, once, with its severity."""
    service = Service()
    with running(service) as address:
        AppriseChannel(f"json://{address}/hook").deliver(MESSAGE)
    assert len(service.received) == 1
    assert service.received[0]["title"] == MESSAGE.title
    assert service.received[0]["message"] == MESSAGE.body
    assert service.received[0]["type"] == "failure"


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_an_answer_that_is_no_success_is_a_fault_to_retry(status: int) -> None:
    """The fault tells the HTTP status and who, and the message was sent no second time behind our back."""
    service = Service(status=status)
    with running(service) as address, pytest.raises(TemporaryFault, match=f"HTTP status {status}"):
        AppriseChannel(f"json://{address}/hook").deliver(MESSAGE)
    assert len(service.received) == 1


def test_a_slow_service_is_a_fault_after_the_read_timeout() -> None:
    """The URL's own read timeout bounds an answer that does not begin."""
    with running(Service(delay_seconds=1.0)) as address, pytest.raises(TemporaryFault):
        started = time.monotonic()
        AppriseChannel(f"json://{address}/hook?rto=0.2").deliver(MESSAGE)
    assert time.monotonic() - started < 3


def test_a_service_that_dribbles_is_a_fault_after_the_whole_timeout() -> None:
    """A byte now and then resets a read timeout, but not the bound of the delivery."""
    slow = b"HTTP/1.1 200 OK\r\nX-Padding: " + b"x" * 1_000
    with (
        raw_server(slow, pause_seconds=0.05) as address,
        pytest.raises(TemporaryFault, match=r"within 0\.3 s"),
    ):
        started = time.monotonic()
        AppriseChannel(f"json://{address}/hook", timeout_seconds=0.3).deliver(MESSAGE)
    assert time.monotonic() - started < 2


def test_a_closed_connection_is_a_fault_to_retry() -> None:
    """A service that hangs up without an answer did not accept the message."""
    with raw_server(b"") as address, pytest.raises(TemporaryFault, match="not reachable"):
        AppriseChannel(f"json://{address}/hook").deliver(MESSAGE)


def test_a_port_where_nobody_listens_is_a_fault_to_retry() -> None:
    """A refused connection is no different."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(TemporaryFault, match="not reachable"):
        AppriseChannel(f"json://127.0.0.1:{port}/hook").deliver(MESSAGE)


def test_a_redirect_sends_the_message_nowhere_else() -> None:
    """An answer cannot make the channel call a host that no setting names."""
    elsewhere = Service()
    with (
        running(elsewhere) as other,
        running(Service(status=307, location=f"http://{other}/stolen")) as address,
    ):
        channel = AppriseChannel(f"json://{address}/hook")
        with pytest.raises(TemporaryFault, match="HTTP status 307"):
            channel.deliver(MESSAGE)
    assert elsewhere.received == []


def test_nothing_but_the_configured_address_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection of a delivery goes to the webhook's own host and port."""
    called: list[object] = []
    connect = socket.socket.connect

    def recording_connect(self: socket.socket, address: Any) -> None:
        called.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", recording_connect)
    service = Service()
    with running(service) as address:
        AppriseChannel(f"json://{address}/hook").deliver(MESSAGE)
    assert called == [("127.0.0.1", service.server_port)]
    assert "http" not in json.dumps(service.received)  # no picture of a public site either


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 500 x\r\nno header\r\n\r\n",  # malformed answers are what libraries complain of
        b"not HTTP at all",
    ],
)
def test_no_secret_of_a_url_is_logged_or_raised(answer: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """User, password, path and query stay out of names, faults and every library's logs, even at DEBUG."""
    caplog.set_level(logging.DEBUG)
    with raw_server(answer) as address, pytest.raises(TemporaryFault) as caught:
        url = f"json://{SECRET}:{SECRET}@{address}/{SECRET}/?+X-Token={SECRET}&-token={SECRET}"
        channel = AppriseChannel(url)
        channel.deliver(MESSAGE)
    seen = (
        caplog.text
        + str(caught.value)
        + repr(caught.value.__cause__)
        + repr(caught.value.__context__)
        + channel.name
    )
    assert SECRET not in seen
    assert address not in seen


@pytest.mark.parametrize("url", [f"nosuch://{SECRET}@host", f"slack://{SECRET}", f"json://{SECRET}@:bad:/"])
def test_a_url_that_apprise_refuses_is_a_wrong_setting(url: str, caplog: pytest.LogCaptureFixture) -> None:
    """The error names the setting and the scheme, never the URL."""
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ConfigurationError, match=r"alerts\.channels") as caught:
        AppriseChannel(url)
    assert url.partition("://")[0] + "://" in str(caught.value)
    assert SECRET not in str(caught.value) + caplog.text


def test_a_channel_is_named_by_scheme_and_label_or_hash() -> None:
    """The same URL has the same name in every run; two URLs have two; a label survives a renewed URL."""
    first, again = AppriseChannel("json://host/a"), AppriseChannel("json://host/a")
    assert first.name == again.name
    assert first.name != AppriseChannel("json://host/b").name
    assert first.name.startswith("apprise:json:") and "host" not in first.name
    assert AppriseChannel("jsons://host/a", label="on call").name == "apprise:jsons:on call"


def test_the_log_channel_writes_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    """Title and body stand in a single record."""
    LogChannel().deliver(MESSAGE)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == f"{MESSAGE.title}\n{MESSAGE.body}"


def test_a_percent_sign_in_a_message_is_no_log_format(caplog: pytest.LogCaptureFixture) -> None:
    """Text of an alert is an argument of the record, never its format."""
    hostile = AlertMessage(
        "k", "down 5 %s %d", "85.1 % of %(name)s", "page", None, "adherence", date(2026, 1, 1)
    )
    LogChannel().deliver(hostile)
    assert caplog.records[0].getMessage() == "down 5 %s %d\n85.1 % of %(name)s"


def test_the_console_channel_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run shows severity, title and body, on standard output or a given stream."""
    ConsoleChannel().deliver(MESSAGE)
    stream = io.StringIO()
    ConsoleChannel(stream).deliver(MESSAGE)
    assert capsys.readouterr().out == stream.getvalue()
    assert stream.getvalue() == f"[page] {MESSAGE.title}\n{MESSAGE.body}\n\n"


def test_settings_pick_the_channel() -> None:
    """`log`, `console`, an Apprise URL, or a label before one."""
    assert make_channel("log", load_settings()).name == "log"
    assert make_channel("console", load_settings()).name == "console"
    assert make_channel("json://host/a", load_settings()).name == AppriseChannel("json://host/a").name
    assert make_channel("on-call=json://host/a?x=1", load_settings()).name == "apprise:json:on-call"
    assert (
        make_channel("json://host/?a=b://c", load_settings()).name
        == AppriseChannel("json://host/?a=b://c").name
    )


@pytest.mark.parametrize("target", ["", "slack", f"host/{SECRET}"])
def test_a_target_that_is_no_channel_is_a_wrong_setting(target: str) -> None:
    """The error names the setting and does not repeat what may hold a secret."""
    with pytest.raises(ConfigurationError, match=r"alerts\.channels") as caught:
        make_channel(target, load_settings())
    assert SECRET not in str(caught.value)
