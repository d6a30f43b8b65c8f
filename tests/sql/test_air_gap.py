"""With the air gap on no socket is opened to a host that is not on the list; a process is watched at it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.judge_stub import judge_stub
from tests.sql.tools import a_log, insert, rows
from tests.sql.watched_sockets import IPV6_PROBE
from tests.unit.otlp_server import otlp_server

JUDGE = {"endpoint": "http://judge.invalid:8000/v1", "model": "m", "attempts": 1, "sampling_rate": 1.0}
OUTSIDE: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "judge": ("night", {"scorers": "judge", "judge": JUDGE}, "judge.invalid", "the judge"),
    "telemetry": (
        "night",
        {"scorers": "lexical", "telemetry": {"otlp_endpoint": "http://otel.invalid:4318"}},
        "otel.invalid",
        "telemetry",
    ),
    "alerts": (
        "channel",
        {"alerts": {"channels": "json://hook.invalid/path"}},
        "hook.invalid",
        "the alert channel json://",
    ),
}


def watched(doing: str, url: str, settings: dict[str, Any]) -> tuple[list[list[str]], str]:
    """Do it in a process of its own; returns its socket events, the probe of IPv6 left out, and its error."""
    outer = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith(("_proxy", "_endpoint"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.sql.watched_sockets", doing, url, json.dumps(settings)],
        env=outer,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    noted: list[list[str]] = found["noted"]
    while IPV6_PROBE in noted:
        place = noted.index(IPV6_PROBE)
        assert noted[place - 1][0] == "socket.__new__"
        del noted[place - 1 : place + 1]
    return noted, found["error"]


@pytest.mark.parametrize("what", OUTSIDE)
def test_no_socket_is_opened_and_no_name_looked_up(what: str, database: str, engine: Engine) -> None:
    """The run is refused with a sentence; the same run without the switch does look the name up."""
    doing, settings, host, who = OUTSIDE[what]
    insert(engine, a_log("log"))
    noted, error = watched(doing, database, {**settings, "air_gap": True, "allowed_hosts": "127.0.0.1"})
    assert noted == []
    assert error == (
        f"ConfigurationError: Setting air_gap is on, and {who} would reach '{host}', which the setting "
        "allowed_hosts does not name."
    )
    assert rows(engine, "select count(*) from trace.evaluation") == [(0,)]
    assert rows(engine, "select count(*) from trace.alert_delivery") == [(0,)]
    noted, _ = watched(doing, database, settings)
    assert ["socket.getaddrinfo", repr(host)] in noted


def test_what_is_on_the_list_is_reached_and_nothing_else(database: str, engine: Engine) -> None:
    """A judged night with telemetry: the only addresses connected to are the two that are allowed."""
    insert(engine, a_log("log", response="Our cats eat fish."))
    with judge_stub() as stub, otlp_server() as collector:
        judge = {**JUDGE, "endpoint": stub.url}
        settings = {"scorers": "judge", "judge": judge, "telemetry": {"otlp_endpoint": collector.url}}
        noted, error = watched("night", database, {**settings, "air_gap": True, "allowed_hosts": "127.0.0.1"})
        assert error == "" and len(stub.asked) == 1 and collector.requests > 0
    ports = {stub.url.split(":")[2].split("/")[0], collector.url.split(":")[2]}
    assert {address for event, address in noted if event == "socket.connect"} == {
        f"('127.0.0.1', {port})" for port in ports
    }
    assert {name for event, name in noted if event == "socket.getaddrinfo"} <= {"'127.0.0.1'"}
    assert rows(engine, "select decided_by from trace.evaluation") == [("judge",)]


@pytest.mark.parametrize("location", ["http://elsewhere.invalid:9/v1", "http://localhost:9/v1"])
def test_no_redirect_leads_out(location: str, database: str, engine: Engine) -> None:
    """An allowed host that sends elsewhere is not followed: no other name is looked up."""
    from tests.judge_stub import Reply

    insert(engine, a_log("log", response="Our cats eat fish."))
    with judge_stub(lambda asked: Reply(status=307, headers={"Location": location})) as stub:
        settings = {"scorers": "judge", "judge": {**JUDGE, "endpoint": stub.url}}
        noted, error = watched("night", database, {**settings, "air_gap": True, "allowed_hosts": "127.0.0.1"})
        assert len(stub.asked) == 1 and error == ""
    assert not [name for event, name in noted if "invalid" in name or "localhost" in name]
    assert rows(engine, "select reason from trace.evaluation") == [("judge_misconfigured",)]
