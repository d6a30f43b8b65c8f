"""Airflow connections become database URLs, with what a database asks of its clients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from trace_core.errors import ConfigurationError

pytestmark = pytest.mark.airflow

PLAIN: dict[str, Any] = {
    "conn_type": "postgres",
    "host": "db.example",
    "port": 5433,
    "schema": "logs",
    "login": "trace",
    "password": "p@ss/word %41",
}


def url_of(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Any:
    """Return the URL made of a connection in Airflow's JSON form."""
    from trace_airflow.runs import connection_url

    monkeypatch.setenv("AIRFLOW_CONN_RAG_LOGS", json.dumps(PLAIN | changes))
    return make_url(connection_url("rag_logs"))


def test_every_part_of_a_connection_is_in_its_url(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Host, port, database, login, and a password with characters that mean something in a URL."""
    url = url_of(monkeypatch)
    assert (url.host, url.port, url.database, url.username) == ("db.example", 5433, "logs", "trace")
    assert url.password == "p@ss/word %41"
    assert url.get_backend_name() == "postgresql"


def test_options_of_libpq_are_kept_and_others_dropped(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TLS settings reach the driver; what other tools keep in the extra field does not break it."""
    extra = {
        "sslmode": "verify-full",
        "sslrootcert": "/ca.pem",
        "sqlalchemy_scheme": "postgresql+psycopg",
        "x": 1,
    }
    assert dict(url_of(monkeypatch, extra=extra).query) == {
        "sslmode": "verify-full",
        "sslrootcert": "/ca.pem",
    }


def test_a_connection_of_another_type_is_refused(airflow_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the connection and its type."""
    with pytest.raises(
        ConfigurationError, match="'rag_logs' is of type 'mysql'; it must be of type postgres"
    ):
        url_of(monkeypatch, conn_type="mysql")


def test_without_a_source_connection_the_logs_are_with_the_results(airflow_home: Path) -> None:
    """rag_logs may be left out when both are one database."""
    from trace_airflow.runs import connection_url

    assert connection_url("no_such", default="postgresql://here/trace") == "postgresql://here/trace"
