"""What every step is given: settings, the two databases, and the run's name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Connection, Engine

from trace_core.records import Limits
from trace_core.scorers import Scorer, get_scorer
from trace_pipeline.database import connect, snapshot
from trace_pipeline.scorers import OWN_SCORERS, make_scorer
from trace_pipeline.settings import Settings
from trace_pipeline.source import Source, open_source
from trace_pipeline.sqlfiles import query


@dataclass(frozen=True)
class Pipeline:
    """One run's context. Make it by `open_pipeline`; close it when the step is done.

    judge_url, judge_key: the judge's endpoint and key where an Airflow connection gives them.
    """

    settings: Settings
    source: Engine
    results: Engine
    run_id: str
    judge_url: str = ""
    judge_key: str = ""

    @cached_property
    def scorers(self) -> tuple[Scorer, ...]:
        """The configured scorers; the first is the one that trends and alerts read."""
        return tuple(map(self._make, self.settings.scorers))

    def _make(self, name: str) -> Scorer:
        return make_scorer(name, self) if name in OWN_SCORERS else get_scorer(name)

    @property
    def limits(self) -> Limits:
        """What a log may be at most."""
        return Limits(
            max_log_bytes=self.settings.max_log_bytes,
            max_documents=self.settings.max_documents,
            document_text_fields=self.settings.source.document_text_fields,
        )

    @contextmanager
    def read_source(self) -> Iterator[tuple[Connection, Source]]:
        """Open one snapshot of the source."""
        with snapshot(self.source) as connection:
            yield connection, open_source(connection, self.settings.source)

    @cached_property
    def scorer_ids(self) -> dict[int, Scorer]:
        """The scorers by their id in the results; new fingerprints are entered.

        In a transaction of its own: the row's lock, held for a batch, would let one batch run at a time.
        """
        return self._registered(self.scorers)

    def register(self, names: Sequence[str]) -> dict[int, Scorer]:
        """Make some of the configured scorers alone, by their id in the results."""
        return self._registered([self._make(name) for name in names])

    def _registered(self, scorers: Sequence[Scorer]) -> dict[int, Scorer]:
        registered = {}
        with self.results.begin() as connection:
            for scorer in scorers:
                parameters = json.dumps(scorer.parameters, sort_keys=True)
                place = {"name": scorer.name, "fingerprint": scorer.fingerprint, "parameters": parameters}
                registered[int(connection.execute(query("register_scorer"), place).scalar_one())] = scorer
        return registered

    def close(self) -> None:
        """Close the connections."""
        self.source.dispose()
        self.results.dispose()


def open_pipeline(
    settings: Settings,
    *,
    results_url: str,
    source_url: str | None = None,
    run_id: str = "manual",
    results_named: str = "TRACE_RESULTS_URL",
    source_named: str = "TRACE_SOURCE_URL",
    judge_url: str = "",
    judge_key: str = "",
) -> Pipeline:
    """Make a run's context. Without `source_url` the logs are in the database of the results."""
    source = connect(
        source_url or results_url,
        setting=source_named if source_url else results_named,
        statement_timeout_seconds=settings.source.statement_timeout_seconds,
    )
    results = connect(
        results_url,
        setting=results_named,
        statement_timeout_seconds=settings.results_statement_timeout_seconds,
        lock_timeout_seconds=settings.results_lock_timeout_seconds,
    )
    return Pipeline(settings, source, results, run_id[:250], judge_url, judge_key)
