"""A real Airflow for the tests of this folder: SQLite metadata in a temporary home, DAGs run by `dag.test()`.

Airflow is imported by a fixture, never at collection, and its tests are moved to the end of the session: its
import replaces the process's logging and must not reach the tests of the parts that know nothing of it.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DAGS = ROOT / "dags"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what imports Airflow after everything else; let Airflow's own warnings pass."""
    for item in items:
        if item.get_closest_marker("airflow"):
            # Airflow's warnings about itself; ours are raised in trace_* modules and stay errors.
            for ignored in (
                "ignore::DeprecationWarning",
                "ignore::PendingDeprecationWarning",
                "ignore::ResourceWarning",
            ):
                item.add_marker(pytest.mark.filterwarnings(ignored), append=False)
    items.sort(key=lambda item: item.get_closest_marker("airflow") is not None)


@pytest.fixture(scope="session")
def airflow_home() -> Iterator[Path]:
    """An initialised Airflow of its own, without examples and without anything of the developer's."""
    home = Path(tempfile.mkdtemp(prefix="trace-airflow-"))
    kept = {name: value for name, value in os.environ.items() if name.startswith("AIRFLOW")}
    for name in kept:
        del os.environ[name]
    os.environ |= {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(home / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from airflow.utils.db import initdb

        initdb()
    logging.captureWarnings(False)
    sys.path.append(str(DAGS))  # as Airflow does for its DAG folder
    yield home
    sys.path.remove(str(DAGS))
    for name in [name for name in os.environ if name.startswith("AIRFLOW")]:
        del os.environ[name]
    os.environ |= kept
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def load_dags(airflow_home: Path) -> Callable[[Path], Any]:
    """Return a function that reads a folder of DAG files as Airflow's DAG processor does."""

    def load(folder: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from airflow.dag_processing.dagbag import DagBag

            return DagBag(str(folder))

    return load


@pytest.fixture(scope="session")
def dags(load_dags: Callable[[Path], Any]) -> dict[str, Any]:
    """The project's DAGs by id."""
    bag = load_dags(DAGS)
    assert bag.import_errors == {}
    return dict(bag.dags)


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch, airflow_home: Path, database: str) -> str:
    """The Airflow connections of a DAG run, on the test's database; returns its URL."""
    uri = "postgres://" + database.partition("://")[2]
    monkeypatch.setenv("AIRFLOW_CONN_TRACE_RESULTS", uri)
    monkeypatch.setenv("AIRFLOW_CONN_RAG_LOGS", uri)
    return database


@pytest.fixture
def run_dag(connections: str, load_dags: Callable[[Path], Any]) -> Callable[..., Any]:
    """Return a function that runs a DAG in this process and returns its DagRun.

    `day` is when the run's data interval begins, None for a run without one; `retries` replaces the tasks'.
    """

    def run(
        dag_id: str,
        day: date | None = None,
        *,
        retries: int | None = 0,
        run_after: datetime | None = None,
        **params: Any,
    ) -> Any:
        dag = load_dags(DAGS).dags[dag_id]
        dag.deadline = None  # dag.test() looks a deadline up in the metadata as if a scheduler had entered it
        for task in dag.tasks:
            if retries is not None:
                _set_retries(task, retries)
        # The timetable infers the interval from the moment it is asked at: the last one that has ended.
        moment = day and datetime(day.year, day.month, day.day, 2, tzinfo=UTC) + timedelta(days=1)
        return dag.test(logical_date=moment, run_after=run_after, run_conf=params or None)

    return run


def _set_retries(task: Any, retries: int) -> None:
    if hasattr(task, "partial_kwargs"):
        task.partial_kwargs["retries"] = retries
    else:
        task.retries = retries


def states(run: Any) -> dict[str, str]:
    """Return task id (with the map index of a mapped one) -> state of a finished run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {}
        for task in run.get_task_instances():
            name = task.task_id if task.map_index < 0 else f"{task.task_id}[{task.map_index}]"
            found[name] = str(task.state)
    return found
