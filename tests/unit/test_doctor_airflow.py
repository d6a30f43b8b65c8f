"""doctor on an Airflow's runs and connections, with an API that answers from a dictionary."""

from __future__ import annotations

from typing import Any

import pytest

from trace_pipeline.doctor import airflow


class Answers:
    """Stands for AirflowApi: what each path, without its query, is answered with."""

    def __init__(self, runs: list[str], connections: list[str], dags: tuple[str, ...] = airflow.DAGS) -> None:
        self._answers: dict[str, dict[str, Any]] = {
            "dags": {"dags": [{"dag_id": name, "is_paused": False} for name in dags]},
            "dags/trace_score_nightly/dagRuns": {
                "dag_runs": [{"dag_run_id": f"run {n}", "state": state} for n, state in enumerate(runs)]
            },
            "connections": {"connections": [{"connection_id": name} for name in connections]},
        }

    def call(self, method: str, path: str) -> dict[str, Any]:
        """Answer a question."""
        return self._answers[path.partition("?")[0]]


@pytest.mark.parametrize(
    ("runs", "connections", "expected"),
    [
        (["success", "failed"], [], []),
        (["running", "success"], [], []),
        (["failed", "success"], ["trace_results"], [("fault", "run 0")]),
        (["running", "failed"], [], [("fault", "run 1"), ("advice", "no connection trace_results")]),
        ([], [], [("advice", "no connection trace_results")]),
        ([], ["trace_results"], []),
    ],
)
def test_the_last_run_speaks_for_what_airflow_knows(
    runs: list[str], connections: list[str], expected: list[tuple[str, str]]
) -> None:
    """A good one ends the questions; without one the missing connection is told."""
    found = list(airflow._runs(Answers(runs, connections)))  # type: ignore[arg-type]
    assert [finding.level for finding in found] == [level for level, _ in expected]
    assert all(named in finding.text for finding, (_, named) in zip(found, expected, strict=True))
    assert all(finding.remedy for finding in found)


def test_without_the_dag_nothing_is_asked_about_its_runs() -> None:
    """That it is missing has been said."""
    assert list(airflow._runs(Answers([], [], ()))) == []  # type: ignore[arg-type]
