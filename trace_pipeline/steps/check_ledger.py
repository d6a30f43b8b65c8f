"""check_ledger: hold the results of a run's days against the checks of sql/checks."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import date

from sqlalchemy import text

from trace_core.errors import TraceError
from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import names, statement_of
from trace_pipeline.telemetry import tell_night
from trace_pipeline.window import day_bounds

log = logging.getLogger(__name__)

_SHOWN = 5


class LedgerUnbalanced(TraceError):
    """The results of a night do not account for its logs; the message says which and what to do."""


def check_ledger(pipeline: Pipeline, days: Sequence[str]) -> list[str]:
    """Run every check over the given days (ISO) and the configured scorers.

    Returns the sentences of the checks of severity warn. Raises LedgerUnbalanced with those of severity fail.
    """
    if not days:
        return []
    parsed = sorted(date.fromisoformat(day) for day in days)
    zone = pipeline.settings.day_time_zone
    place = {
        "scorer_ids": list(pipeline.scorer_ids),
        "days": parsed,
        "from_at": day_bounds(parsed[0], zone)[0],
        "to_at": day_bounds(parsed[-1], zone)[1],
    }
    found: dict[str, list[str]] = {"fail": [], "warn": []}
    with pipeline.results.connect() as connection:
        for name in names("checks"):
            statement = statement_of(f"checks/{name}.sql")
            rows = connection.execute(text(statement), place)
            found[severity_of(statement)] += [row.finding for row in rows]
    tell_night(pipeline, parsed)
    for finding in found["warn"]:
        log.warning(finding)
    if found["fail"]:
        more = len(found["fail"]) - _SHOWN
        tail = f" And {more} more." if more > 0 else ""
        raise LedgerUnbalanced(" ".join(found["fail"][:_SHOWN]) + tail)
    return found["warn"]


def severity_of(statement: str) -> str:
    """Return "fail" or "warn", as the header of a check says."""
    match = re.search(r"^-- severity: (fail|warn)", statement, re.MULTILINE)
    if match is None:
        raise LookupError("a check without a severity")
    return match.group(1)
