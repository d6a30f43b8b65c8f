"""night_version: of several versions of a scorer, one speaks for a day."""

from __future__ import annotations

from sqlalchemy import Engine

from tests.sql.tools import execute, rows
from tests.sql.watching import SCORER, day, publish


def test_the_newest_version_that_found_logs_speaks(engine: Engine) -> None:
    """A newer version wins, unless the source had forgotten the day; with no logs at all the newest does."""
    publish(engine, [0, 1, 2], "old")
    publish(engine, [1, 2, 3], "new")
    empty = "update trace.ledger set source_rows = 0, scored = 0 where day = :day and scorer_id = any("
    newest = "select scorer_id from trace.scorer where fingerprint = 'new')"
    execute(engine, f"{empty}array({newest})", day=day(2))
    execute(engine, f"{empty}array({newest})", day=day(3))
    assert rows(engine, "select scorer, day, fingerprint from trace.night_version order by day") == [
        (SCORER, day(0), "old"),
        (SCORER, day(1), "new"),
        (SCORER, day(2), "old"),
        (SCORER, day(3), "new"),
    ]
