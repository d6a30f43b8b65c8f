"""Runs a night, or tells a channel, in a process of its own that notes what Python does with sockets.

An audit hook cannot be taken off again, so it has no place in the tests' own process. Postgres is reached by
libpq, whose sockets are not Python's: what is noted is everything else.
"""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

WATCHED = (
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"),
    *("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"),
)
#: urllib3 asks this machine's own kernel, when it is imported, whether it has IPv6.
IPV6_PROBE = ["socket.bind", "('::1', 0)"]


def watch() -> list[list[str]]:
    """Return a list that grows with each socket event: name, and the address or host."""
    noted: list[list[str]] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in WATCHED:
            place = arguments[0 if event.startswith("socket.get") else 1]
            noted.append([event, repr(place.decode() if isinstance(place, bytes) else place)])
        elif event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6):
            noted.append([event, str(int(arguments[1]))])

    sys.addaudithook(hook)
    return noted


def _night(url: str, settings: dict[str, Any]) -> None:
    from tests.sql.tools import DAY, night
    from trace_pipeline.context import open_pipeline
    from trace_pipeline.settings import load_settings

    pipeline = open_pipeline(load_settings(**settings), results_url=url)
    try:
        night(pipeline, DAY)
    finally:
        pipeline.close()


def _channel(url: str, settings: dict[str, Any]) -> None:
    from datetime import UTC, datetime

    from trace_pipeline.context import open_pipeline
    from trace_pipeline.settings import load_settings
    from trace_pipeline.steps.send_digest import send_digest

    loaded = load_settings(**settings)
    pipeline = open_pipeline(loaded, results_url=url)
    try:
        send_digest(pipeline, loaded.alerts.channels[0], now=datetime.now(UTC))
    finally:
        pipeline.close()


def main() -> None:
    """Take what to do, a database and settings; print the events and the error as JSON."""
    doing, url, settings = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    noted = watch()
    error = ""
    try:
        {"night": _night, "channel": _channel}[doing](url, settings)
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}"
    sys.stdout.write(json.dumps({"noted": noted, "error": error}))


if __name__ == "__main__":
    main()
