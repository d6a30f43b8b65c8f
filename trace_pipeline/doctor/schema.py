"""The schema of the results: revision, views, partitions, and what this login may do."""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, timedelta

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from trace_pipeline.context import Pipeline
from trace_pipeline.doctor.finding import Finding, advice, fault, ok
from trace_pipeline.migrations import current_revision, head_revision, revisions
from trace_pipeline.sqlfiles import names, query

_PART = "schema"
_MIGRATE = "Run trace-pipeline migrate, with the login that owns the schema."


def check(pipeline: Pipeline, today: date) -> Generator[Finding, None, bool]:
    """Yield findings about the schema; returns whether it is at this release's revision."""
    with pipeline.results.connect() as connection:
        found, needed = current_revision(connection), head_revision()
        if found != needed:
            yield _wrong_revision(found, needed)
            return False
        try:
            before = [
                *_writable(connection),
                *_views(connection),
                *_rights(connection),
                *_partitions(connection, today),
            ]
        except DBAPIError as error:
            line = (str(error.orig).strip().splitlines() or ["unknown"])[0]
            yield fault(
                _PART,
                f"The schema trace is not what {found} lays: {line}.",
                "Restore it from a backup (docs/how-to/backup.md), or lay it anew in another database.",
            )
            return False
    yield from before
    if not any(finding.level == "fault" for finding in before):
        yield ok(_PART, f"The schema trace is at {found}; this login may write results.")
    return not any(finding.level == "fault" for finding in before)


def _wrong_revision(found: str | None, needed: str) -> Finding:
    if found is None:
        return fault(_PART, "The results database has no schema trace.", _MIGRATE)
    if found not in revisions():
        return fault(
            _PART,
            f"The schema is at revision {found}, which this release does not know: the database is newer.",
            "Install the release that the database was migrated by, or a newer one.",
        )
    return fault(_PART, f"The schema is at revision {found}, this release needs {needed}.", _MIGRATE)


def _writable(connection: Connection) -> list[Finding]:
    read_only = connection.execute(query("doctor_read_only")).scalar_one()
    if not read_only:
        return []
    return [
        fault(
            _PART,
            "Transactions of this login are read-only.",
            "Set default_transaction_read_only to off for the database and the login.",
        )
    ]


def _views(connection: Connection) -> list[Finding]:
    missing = connection.execute(query("doctor_missing_views"), {"names": names("views")}).scalars().all()
    if not missing:
        return []
    return [fault(_PART, f"Views are missing: {', '.join(missing)}.", _MIGRATE)]


def _rights(connection: Connection) -> list[Finding]:
    found = connection.execute(query("doctor_rights")).one()
    findings = []
    if found.missing_tables:
        findings.append(
            fault(
                _PART,
                f"The login {found.login} may not write {', '.join(found.missing_tables)}.",
                f"As an administrator: grant trace_pipeline to the login {found.login}.",
            )
        )
    if found.missing_roles:
        findings.append(
            advice(
                _PART,
                f"Roles are missing: {', '.join(found.missing_roles)}.",
                "Let an administrator run sql/roles.sql in the results database.",
            )
        )
    if found.is_superuser:
        findings.append(
            advice(
                _PART,
                f"The login {found.login} is a superuser; the pipeline needs far less.",
                "Make a login with the role trace_pipeline, and use that in TRACE_RESULTS_URL.",
            )
        )
    return findings


def _partitions(connection: Connection, today: date) -> list[Finding]:
    months = {today.replace(day=1), (today.replace(day=1) + timedelta(days=32)).replace(day=1)}
    place = {"names": [f"evaluation_{month:%Y_%m}" for month in sorted(months)]}
    missing = connection.execute(query("doctor_missing_views"), place).scalars().all()
    if not missing:
        return []
    return [
        advice(
            _PART,
            f"Partitions of trace.evaluation are not there ahead: {', '.join(missing)}.",
            "Unpause trace_maintain, which makes them weekly; a night makes its own when it must.",
        )
    ]
