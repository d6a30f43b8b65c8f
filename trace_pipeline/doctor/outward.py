"""What lies outside of the databases: channels of alerts, the judge, the telemetry endpoint, folders."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from trace_core.errors import ConfigurationError
from trace_pipeline.alerts import make_channel
from trace_pipeline.doctor.finding import Finding, advice, fault, ok
from trace_pipeline.judges.endpoint import KEY_VARIABLE, find_endpoint
from trace_pipeline.scorers import VARYING
from trace_pipeline.settings import Settings
from trace_pipeline.telemetry.endpoint import endpoint_of

_WAIT_SECONDS = 3.0
_PORTS = {"http": 80, "https": 443}


def check(settings: Settings) -> Iterator[Finding]:
    """Yield findings; nothing is sent, endpoints are connected to and left."""
    yield from _days(settings)
    yield from _channels(settings)
    yield from _judge(settings)
    yield from _telemetry(settings)
    yield from _folders(settings)


def _days(settings: Settings) -> Iterator[Finding]:
    kept = settings.retention_days
    if kept is not None and kept <= settings.late_days:
        yield fault(
            "settings",
            f"Evaluations are kept for {kept} days, but each night looks back {settings.late_days}: what is"
            " removed is scored again.",
            "Make retention_days larger than late_days.",
        )


def _channels(settings: Settings) -> Iterator[Finding]:
    targets = settings.alerts.channels
    if not targets:
        yield advice(
            "alerts", "No channel is set, so nobody is told.", "Set alerts.channels (docs/how-to/alerts.md)."
        )
        return
    broken = False
    for number, target in enumerate(targets, start=1):
        try:
            make_channel(target, settings)
        except ConfigurationError as error:
            broken = True
            if not settings.air_gap:  # with it the part "air gap" has said so
                yield fault(
                    "alerts",
                    f"Channel {number} of {len(targets)} cannot be used: {error}",
                    "Write it as docs/how-to/alerts.md shows, or take it out of alerts.channels.",
                )
    if not broken:
        yield ok("alerts", f"{len(targets)} channels can be used, as far as their addresses tell.")


def _judge(settings: Settings) -> Iterator[Finding]:
    asking = [name for name in settings.scorers if name in VARYING]
    if not asking:
        return
    judge = settings.judge
    try:
        endpoint = find_endpoint(settings, "", "")
    except ConfigurationError:
        return  # the scorers, or the air gap, have said so
    if not judge.model:
        yield fault("judge", "No model is named.", "Set judge.model.")
    for name in ("calls_per_night", "tokens_per_night", "money_per_night"):
        if getattr(judge, name) == 0:
            yield advice(
                "judge",
                f"judge.{name} is 0, so that the judge is never asked.",
                f"Raise judge.{name}, or take {' and '.join(asking)} out of scorers.",
            )
    if not endpoint.key and endpoint.url.startswith("https://"):
        yield advice(
            "judge",
            f"{KEY_VARIABLE} holds no key here.",
            f"If the endpoint wants one, set {KEY_VARIABLE}, or the password of the Airflow connection"
            " trace_judge.",
        )
    yield from _reached("judge", endpoint.url, "judge.endpoint")


def _telemetry(settings: Settings) -> Iterator[Finding]:
    try:
        address = endpoint_of(settings)
    except ConfigurationError:
        return  # the air gap has said so
    if address:
        yield from _reached("telemetry", address, "telemetry.otlp_endpoint")


def _reached(part: str, address: str, setting: str) -> Iterator[Finding]:
    url = urlsplit(address)
    host, port = url.hostname or "", url.port or _PORTS.get(url.scheme, 443)
    if any(os.environ.get(name) for name in (f"{url.scheme}_proxy", f"{url.scheme.upper()}_PROXY")):
        yield ok(part, f"{host} is asked through a proxy; whether it answers was not looked at.")
        return
    try:
        socket.create_connection((host, port), timeout=_WAIT_SECONDS).close()
    except (OSError, UnicodeError) as error:
        yield fault(
            part,
            f"{host}:{port} cannot be reached from here: {getattr(error, 'strerror', None) or error}.",
            f"Is it up, is {setting} right, and may this machine connect to it?",
        )
    else:
        yield ok(part, f"{host}:{port} takes connections.")


def _folders(settings: Settings) -> Iterator[Finding]:
    for name, needed, may in (
        ("import_folder", os.R_OK | os.X_OK, "read"),
        ("import_refused_folder", os.W_OK | os.X_OK, "written to"),
    ):
        folder = getattr(settings, name)
        if not folder or "://" in folder:
            continue
        if not Path(folder).is_dir():
            yield fault("folders", f"{name} names {folder!r}, which is no folder here.", "Make or mount it.")
        elif not os.access(folder, needed):
            yield fault(
                "folders",
                f"{name} {folder!r} may not be {may} by this user.",
                "Give the user that Airflow's tasks run as the right to it.",
            )
