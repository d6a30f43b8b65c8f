"""A real standby of the embedded Postgres, made as an administrator would: pg_basebackup, then streaming."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine, text

from trace_pipeline.local import postgres
from trace_pipeline.local.postgres import Server


@contextmanager
def standby_of(server: Server, *settings: str) -> Iterator[Server]:
    """Give a standby that streams from `server`; it is gone afterwards."""
    data = Path(server.data).parent / f"standby-{time.monotonic_ns()}"
    copied = Server(postgres._free_port(), server.password, str(data), server.binaries, None)
    backup = [str(Path(server.binaries, "pg_basebackup")), "-D", str(data), "-R", "-X", "stream"]
    postgres._run([*backup, "-c", "fast", "-d", server.url().replace("+psycopg2", "")])
    options = " ".join([f"-p {copied.port}", *(f"-c {setting}" for setting in settings)])
    try:
        postgres._pg_ctl(copied, "-w", "-l", f"{data}.log", "-o", options, "start", check=True)
        yield copied
    finally:
        postgres._pg_ctl(copied, "-m", "immediate", "-w", "stop")
        shutil.rmtree(data, ignore_errors=True)


def caught_up(primary: Engine, standby: Server) -> None:
    """Wait until the standby has replayed all that the primary has written."""
    with primary.connect() as connection:
        wanted = connection.scalar(text("select cast(pg_current_wal_lsn() as text)"))
    engine = create_engine(standby.url())
    try:
        deadline = time.monotonic() + 30
        with engine.connect() as connection:
            statement = text("select pg_last_wal_replay_lsn() >= cast(:lsn as pg_lsn)")
            while not connection.scalar(statement, {"lsn": wanted}):
                assert time.monotonic() < deadline
                time.sleep(0.05)
    finally:
        engine.dispose()
