"""A real HTTP server on loopback that answers as a language model does, or fails as endpoints do.

What it answers is a function from `Asked` to `Reply`; it may be changed while the server runs.
"""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Final

_LINE: Final = re.compile(r"^\[([0-9]*[a-z]+)\] (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; `number` counts from 1 over the life of the server."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """All messages, one after the other."""
        return "\n".join(message["content"] for message in self.body["messages"])

    @property
    def sentences(self) -> dict[str, str]:
        """Text by key of all numbered sentences, of documents and response."""
        return {match[1]: match[2] for match in _LINE.finditer(self.body["messages"][-1]["content"])}

    @property
    def document_keys(self) -> list[str]:
        """Keys of the document sentences asked about."""
        return [key for key in self.sentences if key[0].isdigit()]

    @property
    def response_keys(self) -> list[str]:
        """Keys of the response sentences asked about."""
        return [key for key in self.sentences if not key[0].isdigit()]


@dataclass(frozen=True)
class Reply:
    """What the server sends; `content` is the message, `raw` a body that takes the place of the whole answer.

    fault: `hang` (no answer at all), `half_closed` (the connection ends in mid-body), `drip` (the body comes
    byte by byte, each `pause` seconds), `drip_head` (already the status line does). delay: seconds before.
    """

    content: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: Mapping[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    )
    choices: bool = True
    raw: bytes | None = None
    fault: str | None = None
    pause: float = 0.05
    delay: float = 0.0


Behaviour = Callable[[Asked], Reply]


def verdict(
    asked: Asked,
    relevant: Sequence[str] | None = None,
    utilized: Sequence[str] | None = None,
    unsupported: Sequence[str] = (),
) -> Reply:
    """Answer with the given keys; without them every document sentence is relevant and utilized."""
    documents = asked.document_keys
    relevant = documents if relevant is None else relevant
    utilized = documents if utilized is None else utilized
    support = [
        {
            "response_sentence_key": key,
            "explanation": f"About sentence {key}.",
            "supporting_sentence_keys": [] if key in unsupported else list(utilized)[:1],
            "fully_supported": key not in unsupported,
        }
        for key in asked.response_keys
    ]
    return Reply(
        json.dumps(
            {
                "all_relevant_sentence_keys": list(relevant),
                "all_utilized_sentence_keys": list(utilized),
                "sentence_support_information": support,
                "unsupported_response_sentence_keys": [k for k in asked.response_keys if k in unsupported],
                "overall_supported": not unsupported,
                "overall_supported_explanation": "Seen as a whole.",
            }
        )
    )


def supported(asked: Asked) -> Reply:
    """Answer that everything is relevant, used and supported."""
    return verdict(asked)


def _wrong_keys(asked: Asked) -> Reply:
    good = json.loads(verdict(asked).content or "")
    keys = ["77a", "78b", "79c"]
    good.update(all_relevant_sentence_keys=keys, all_utilized_sentence_keys=keys)
    for entry in good["sentence_support_information"]:
        entry["response_sentence_key"] = "zz" + entry["response_sentence_key"]
    return Reply(json.dumps(good))


def _truncated(asked: Asked) -> Reply:
    whole = verdict(asked).content or ""
    return Reply(whole[: len(whole) // 2], finish_reason="length")


#: What can go wrong, by name.
FAULTS: Final[Mapping[str, Behaviour]] = {
    "busy": lambda asked: Reply(status=429, headers={"Retry-After": "0"}),
    "busy_for_long": lambda asked: Reply(status=429, headers={"Retry-After": "3600"}),
    "request_timeout": lambda asked: Reply(status=408),
    "server_error": lambda asked: Reply(status=500),
    "overloaded": lambda asked: Reply(status=503),
    "hang": lambda asked: Reply(fault="hang"),
    "half_closed": lambda asked: replace(verdict(asked), fault="half_closed"),
    "drip": lambda asked: replace(verdict(asked), fault="drip"),
    "drip_head": lambda asked: replace(verdict(asked), fault="drip_head"),
    "malformed_body": lambda asked: Reply(raw=b'{"id": "x", "choices": [{"mess'),
    "not_json": lambda asked: Reply(raw=b"<html>Bad gateway</html>"),
    "malformed_content": lambda asked: Reply('{"all_relevant_sentence_keys": ["0a"'),
    "wrong_keys": _wrong_keys,
    "truncated": _truncated,
    "other_model": lambda asked: replace(verdict(asked), model="another-model"),
    "content_filter": lambda asked: Reply("", finish_reason="content_filter"),
    "refusal": lambda asked: Reply(refusal="I will not."),
    "no_choices": lambda asked: Reply(choices=False),
    "no_content": lambda asked: Reply(None),
    "bad_request": lambda asked: Reply(status=400),
    "unauthorized": lambda asked: Reply(status=401),
    "forbidden": lambda asked: Reply(status=403),
    "not_found": lambda asked: Reply(status=404),
    "redirect": lambda asked: Reply(status=307, headers={"Location": "http://127.0.0.1:9/v1/elsewhere"}),
    "no_usage": lambda asked: replace(verdict(asked), usage=None),
}


def in_turn(*behaviours: Behaviour, then: Behaviour = supported) -> Behaviour:
    """Use the first behaviour for the first request, the second for the next ..., afterwards `then`."""
    left = list(behaviours)
    lock = Lock()

    def next_one(asked: Asked) -> Reply:
        with lock:
            behaviour = left.pop(0) if left else then
        return behaviour(asked)

    return next_one


class Stub:
    """The running server. url: base address for the setting judge.endpoint. asked: all requests so far."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.url = ""
        self.asked: list[Asked] = []
        self.over = Event()
        self._lock = Lock()

    def take(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Reply:
        """Note a request and say what to send."""
        with self._lock:
            asked = Asked(len(self.asked) + 1, path, headers, body)
            self.asked.append(asked)
        return self.behaviour(asked)


def _body(reply: Reply, asked_model: str) -> bytes:
    if reply.raw is not None:
        return reply.raw
    if reply.status != 200:
        return json.dumps({"error": {"message": "no", "type": "stub", "code": None}}).encode()
    message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    choice = {"index": 0, "finish_reason": reply.finish_reason, "logprobs": None, "message": message}
    value: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": reply.model or asked_model,
        "choices": [choice] if reply.choices else [],
    }
    if reply.usage is not None:
        value["usage"] = dict(reply.usage)
    return json.dumps(value).encode()


class _Handler(BaseHTTPRequestHandler):
    stub: Stub

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["content-length"]))
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        body = json.loads(text)
        reply = self.stub.take(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        if reply.delay:
            self.stub.over.wait(reply.delay)
        if reply.fault == "hang":
            self.stub.over.wait(30)
            return
        self._send(reply, _body(reply, str(body.get("model", ""))))

    def _send(self, reply: Reply, body: bytes) -> None:
        lines = [
            f"HTTP/1.0 {reply.status} x",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        if reply.fault == "drip_head":
            self._drip(head + body, reply.pause)
            return
        if reply.fault == "half_closed":
            body = body[: len(body) // 2]
        if reply.fault == "drip":
            self.wfile.write(head)
            self._drip(body, reply.pause)
            return
        self.wfile.write(head + body)

    def _drip(self, text: bytes, pause: float) -> None:
        for position in range(len(text)):
            self.wfile.write(text[position : position + 1])
            self.wfile.flush()
            if self.stub.over.wait(pause):
                return

    def log_message(self, *arguments: Any) -> None:
        """Keep the test's output clean."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests are about."""


@contextmanager
def judge_stub(behaviour: Behaviour = supported, certificate: ssl.SSLContext | None = None) -> Iterator[Stub]:
    """Run the server on a free port; with a certificate it speaks TLS."""
    stub = Stub(behaviour)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    if certificate:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
    stub.url = f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.over.set()
        time.sleep(0.005)
        server.shutdown()
        server.server_close()
        thread.join()
