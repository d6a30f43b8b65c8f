"""How the pages reach the databases: read-only, as trace_reader, never for long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text

from trace_pipeline.database import connect, make_engine
from trace_pipeline.sqlfiles import query

_TIMEOUT_MS = 5_000
_POOL = 5


@dataclass(frozen=True, slots=True)
class PageUrls:
    """Addresses of the results and of the source; they may be the same database."""

    results: str
    source: str


class PageDatabase:
    """The two engines of a process, made at the first use: an api-server forks before it serves."""

    def __init__(self, urls: Callable[[], PageUrls]) -> None:
        self._urls = urls
        self._engines: tuple[Engine, Engine] | None = None
        self._lock = threading.Lock()

    @property
    def _both(self) -> tuple[Engine, Engine]:
        with self._lock:
            if self._engines is None:
                urls = self._urls()
                results = _engine(urls.results)
                source = results if urls.source == urls.results else _engine(urls.source)
                self._engines = results, source
            return self._engines

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read-only transaction on the results."""
        with self._both[0].begin() as connection:
            _limit(connection, "trace_reader", read_only=True)
            yield connection

    @contextmanager
    def read_source(self) -> Iterator[Connection]:
        """Open a read-only transaction on the source."""
        results, source = self._both
        with source.begin() as connection:
            # The source of another server knows none of our roles.
            _limit(connection, "trace_reader" if source is results else None, read_only=True)
            yield connection

    @contextmanager
    def write_label(self) -> Iterator[Connection]:
        """Open the one transaction that writes: labels, as trace_labeller."""
        with self._both[0].begin() as connection:
            _limit(connection, "trace_labeller", read_only=False)
            yield connection

    def close(self) -> None:
        """Close the connections."""
        for engine in {*(self._engines or ())}:
            engine.dispose()
        self._engines = None


def _engine(url: str) -> Engine:
    plain = connect(url, setting="the pages' connection")
    # The pipeline's engines are for one task each; pages are asked at the same time.
    pool = {"pool_size": _POOL, "max_overflow": _POOL, "pool_timeout": 5}
    return make_engine(plain.url, "trace_nightly_pages", "-c timezone=UTC", connect_timeout=5, **pool)


def _limit(connection: Connection, role: str | None, *, read_only: bool) -> None:
    if read_only:
        connection.execute(text("set transaction read only"))
    connection.execute(text(f"set local statement_timeout = {_TIMEOUT_MS}"))
    if role is not None and connection.scalar(query("page_may_be"), {"role": role}):
        connection.execute(text(f'set local role "{role}"'))
