"""The first start of the stack's Postgres, on a real server: databases, logins, and what each may do."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from trace_pipeline.local import postgres
from trace_pipeline.migrations import migrate

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "postgres" / "10-databases.sh"
PASSWORDS = {
    "airflow": "AIRFLOW_DATABASE_PASSWORD",
    "trace_owner": "OWNER_DATABASE_PASSWORD",
    "trace_pipeline": "PIPELINE_DATABASE_PASSWORD",
    "trace_reader": "READER_DATABASE_PASSWORD",
    "trace_pages": "PAGES_DATABASE_PASSWORD",
}
AWKWARD = 'it\'s "quoted"; \\ $x'  # nothing of a password may be read as SQL or by the shell


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """An embedded server on which the script has run, migrated by the owner as the init service does.

    Not the server of the other tests: roles belong to a whole server, and the script wants none there yet.
    """
    home = Path(tempfile.mkdtemp(prefix="trace-deploy-"))
    home.chmod(0o755)
    try:
        started = postgres.start(home / "postgres")
        environment = {
            "PATH": f"{started.binaries}{os.pathsep}{os.environ['PATH']}",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(started.port),
            "PGPASSWORD": started.password,
            "POSTGRES_USER": "postgres",
            **{variable: AWKWARD + role for role, variable in PASSWORDS.items()},
        }
        done = subprocess.run(
            ["sh", str(SCRIPT)], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        owner = engine(started, "trace_owner")
        migrate(owner)
        owner.dispose()
        yield started
    finally:
        postgres.destroy(home / "postgres")
        shutil.rmtree(home, ignore_errors=True)


def engine(server: postgres.Server, role: str, database: str = "trace") -> Engine:
    """An engine that logs in with the password of the script."""
    url = URL.create("postgresql+psycopg2", role, AWKWARD + role, "127.0.0.1", server.port, database)
    return create_engine(url)


@pytest.fixture
def connection(server: postgres.Server, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A connection of the role that the test names."""
    made = engine(server, request.param)
    with made.connect() as opened:
        yield opened
    made.dispose()


@pytest.mark.parametrize("connection", ["trace_pipeline"], indirect=True)
def test_the_pipeline_reads_logs_stages_and_writes_results(connection: Connection) -> None:
    """The rights a night needs, temporary tables among them."""
    connection.execute(text("select count(*) from trace.rag_log"))
    connection.execute(text("create temporary table staged (a int)"))
    connection.execute(text("delete from trace.quarantine"))


@pytest.mark.parametrize("connection", ["trace_pipeline"], indirect=True)
@pytest.mark.parametrize(
    "statement",
    [
        "delete from trace.rag_log",
        "update trace.rag_log set response = ''",
        "create table trace.mine (a int)",
        "create table public.mine (a int)",
        "create schema mine",
        "drop table trace.evaluation",
    ],
)
def test_the_pipeline_changes_neither_source_nor_schema(connection: Connection, statement: str) -> None:
    """A faulty task cannot harm the logs it scores."""
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        connection.execute(text(statement))


@pytest.mark.parametrize("connection", ["trace_reader"], indirect=True)
@pytest.mark.parametrize(
    "statement",
    [
        "delete from trace.evaluation",
        "insert into trace.quarantine default values",
        "create temporary table t (a int)",
        "create table public.mine (a int)",
    ],
)
def test_the_reader_writes_nowhere(connection: Connection, statement: str) -> None:
    """Not even after it has switched its session back to read-write."""
    connection.execute(text("select count(*) from trace.evaluation"))
    connection.rollback()
    connection.execute(text("set session characteristics as transaction read write"))
    connection.commit()
    with pytest.raises(ProgrammingError, match="permission denied"):
        connection.execute(text(statement))


@pytest.mark.parametrize("connection", ["trace_pages"], indirect=True)
@pytest.mark.parametrize("statement", ["delete from trace.evaluation", "delete from trace.label"])
def test_the_pages_write_nothing_but_labels(connection: Connection, statement: str) -> None:
    """They read, they may label as trace_labeller, and even a label they cannot remove."""
    connection.execute(text("select count(*) from trace.metric_trend"))
    connection.execute(text("set local role trace_labeller"))
    connection.execute(text("update trace.label set note = ''"))
    connection.rollback()
    with pytest.raises(ProgrammingError, match="permission denied"):
        connection.execute(text(statement))


@pytest.mark.parametrize(
    ("role", "database"),
    [
        ("airflow", "trace"),
        ("trace_owner", "airflow"),
        ("trace_pipeline", "airflow"),
        ("trace_reader", "airflow"),
        ("trace_pages", "airflow"),
        ("trace_pipeline", "postgres"),
    ],
)
def test_no_login_enters_a_database_that_is_not_its_own(
    server: postgres.Server, role: str, database: str
) -> None:
    """Airflow cannot read logs or results, and nothing of ours can read Airflow's connections."""
    with pytest.raises(OperationalError, match="permission denied for database"):
        engine(server, role, database).connect()


def test_no_login_has_special_rights(server: postgres.Server) -> None:
    """No superuser, nobody who creates roles or databases, and none without its password."""
    administrator = create_engine(server.url())
    with administrator.connect() as opened:
        special = opened.scalars(
            text(
                "select rolname from pg_roles where rolname = any(:roles) and (rolsuper or rolcreaterole"
                " or rolcreatedb or rolbypassrls or rolreplication or not rolcanlogin)"
            ),
            {"roles": list(PASSWORDS)},
        ).all()
    administrator.dispose()
    assert special == []
    wrong = URL.create("postgresql+psycopg2", "trace_reader", "wrong", "127.0.0.1", server.port, "trace")
    with pytest.raises(OperationalError, match="password authentication failed"):
        create_engine(wrong).connect()


def test_airflow_may_build_its_own_schema(server: postgres.Server) -> None:
    """Its migrations create tables in the schema public of its own database."""
    made = engine(server, "airflow", "airflow")
    with made.begin() as opened:
        opened.execute(text("create table public.probe (a int)"))
        opened.execute(text("drop table public.probe"))
    made.dispose()


def test_a_second_run_fails_loudly(server: postgres.Server) -> None:
    """The image runs the script once; run by hand again it stops at the first role and changes nothing."""
    environment = {
        "PATH": f"{server.binaries}{os.pathsep}{os.environ['PATH']}",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        "PGPASSWORD": server.password,
        "POSTGRES_USER": "postgres",
        **dict.fromkeys(PASSWORDS.values(), "other"),
    }
    done = subprocess.run(["sh", str(SCRIPT)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "already exists" in done.stderr
    try:
        engine(server, "airflow", "airflow").connect().close()
    except DBAPIError:
        pytest.fail("the first password no longer holds")
