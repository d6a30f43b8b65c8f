"""Assets: their URIs, what their events carry, and the example of a DAG that waits for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.dags.conftest import DAGS, ROOT
from trace_pipeline.load import load_logs
from trace_pipeline.sample import SampleSettings, generate

pytestmark = pytest.mark.airflow

FIRST = date(2026, 10, 1)
GATE = "publish_good_nights"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A folder with the example of the documentation as a DAG file."""
    page = (ROOT / "docs/how-to/lineage.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / f"{GATE}.py").write_text(code, encoding="utf-8")
    return tmp_path


def assets(bag: Any, task_id: str = "check_ledger") -> dict[str, str]:
    """Return name -> URI of a scoring task's inlets and outlets."""
    task = bag.dags["trace_score_nightly"].get_task(task_id)
    return {asset.name: asset.uri for asset in [*task.inlets, *task.outlets]}


def test_an_asset_has_a_name_alone_where_no_address_is_set(load_dags: Callable[[Path], Any]) -> None:
    """Nothing is made up: without the setting the name is all there is."""
    names = ("trace_rag_log", "trace_daily_metric")
    assert assets(load_dags(DAGS)) == {name: name for name in names}


def test_uris_are_those_of_the_postgres_provider(
    load_dags: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """host:port, database, schema and table, normalised; odd names are quoted; the names stay."""
    monkeypatch.setenv("TRACE_LINEAGE__RESULTS", "db.example.org/trace")
    bag = load_dags_anew(load_dags, monkeypatch)
    assert assets(bag) == {
        "trace_rag_log": "postgres://db.example.org:5432/trace/trace/rag_log",
        "trace_daily_metric": "postgres://db.example.org:5432/trace/trace/daily_metric",
    }
    (watched,) = bag.dags["trace_watch_drift"].timetable.asset_condition.objects
    assert watched.uri == assets(bag)["trace_daily_metric"]
    monkeypatch.setenv("TRACE_LINEAGE__SOURCE", "logs.example.org:6543/app")
    monkeypatch.setenv("TRACE_SOURCE__TABLE", "chat/log #1")
    bag = load_dags_anew(load_dags, monkeypatch)
    assert assets(bag)["trace_rag_log"] == "postgres://logs.example.org:6543/app/trace/chat%2Flog%20%231"


def load_dags_anew(load_dags: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Read the DAGs with their shared modules, as a new process does."""
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == "trace_airflow"]:
        monkeypatch.delitem(sys.modules, name)
    return load_dags(DAGS)


def test_the_event_carries_the_days_and_the_figures(engine: Engine, run_dag: Callable[..., Any]) -> None:
    """After a night the newest event says which days changed and what was measured, with n and interval."""
    settings = SampleSettings(first_day=FIRST, nights=1, logs_per_night=60, release_night=None)
    for _ in load_logs(engine, generate(settings)):
        pass
    assert run_dag("trace_score_nightly", FIRST).state == "success"
    extra = newest_event().extra
    assert (extra["days"], extra["day_count"], extra["day"]) == ([FIRST.isoformat()], 1, FIRST.isoformat())
    figures = extra["figures"]["adherence"]
    assert figures["low"] <= figures["mean"] <= figures["high"] and figures["n"] > 40
    assert extra["source_rows"] >= extra["scored"] > 40
    assert run_dag("trace_score_nightly", FIRST + timedelta(days=1)).state == "success"
    empty = newest_event().extra["figures"]["adherence"]
    assert empty == {"mean": None, "low": None, "high": None, "n": 0}


def newest_event() -> Any:
    """Return Airflow's newest asset event."""
    from airflow.models.asset import AssetEvent
    from airflow.utils.session import create_session
    from sqlalchemy import select

    with create_session() as session:
        event = session.scalars(select(AssetEvent).order_by(AssetEvent.id.desc()).limit(1)).one()
        session.expunge(event)
        return event


def test_the_example_waits_for_the_asset_by_its_name(load_dags: Callable[[Path], Any], example: Path) -> None:
    """It is read without an error and scheduled on the name, so that a change of URI does not part them."""
    bag = load_dags(example)
    assert bag.import_errors == {}
    (ref,) = bag.dags[GATE].timetable.asset_condition.objects
    assert type(ref).__name__ == "AssetNameRef" and ref.name == "trace_daily_metric"


@pytest.mark.parametrize(
    ("figures", "good"),
    [
        ({"adherence": {"mean": 0.9, "low": 0.85, "high": 0.95, "n": 400}}, True),
        ({"adherence": {"mean": 0.9, "low": 0.75, "high": 1.0, "n": 400}}, False),
        ({"adherence": {"mean": 0.9, "low": 0.85, "high": 0.95, "n": 40}}, False),
        ({"adherence": {"mean": None, "low": None, "high": None, "n": 0}}, False),
        ({}, False),
    ],
)
def test_the_example_lets_good_nights_pass(
    load_dags: Callable[[Path], Any],
    example: Path,
    monkeypatch: pytest.MonkeyPatch,
    figures: dict[str, Any],
    good: bool,
) -> None:
    """Surely good passes; too few answers, a wide interval, no data and no figures do not."""
    gate = load_dags(example).dags[GATE].get_task("is_good").python_callable
    events = {"asset": [SimpleNamespace(extra={}), SimpleNamespace(extra={"figures": figures})]}
    monkeypatch.setitem(gate.__globals__, "get_current_context", lambda: {"triggering_asset_events": events})
    assert gate() is good
