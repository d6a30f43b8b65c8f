"""Where the pages meet Airflow: its sign-in, users and connections. No other module here imports Airflow."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
from airflow.api_fastapi.core_api.security import get_user, requires_access_dag
from airflow.configuration import conf
from fastapi import Depends, FastAPI, HTTPException, Request
from sqlalchemy.engine import URL

from rag_quality.app import create_app
from rag_quality.viewer import Viewer
from trace_core.errors import ConfigurationError
from trace_pipeline.pages.database import PageUrls

PAGES, RESULTS, SOURCE = "trace_pages", "trace_results", "rag_logs"
_DAG = "trace_score_nightly"  # who may see this DAG may look, who may edit it may label


def airflow_app() -> FastAPI:
    """Return the app as Airflow mounts it: every request needs a signed-in user who may see the DAG."""
    guard = Depends(requires_access_dag(method="GET", param_dag_id=_DAG))
    app = create_app(urls=_urls, guard=guard, viewer=_viewer)
    app.state.sign_in = "/api/v2/auth/login"
    # Every worker of the api-server must know the forms of the others; behind a proxy that changes the
    # host, the address that people see is the configured one.
    secret = str(conf.get("api", "secret_key", fallback=""))
    app.state.form_secret = hashlib.sha256(f"rag-quality {secret}".encode()).digest() if secret else None
    app.state.form_hosts = {urlsplit(str(conf.get("api", "base_url", fallback=""))).netloc.lower()} - {""}
    return app


def _urls() -> PageUrls:
    """Return the addresses of the databases; ConfigurationError names a missing connection."""
    results = _connection(PAGES) or _connection(RESULTS)
    if results is None:
        raise ConfigurationError(
            f"There is no Airflow connection {PAGES!r} or {RESULTS!r}: add one, type postgres."
        )
    return PageUrls(results=results, source=_connection(SOURCE) or results)


def _connection(name: str) -> str | None:
    from airflow.models.connection import Connection
    from airflow.sdk.exceptions import AirflowNotFoundException

    try:
        found = Connection.get_connection_from_secrets(name)
    except AirflowNotFoundException:
        return None
    url = URL.create(
        "postgresql",
        username=found.login,
        password=found.password,
        host=found.host,
        port=found.port,
        database=found.schema,
        query={k: str(v) for k, v in found.extra_dejson.items() if k in ("sslmode", "sslrootcert", "host")},
    )
    return url.render_as_string(hide_password=False)


def _viewer(request: Request, user: BaseUser = Depends(get_user)) -> Viewer:  # noqa: B008
    """Return who looks, and whether they may label: the right to edit trace_score_nightly."""
    try:
        requires_access_dag(method="PUT", param_dag_id=_DAG)(request, user)
    except HTTPException:
        return Viewer(user.get_name(), may_label=False)
    return Viewer(user.get_name(), may_label=True)
