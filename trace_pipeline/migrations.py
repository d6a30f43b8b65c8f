"""Builds and upgrades the schema `trace`: Alembic runs sql/migrations, then views and roles are laid anew."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from psycopg2 import errors
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from trace_core.errors import ConfigurationError
from trace_pipeline.database import run_script
from trace_pipeline.sqlfiles import FOLDER, names, statement_of

_LOCK = 7_428_116_001  # any constant: two migrations of one database wait for each other
_OLDEST_SERVER = 140_000
_ROLES = ("trace_owner", "trace_pipeline", "trace_reader", "trace_labeller")


def migrate(engine: Engine, *, revision: str = "head") -> list[str]:
    """Bring the database to `revision`, with its views and, where the login may create roles, its roles.

    Everything happens in one transaction. Returns sentences about what was done or must be done by an
    administrator. Raises ConfigurationError for a server older than 14, a login without the rights, and views
    of the user's own in the way.
    """
    try:
        with engine.begin() as connection:
            return _migrate(connection, revision)
    except DBAPIError as error:
        if isinstance(error.orig, errors.InsufficientPrivilege):
            raise ConfigurationError(
                f"This login may not lay the schema trace ({_first_line(error)}): migrate with the login "
                "that owns it, or, the first time, with one that may create schemas in the database."
            ) from error
        if isinstance(error.orig, errors.DependentObjectsStillExist):
            raise ConfigurationError(
                f"Something of your own stands on a view of the schema trace ({_first_line(error)}): "
                "drop it, migrate, and make it again."
            ) from error
        raise


def _migrate(connection: Connection, revision: str) -> list[str]:
    version = int(connection.scalar(text("show server_version_num")))
    if version < _OLDEST_SERVER:
        raise ConfigurationError(
            f"Postgres {version // 10_000} is too old: version {_OLDEST_SERVER // 10_000} or newer is needed."
        )
    connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    before = current_revision(connection)
    if connection.scalar(text("select to_regnamespace('trace')")) is None:
        connection.execute(text("create schema trace"))
    if before != head_revision():
        # A revision may change what views stand on. Otherwise they stay, with what others built on them.
        for view in reversed(names("views")):
            connection.execute(text(f"drop view if exists trace.{view}"))
    command.upgrade(_configuration(connection), revision)
    after = current_revision(connection)
    done = [
        f"Schema trace is at {after}"
        + (" (unchanged)." if before == after else f" (was {before or 'empty'}).")
    ]
    if after == head_revision():
        for view in names("views"):
            run_file(connection, f"views/{view}.sql")
        done.append(_apply_roles(connection))
    return done


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0]


def current_revision(connection: Connection) -> str | None:
    """Return the revision the schema is at; None when it was never migrated."""
    if connection.scalar(text("select to_regclass('trace.alembic_version')")) is None:
        return None
    value = connection.scalar(text("select version_num from trace.alembic_version"))
    return None if value is None else str(value)


def head_revision() -> str:
    """Return the newest revision in sql/migrations."""
    return str(ScriptDirectory.from_config(_configuration(None)).get_current_head())


def revisions() -> list[str]:
    """Return all revisions this release knows, newest first."""
    return [script.revision for script in ScriptDirectory.from_config(_configuration(None)).walk_revisions()]


def run_file(connection: Connection, name: str) -> None:
    """Run a whole file of sql/, which may hold several statements and percent signs."""
    run_script(connection, statement_of(name))


def _apply_roles(connection: Connection) -> str:
    may_create = connection.scalar(
        text("select rolcreaterole or rolsuper from pg_roles where rolname = current_user")
    )
    existing = connection.scalar(
        text("select count(*) from pg_roles where rolname = any(:names)"), {"names": list(_ROLES)}
    )
    if not may_create and existing < len(_ROLES):
        return "Roles were not laid: this login may not create roles. Let an administrator run sql/roles.sql."
    run_file(connection, "roles.sql")
    return "Roles trace_owner, trace_pipeline, trace_reader and trace_labeller have their rights."


def _configuration(connection: Connection | None) -> Config:
    configuration = Config()
    configuration.set_main_option("script_location", str(FOLDER / "migrations").replace("%", "%%"))
    configuration.set_main_option("path_separator", "os")
    configuration.attributes["connection"] = connection
    return configuration
