"""A backup of the results, as docs/how-to/backup.md makes it, is a whole installation when it is restored."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.engine import make_url

from tests.conftest import checksum
from tests.sql.catalogue import catalogue
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night, noon, rows
from trace_core import DEFAULT_SCORER
from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.local.postgres import Server
from trace_pipeline.migrations import current_revision, head_revision
from trace_pipeline.settings import load_settings


def client(server: Server, program: str, *words: str) -> None:
    """Run a program of Postgres' own; its complaint is the assertion's."""
    done = subprocess.run(
        [Path(server.binaries) / program, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def libpq(url: str) -> str:
    """Return an address as Postgres' programs take it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def test_a_restored_backup_is_the_same_and_goes_on(
    engine: Engine,
    database: str,
    empty_database: str,
    server: Server,
    make_pipeline: MakePipeline,
    tmp_path: Path,
) -> None:
    """Tables, partitions, views, functions, rights and rows come back; the next night adds to them."""
    tomorrow = DAY + timedelta(days=1)
    insert(engine, *(a_log(f"log-{number}") for number in range(30)))
    insert(
        engine, *(a_log(f"next-{number}", noon(tomorrow)) for number in range(20)), a_log("bad", question="")
    )
    night(make_pipeline(), DAY)
    before = checksum(engine)
    dump = str(tmp_path / "trace.dump")
    client(server, "pg_dump", "--format=custom", "--schema=trace", f"--file={dump}", libpq(database))
    client(server, "pg_restore", "--exit-on-error", f"--dbname={libpq(empty_database)}", dump)
    restored = connect(empty_database, setting="test")
    try:
        assert checksum(restored) == before
        assert catalogue(restored) == catalogue(engine)
        with restored.connect() as connection:
            assert current_revision(connection) == head_revision()
        pipeline = open_pipeline(load_settings(scorers=DEFAULT_SCORER), results_url=empty_database)
        try:
            assert night(pipeline, DAY).changed == 0
            assert night(pipeline, tomorrow).changed == 20
        finally:
            pipeline.close()
        # A month that the backup never saw gets its partition.
        execute(restored, "select trace.ensure_evaluation_partitions('2031-02-28', '2031-03-01')")
        assert rows(restored, "select count(*) from trace.scorer") == [(1,)]
    finally:
        restored.dispose()
