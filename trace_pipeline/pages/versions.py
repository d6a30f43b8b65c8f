"""Versions of a scorer: a list of logs shows one of them, for two are not to be compared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection

from trace_pipeline.pages.errors import NotFound
from trace_pipeline.sqlfiles import query


@dataclass(frozen=True, slots=True)
class Version:
    """A scorer's fingerprint with the first and last night of its ledger, None without any."""

    scorer_id: int
    scorer: str
    fingerprint: str
    first_day: date | None
    last_day: date | None


def versions_of(connection: Connection, scorer: str) -> tuple[Version, ...]:
    """Return the versions of a scorer, the newest that has counted a night first."""
    rows = connection.execute(query("page_scorer_versions"), {"scorer": scorer})
    return tuple(
        Version(row.scorer_id, row.scorer, row.fingerprint, row.first_day, row.last_day) for row in rows
    )


def chosen(versions: tuple[Version, ...], fingerprint: str, last: date | None = None) -> Version:
    """Return the version of a fingerprint; without one the newest that has nights up to `last`.

    Raises NotFound when there is none.
    """
    if fingerprint:
        versions = tuple(version for version in versions if version.fingerprint == fingerprint)
    if not versions:
        raise NotFound("There is no such version of the scorer.")
    reaching = [one for one in versions if one.first_day and last and one.first_day <= last]
    return reaching[0] if reaching else versions[0]
