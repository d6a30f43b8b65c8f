"""Claims: two runs that meet on the same days take turns, so that no log is scored, or paid, twice.

A claim is an advisory lock a scorer and day in the results database, shared by the batches of one run:
these work side by side, and a batch of another run waits. What it waited for is then known, and not scored
again. The lock belongs to an open transaction of a connection of its own, so it ends with the process,
however that ends. No lock is waited for while a claim is held, so there is no deadlock.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, timedelta

from sqlalchemy import Connection

from trace_core.errors import TemporaryFault
from trace_pipeline.batches import Batch
from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import day_of, days_between

log = logging.getLogger(__name__)

_LOOK_EVERY_SECONDS = 1.0
_MOST_DAYS = 62  # a batch of more days claims months: the server has room for some thousand locks only
_Place = Mapping[str, object]
_SHARED_NAMES = ("manual", "test", "command-line")


@contextmanager
def claimed(pipeline: Pipeline, batch: Batch) -> Iterator[None]:
    """Hold the days of a batch while it is worked on; waits while another run holds one of them.

    Raises TemporaryFault, in a sentence that names the other run, after `results_lock_timeout_seconds`.
    """
    days, months = _units(pipeline, batch)
    with _held(
        pipeline, list(pipeline.scorer_ids), days + months, days if len(days) <= _MOST_DAYS else months
    ):
        yield


@contextmanager
def claimed_anchors(pipeline: Pipeline, scorer_ids: Sequence[int], night: date) -> Iterator[None]:
    """Hold a night's anchors while they are judged, as `claimed` does the days of a batch."""
    units = [f"anchors of {night.isoformat()}"]
    with _held(pipeline, scorer_ids, units, units):
        yield


@contextmanager
def _held(
    pipeline: Pipeline, scorer_ids: Sequence[int], others: Sequence[str], own: Sequence[str]
) -> Iterator[None]:
    """Claim `own` units as soon as no other run has one of `others`."""
    run = {"run": run_name(pipeline.run_id), "scorer_ids": list(scorer_ids)}
    looked_for, claim = {**run, "units": others}, {**run, "units": own}
    # Closed for good, not given back: so that no lock of it is ever left behind.
    with closing(pipeline.results.connect()) as connection:
        try:
            _wait(pipeline, connection, looked_for, claim)
            yield
        finally:
            connection.invalidate()


def _units(pipeline: Pipeline, batch: Batch) -> tuple[list[str], list[str]]:
    """Return the days of a batch, and the months they are in."""
    zone = pipeline.settings.day_time_zone
    last = batch.end.logged_at if batch.end.log_id else batch.end.logged_at - timedelta(microseconds=1)
    days = days_between(day_of(batch.start.logged_at, zone), day_of(last, zone))
    names = [day.isoformat() for day in days]
    return names, sorted({name[:7] for name in names})


def _wait(pipeline: Pipeline, connection: Connection, looked_for: _Place, claim: _Place) -> None:
    longest = pipeline.settings.results_lock_timeout_seconds
    begun = time.monotonic()
    told = False
    while (other := _claim(connection, looked_for, claim)) is not None:
        if time.monotonic() - begun >= longest:
            raise TemporaryFault(
                f"Run {other} has been at work on the same days for {longest} s "
                "(setting results_lock_timeout_seconds): this run goes on when it is tried again."
            )
        if not told:
            log.warning("Run %s is at work on the same days: this batch waits until it is done.", other)
            told = True
        time.sleep(_LOOK_EVERY_SECONDS)


def _claim(connection: Connection, looked_for: _Place, claim: _Place) -> str | None:
    """Claim the days, or return the run that has some of them; the transaction stays open when claimed."""
    connection.execute(query("lock_claims"))
    other = connection.scalar(query("claim_holder"), looked_for)
    if other is None:
        connection.execute(query("claim_days"), claim)
    connection.execute(query("unlock_claims"))
    if other is None:
        return None
    connection.rollback()
    return str(other)


def run_name(run_id: str) -> str:
    """Return who works, in the 63 bytes that the server keeps of it; a run without a name is a process."""
    if run_id in _SHARED_NAMES:
        run_id = f"{run_id}, process {os.getpid()} on {socket.gethostname()}"
    return run_id.encode("ascii", "replace")[:63].decode()
