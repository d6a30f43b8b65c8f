"""What befalls servers in the night: each fault is a sentence and a retry, and the retry finds nothing amiss."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from tests.conftest import checksum
from tests.sql.standby import caught_up, standby_of
from tests.sql.tools import (
    DAY,
    LEDGER,
    MakePipeline,
    a_log,
    execute,
    insert,
    night,
    noon,
    outcomes,
    rows,
    url_of,
)
from trace_core.errors import TemporaryFault
from trace_core.scorers.lexical import LexicalScorer
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.doctor import servers
from trace_pipeline.due_logs import in_chunks
from trace_pipeline.local import postgres
from trace_pipeline.migrations import migrate
from trace_pipeline.settings import load_settings

LOGS = 30
LOST = "the connection to the server was lost, and nothing of this step is written"


def fill(engine: Engine) -> None:
    """Write a small night."""
    insert(engine, *(a_log(f"log-{at:02}", noon(minutes=at)) for at in range(LOGS)))


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Return a function that lets something happen once, while the first log of a batch is scored."""

    def plant(event: Callable[[], Any]) -> None:
        score_many = LexicalScorer.score_many
        waiting = [event]

        def disturbed(self: LexicalScorer, logs: Any) -> Iterator[Any]:
            for evaluation in score_many(self, logs):
                if waiting:
                    waiting.pop()()
                yield evaluation

        monkeypatch.setattr(LexicalScorer, "score_many", disturbed)
        # In small parts, so that the source is asked again after the event.
        monkeypatch.setattr("trace_pipeline.steps.score_batch.in_chunks", partial(in_chunks, rows=10))

    return plant


@pytest.fixture
def home() -> Iterator[Path]:
    """The folder of `own_server`."""
    made = Path(tempfile.mkdtemp(prefix="trace-own-server-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def own_server(home: Path) -> Iterator[postgres.Server]:
    """A server that a test may stop, with the migrated schema in its database."""
    try:
        server = postgres.start(home)
        engine = connect(server.url(), setting="test")
        migrate(engine)
        engine.dispose()
        yield server
    finally:
        postgres.destroy(home)


@contextmanager
def pipeline_on(results_url: str, source_url: str | None = None) -> Iterator[Pipeline]:
    """Open a pipeline with the default scorer."""
    pipeline = open_pipeline(
        load_settings(scorers=("lexical",)), results_url=results_url, source_url=source_url, run_id="night"
    )
    try:
        yield pipeline
    finally:
        pipeline.close()


def whole_and_once(engine: Engine) -> None:
    """Hold that each log is scored, once, and the ledger says so."""
    assert rows(engine, "select count(*), count(distinct log_id) from trace.evaluation") == [(LOGS, LOGS)]
    assert rows(engine, LEDGER) == [(DAY, LOGS, LOGS, 0, 0, 0)]
    assert rows(engine, "select * from trace.day_to_restate") == []


@pytest.mark.parametrize("whose", ["all", "source"])
def test_a_session_that_is_killed_in_a_batch_is_tried_again(
    engine: Engine, make_pipeline: MakePipeline, meanwhile: Callable[..., None], whose: str
) -> None:
    """Nothing of the batch is written, no claim is left, and the retry by the same pipeline is whole."""
    fill(engine)
    of_source = "and query like 'CLOSE %'" if whose == "source" else ""
    meanwhile(
        lambda: execute(
            engine,
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
            f" and pid <> pg_backend_pid() {of_source}",
        )
    )
    pipeline = make_pipeline("night")
    with pytest.raises(TemporaryFault, match=LOST):
        night(pipeline)
    assert outcomes(engine) == {}
    night(pipeline)
    whole_and_once(engine)


def test_a_batch_whose_claim_is_killed_goes_on(
    engine: Engine, make_pipeline: MakePipeline, meanwhile: Callable[..., None]
) -> None:
    """Another run may work beside it then; the rows are by key, so they are the same."""
    fill(engine)
    killed: list[Any] = []
    statement = (
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database ="
        " (select oid from pg_database where datname = current_database())"
    )
    meanwhile(lambda: killed.extend(rows(engine, statement)))
    night(make_pipeline("night"))
    assert killed == [(True,)]
    whole_and_once(engine)


def test_a_server_that_dies_in_a_batch_and_comes_back(
    home: Path, own_server: postgres.Server, meanwhile: Callable[..., None]
) -> None:
    """Lost, then refused while it is down, then whole: what Airflow's retries meet in a failover."""
    engine = connect(own_server.url(), setting="test")
    fill(engine)
    meanwhile(lambda: postgres.stop(home, mode="immediate"))
    with pipeline_on(own_server.url()) as pipeline:
        with pytest.raises(TemporaryFault, match=LOST):
            night(pipeline)
        with pytest.raises(OperationalError, match="refused"):
            night(pipeline)
        assert postgres.start(home) == own_server
        assert outcomes(engine) == {}
        night(pipeline)
    whole_and_once(engine)
    engine.dispose()


def test_a_standby_is_a_source_but_takes_no_results(own_server: postgres.Server) -> None:
    """Results on a standby, as after a failover whose address lags, are a fault that passes, in a sentence."""
    engine = connect(own_server.url(), setting="test")
    fill(engine)
    with standby_of(own_server) as standby:
        caught_up(engine, standby)
        with (
            pipeline_on(standby.url(), own_server.url()) as pipeline,
            pytest.raises(TemporaryFault, match=r"TRACE_RESULTS_URL: the server takes no writes"),
        ):
            night(pipeline)
        with pipeline_on(own_server.url(), standby.url()) as pipeline:
            night(pipeline)
    whole_and_once(engine)
    engine.dispose()


def test_doctor_tells_of_a_replica_that_lags(
    own_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quiet primary is no lag, however long it is quiet; a replica that has something to replay lags."""
    monkeypatch.setattr(servers, "_REPLICA_LAG", timedelta(seconds=0.5))
    engine = connect(own_server.url(), setting="test")

    def said(part: str) -> list[str]:
        return [finding.text for finding in servers.check(part, replica, datetime.now(UTC))]

    with standby_of(own_server) as standby:
        replica = connect(standby.url(), setting="test")
        fill(engine)
        caught_up(engine, standby)
        time.sleep(1)
        assert said("source") == ["Postgres 18 answers."]
        assert said("results") == ["The results database is a read replica."]
        execute(replica, "select pg_wal_replay_pause()")
        execute(engine, "delete from trace.rag_log")
        deadline = time.monotonic() + 10
        while "lags" not in said("source")[0]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        execute(replica, "select pg_wal_replay_resume()")
        caught_up(engine, standby)
        assert said("source") == ["Postgres 18 answers."]
        replica.dispose()
    engine.dispose()


@pytest.fixture
def small_disk(server: postgres.Server) -> Iterator[Path]:
    """A disk of 24 MB that the server may write to; only root can make one."""
    place = Path(tempfile.mkdtemp(prefix="trace-disk-"))
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    made = os.geteuid() == 0 and mount is not None and unmount is not None
    if made:
        made = subprocess.run([str(mount), "-t", "tmpfs", "-o", "size=24m", "tmpfs", place]).returncode == 0
    try:
        if not made:
            message = "A full disk needs one to fill: only root can mount a small one."
            if os.geteuid() == 0 and os.environ.get("CI") == "true":
                pytest.fail(message)
            pytest.skip(message)
        os.chown(place, postgres._UNPRIVILEGED_ID, postgres._UNPRIVILEGED_ID)
        place.chmod(0o700)
        yield place
    finally:
        if made:
            subprocess.run([str(unmount), place], check=True)
        place.rmdir()


def test_a_full_disk_is_told_and_nothing_is_half_written(
    server: postgres.Server, admin: Engine, template: str, small_disk: Path
) -> None:
    """The results' disk has no page left: a sentence with the remedy; with room again the retry is whole."""
    with admin.connect() as connection:
        connection.execute(text(f"create tablespace small location '{small_disk}'"))
        connection.execute(
            text(f"create database full_disk template {template} tablespace small strategy file_copy")
        )
    engine = connect(server.url("full_disk"), setting="test")
    try:
        fill(engine)
        ballast = small_disk / "ballast"
        with pytest.raises(OSError, match="No space left"), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4_096)
        with pipeline_on(url_of(engine)) as pipeline:
            with pytest.raises(
                TemporaryFault, match=r"TRACE_RESULTS_URL: the server's disk is full.*give it room"
            ):
                night(pipeline)
            assert outcomes(engine) == {}
            ballast.unlink()
            night(pipeline)
        whole_and_once(engine)
        assert checksum(engine)["evaluation"][0] == LOGS
    finally:
        engine.dispose()
        with admin.connect() as connection:
            connection.execute(text("drop database full_disk with (force)"))
            connection.execute(text("drop tablespace small"))


def test_a_log_of_a_clock_that_is_fast_waits_for_its_day(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A time in the future is no day of this night; the night of that day scores it, once."""
    insert(engine, a_log("right"), a_log("fast", noon(days=3)))
    night(make_pipeline())
    assert outcomes(engine) == {"right": "scored"}
    night(make_pipeline(), DAY + timedelta(days=3))
    assert outcomes(engine) == {"right": "scored", "fast": "scored"}
    assert [(row[0], row[1]) for row in rows(engine, LEDGER)] == [(DAY, 1), (DAY + timedelta(days=3), 1)]
