"""The local stack as a whole: embedded Postgres, its databases and logins, Airflow."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine, text

from trace_pipeline.database import connect
from trace_pipeline.local import airflow, components, postgres
from trace_pipeline.local.rest import AirflowApi
from trace_pipeline.migrations import migrate

ROOT = Path(__file__).resolve().parents[2]
DAG_IDS = (
    "trace_score_nightly",
    "trace_watch_drift",
    "trace_rescore",
    "trace_maintain",
    "trace_digest",
    "trace_import",
)
POOL = ("trace_scoring", 4, "Batches scored at once")


@dataclass(frozen=True)
class Stack:
    """A running stack. URLs hold passwords: they are for programs, not for printing."""

    admin_url: str
    results_url: str
    source_url: str
    ui_url: str
    password: str

    def api(self) -> AirflowApi:
        """Return a signed-in API session."""
        return AirflowApi(self.ui_url, self.password)


def start_stack(
    folder: Path,
    *,
    say: Callable[[str], None] = lambda _: None,
    fresh: bool = False,
    databases: tuple[str, str] | None = None,
    extra_environment: Mapping[str, str] | None = None,
) -> Stack:
    """Start all of it in `folder`. `databases` are (results URL, source URL) of servers of your own.

    With `fresh` the trace database is emptied first. Safe to repeat: what runs already is stopped first, so
    that it runs with today's code and settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = airflow_home(folder)
    components.stop_components(home)
    say("Starting Postgres")
    server = postgres.start(folder / "postgres")
    logins = _provision(home, server, fresh=fresh, with_trace=databases is None)
    admin_url = server.url("trace") if databases is None else databases[0]
    if databases is None:
        say("Laying the schema")
        engine = connect(admin_url, setting="embedded Postgres")
        migrate(engine)
        engine.dispose()
        _grant(server, logins)
        results_url, source_url = (
            server.url("trace", login, logins[login]) for login in ("trace_etl", "trace_source")
        )
    else:
        results_url, source_url = databases
    port = home.port()
    connections = {"trace_results": _airflow_uri(results_url), "rag_logs": _airflow_uri(source_url)}
    if databases is None:
        pages_url = server.url("trace", "trace_pages", logins["trace_pages"])
        connections["trace_pages"] = _airflow_uri(pages_url)
    env = airflow.environment(home, server.url("airflow"), port, connections) | dict(extra_environment or {})
    say("Preparing Airflow's own tables")
    airflow.migrate_metadata(env)
    say("Starting Airflow: api-server, scheduler, dag-processor, triggerer")
    components.start_components(home, env, port)
    components.wait_until_healthy(home, port)
    password = json.loads((home.folder / "passwords.json").read_text())["admin"]
    stack = Stack(admin_url, results_url, source_url, f"http://127.0.0.1:{port}", password)
    api = stack.api()
    api.wait_for_dags(*DAG_IDS)
    api.ensure_pool(*POOL)
    api.close()
    return stack


def stop_stack(folder: Path) -> list[str]:
    """Stop whatever of the stack runs; returns the names of what was stopped."""
    stopped = components.stop_components(airflow_home(folder))
    if postgres.stop(folder / "postgres"):
        stopped.append("Postgres")
    return stopped


def destroy_stack(folder: Path) -> None:
    """Stop the stack and remove its data."""
    stop_stack(folder)
    postgres.destroy(folder / "postgres")


def airflow_home(folder: Path) -> airflow.AirflowHome:
    """Return where the stack's Airflow lives, with this project's DAGs and plugins."""
    return airflow.AirflowHome(folder / "airflow", ROOT / "dags", ROOT / "plugins")


def _provision(
    home: airflow.AirflowHome, server: postgres.Server, *, fresh: bool, with_trace: bool
) -> dict[str, str]:
    """Create the databases; returns the passwords of the two logins the DAGs use."""
    engine = create_engine(server.url(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        if fresh:
            for name in ("trace", "airflow"):
                connection.execute(text(f"drop database if exists {name} with (force)"))
        wanted = ["airflow", "trace"] if with_trace else ["airflow"]
        for name in wanted:
            if not connection.scalar(text("select 1 from pg_database where datname = :name"), {"name": name}):
                connection.execute(text(f"create database {name}"))
    engine.dispose()
    return {login: home.secret(login) for login in ("trace_etl", "trace_source", "trace_pages")}


def _grant(server: postgres.Server, logins: Mapping[str, str]) -> None:
    """Give the pipeline's login its role, and the source's login nothing but the source."""
    engine = create_engine(server.url("trace"))
    with engine.begin() as connection:
        for login, password in logins.items():
            exists = connection.scalar(
                text("select 1 from pg_roles where rolname = :login"), {"login": login}
            )
            verb = "alter" if exists else "create"
            # Both are made of this module's own names and a URL-safe random secret.
            connection.execute(text(f"{verb} role {login} login password '{password}'"))
        connection.execute(text("grant trace_pipeline to trace_etl"))
        connection.execute(text("grant trace_reader, trace_labeller to trace_pages"))
        connection.execute(text("grant usage on schema trace to trace_source"))
        connection.execute(text("grant select on trace.rag_log to trace_source"))
    engine.dispose()


def _airflow_uri(url: str) -> str:
    return "postgres://" + url.partition("://")[2]


def default_folder() -> Path:
    """Return the stack's folder of this checkout."""
    return Path(os.environ.get("TRACE_LOCAL_FOLDER") or ROOT / ".local")


def own_folder() -> Path:
    """Return the folder of the stack that works on databases of your own."""
    return default_folder() / "own"
