"""What every DAG must have, and what a DAG file must not do."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
from collections.abc import Callable
from copy import copy
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.dags.conftest import DAGS, ROOT

pytestmark = pytest.mark.airflow

SCORING = {
    "check_source": {"plan_batches"},
    "plan_batches": {"score_batch", "aggregate_day"},
    "score_batch": {"aggregate_day"},
    "aggregate_day": {"check_ledger"},
    "check_ledger": set(),
}
TASKS: dict[str, dict[str, set[str]]] = {
    "trace_score_nightly": {"score_anchor": {"check_source"}, **SCORING},
    "trace_rescore": SCORING,
    "trace_watch_drift": {"detect_drift": {"send_alerts"}, "send_alerts": set()},
    "trace_import": {"list_files": {"import_file"}, "import_file": set()},
    "trace_digest": {"plan_digest": {"send_digest"}, "send_digest": set()},
    "trace_maintain": {
        "ensure_partitions": {"apply_retention"},
        "apply_retention": {"advise_source"},
        "advise_source": set(),
    },
}
FILES = sorted(DAGS.glob("*.py"))
DAG_IDS = sorted(TASKS)


def test_ids_and_edges_are_the_documented_ones(dags: dict[str, Any]) -> None:
    """DAG ids, task ids and their order are a contract with dashboards and scripts."""
    found = {dag_id: {t.task_id: t.downstream_task_ids for t in dag.tasks} for dag_id, dag in dags.items()}
    assert found == TASKS


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_a_dag_says_when_it_runs_and_how_long_at_most(dags: dict[str, Any], dag_id: str) -> None:
    """Schedule, fixed start in a time zone, no catch-up by accident, bounded runs and time."""
    dag = dags[dag_id]
    expected = {
        "trace_score_nightly": "CronDataIntervalTimetable",
        "trace_maintain": "CronDataIntervalTimetable",
        "trace_digest": "CronDataIntervalTimetable",
        "trace_import": "NullTimetable",
        "trace_watch_drift": "AssetTriggeredTimetable",
        "trace_rescore": "NullTimetable",
    }
    assert type(dag.timetable).__name__ == expected[dag_id]
    assert dag.start_date is not None
    assert dag.start_date.tzinfo is not None
    assert dag.catchup is False
    assert dag.max_active_runs == 1
    assert timedelta() < dag.dagrun_timeout <= timedelta(days=2)


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_a_dag_is_described_owned_and_reports_its_failure(dags: dict[str, Any], dag_id: str) -> None:
    """Documentation names every task; tags, owner and a failure callback are there."""
    dag = dags[dag_id]
    assert dag.description
    assert dag.tags == {"rag-quality", "trace"}
    assert dag.doc_md.startswith(f"# {dag_id}\n")
    assert all(f"`{task.task_id}`" in dag.doc_md for task in dag.tasks)
    assert dag.on_failure_callback.__name__ == "tell_failure"
    assert {task.owner for task in dag.tasks} == {"rag-quality"}


def arguments(task: Any) -> Callable[[str], Any]:
    """Return a reader of a task's argument, mapped or not."""
    if hasattr(task, "partial_kwargs"):
        return lambda name: task.partial_kwargs.get(name, getattr(task, name, None))
    return lambda name: getattr(task, name)


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_a_task_is_retried_with_backoff_and_bounded(dags: dict[str, Any], dag_id: str) -> None:
    """Retries, a backoff that really grows, a policy, and a time limit below the run's."""
    for task in dags[dag_id].tasks:
        of = arguments(task)
        assert of("retries") >= 3
        assert of("retry_delay") >= timedelta(seconds=20)
        assert of("retry_exponential_backoff") >= 2  # a factor; True is 1, which is none
        assert of("max_retry_delay") <= timedelta(minutes=30)
        assert of("retry_policy").rules
        assert timedelta() < of("execution_timeout") < dags[dag_id].dagrun_timeout


def test_retries_of_a_delivery_outlast_the_claim_of_a_killed_one(dags: dict[str, Any]) -> None:
    """Else the message of a killed process would wait for the next night."""
    from trace_pipeline.alerts import CLAIM_STALE_AFTER

    for dag_id, task_id in (("trace_watch_drift", "send_alerts"), ("trace_digest", "send_digest")):
        of = arguments(dags[dag_id].get_task(task_id))
        waits = [min(of("max_retry_delay"), of("retry_delay") * 2**tried) for tried in range(of("retries"))]
        assert sum(waits, timedelta()) > 2 * CLAIM_STALE_AFTER


@pytest.mark.parametrize("dag_id", ["trace_score_nightly", "trace_rescore"])
def test_batches_are_labelled_pooled_and_bounded(dags: dict[str, Any], dag_id: str) -> None:
    """A mapped batch shows its id and day, takes a slot of the pool, and there are never too many of them."""
    from airflow.configuration import conf

    from trace_pipeline.settings import Settings

    of = arguments(dags[dag_id].get_task("score_batch"))
    assert of("pool") == "trace_scoring"
    assert "batch_id" in of("map_index_template")
    most = max(part.le for part in Settings.model_fields["max_batches"].metadata if hasattr(part, "le"))
    assert most <= 512 < conf.getint("core", "max_map_length")


def test_a_failed_batch_does_not_keep_the_day_from_being_added_up(dags: dict[str, Any]) -> None:
    """aggregate_day runs whatever became of the batches, because it is what counts the failed ones."""
    assert dags["trace_score_nightly"].get_task("aggregate_day").trigger_rule == "all_done"


def test_the_scoring_dags_emit_the_asset_that_the_watch_waits_for(dags: dict[str, Any]) -> None:
    """One asset, written at the end of a run, starts the watch."""
    for dag_id in ("trace_score_nightly", "trace_rescore"):
        outlets = {
            task.task_id: [asset.name for asset in task.outlets]
            for task in dags[dag_id].tasks
            if task.outlets
        }
        assert outlets == {"check_ledger": ["trace_daily_metric"]}
    condition = dags["trace_watch_drift"].timetable.asset_condition
    assert [asset.name for asset in condition.objects] == ["trace_daily_metric"]


def test_with_quiet_hours_the_watch_also_runs_at_their_end(
    load_dags: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The messages that waited for the morning are sent in the morning, not by the next night."""
    monkeypatch.setenv("TRACE_ALERTS__QUIET_HOURS", "22:00-07:30")
    monkeypatch.setenv("TRACE_DAY_TIME_ZONE", "Europe/Berlin")
    timetable = load_dags(DAGS).dags["trace_watch_drift"].timetable
    assert [asset.name for asset in timetable.asset_condition.objects] == ["trace_daily_metric"]
    assert timetable.timetable.expression == "30 07 * * *"
    assert str(timetable.timetable.timezone) == "Europe/Berlin"


@pytest.mark.parametrize(
    ("quiet", "expression"),
    [
        ("", "00 07 * * 1"),
        ("22:00-06:30", "00 07 * * 1"),
        ("22:00-08:30", "30 08 * * 1"),
        ("06:00-07:15", "15 07 * * 1"),
    ],
)
def test_the_digest_comes_on_monday_morning_after_quiet_hours(
    load_dags: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch, quiet: str, expression: str
) -> None:
    """At seven in day_time_zone, or when hours that are quiet then are over."""
    monkeypatch.setenv("TRACE_ALERTS__QUIET_HOURS", quiet)
    monkeypatch.setenv("TRACE_DAY_TIME_ZONE", "Europe/Berlin")
    timetable = load_dags(DAGS).dags["trace_digest"].timetable
    assert (timetable.expression, str(timetable.timezone)) == (expression, "Europe/Berlin")


@pytest.mark.parametrize("dag_id", ["trace_score_nightly", "trace_rescore"])
def test_params_have_a_type_and_a_description(dags: dict[str, Any], dag_id: str) -> None:
    """The trigger form explains itself and refuses what is not of the type."""
    params = dags[dag_id].params
    for name in params:
        param = params.get_param(name)
        assert param.schema.get("type"), name
        assert param.description, name
    params.validate()  # a run started without a form has only the defaults


@pytest.mark.parametrize(
    "wrong", [{"from_day": "yesterday"}, {"from_day": 5}, {"force": "maybe"}, {"scorer": 1}]
)
def test_the_form_of_rescore_refuses_what_is_not_of_the_type(
    dags: dict[str, Any], wrong: dict[str, Any]
) -> None:
    """A day is a date, a switch is a switch."""
    from airflow.sdk.exceptions import ParamValidationError

    params = copy(dags["trace_rescore"].params)
    with pytest.raises(ParamValidationError):
        params.update(wrong)
        params.validate()


@pytest.mark.parametrize(
    ("error", "action"),
    [
        ("trace_core.errors.ConfigurationError", "fail"),
        ("trace_core.errors.BadInput", "fail"),
        ("trace_pipeline.steps.check_ledger.LedgerUnbalanced", "fail"),
        ("trace_core.errors.TemporaryFault", "default"),
        ("sqlalchemy.exc.OperationalError", "default"),
        ("builtins.ConnectionError", "default"),
    ],
)
def test_only_faults_that_may_pass_are_retried(dags: dict[str, Any], error: str, action: str) -> None:
    """Wrong settings, unreadable data, an unbalanced ledger fail at once; a lost connection is retried."""
    module, _, name = error.rpartition(".")
    raised = getattr(import_module(module), name)
    policy = arguments(dags["trace_score_nightly"].get_task("score_batch"))("retry_policy")
    instance = raised.__new__(raised)
    assert policy.evaluate(instance, 1, 4).action.value == action
    stored = type(policy).deserialize(policy.serialize())
    assert stored.evaluate(instance, 1, 4).action.value == action


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_dag_file_is_a_picture(path: Path) -> None:
    """At most 100 lines, named like its DAG, no SQL, no arithmetic, no connection made while it is read."""
    source = path.read_text()
    assert len(source.splitlines()) <= 100
    assert f'dag_id="{path.stem}"' in source
    assert not re.search(r"\b(select\s.+\sfrom|insert\s+into|delete\s+from)\b", source, re.IGNORECASE)
    arithmetic = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
    tree = ast.parse(source)
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, arithmetic)
    ]
    assert not [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While, ast.If, ast.Try))]


def test_files_and_dags_share_their_names(dags: dict[str, Any]) -> None:
    """One DAG a file, found under its own name."""
    assert {path.stem for path in FILES} == set(dags)


def test_dag_files_follow_the_rules_of_airflow() -> None:
    """ruff's AIR rules, the ones in preview included."""
    command = [sys.executable, "-m", "ruff", "check", "--preview", "--select", "AIR", "--no-cache", str(DAGS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_reading_the_dags_costs_little_more_than_an_empty_dag(
    load_dags: Callable[[Path], Any], dags: dict[str, Any], tmp_path: Path
) -> None:
    """Airflow reads the files every few seconds: four DAGs may cost ten empty ones, whatever the machine."""
    (tmp_path / "empty.py").write_text("from airflow.sdk import DAG\nDAG('empty', schedule=None)\n")
    empty = min(seconds_of(lambda: load_dags(tmp_path)) for _ in range(3))
    ours = min(seconds_of(lambda: load_dags(DAGS)) for _ in range(3))
    assert ours < 10 * empty + 0.2


def seconds_of(action: Callable[[], object]) -> float:
    """Return the processor time an action takes, which other processes do not lengthen."""
    begun = time.process_time()
    action()
    return time.process_time() - begun


def test_reading_the_dags_imports_nothing_heavy() -> None:
    """What a DAG file imports at its top is paid for at each reading: no models, no tables, no services."""
    code = (
        "import sys; sys.path.append('dags'); import trace_score_nightly, trace_rescore, trace_watch_drift,"
        " trace_maintain, trace_digest, trace_import; print(*sorted(name for name in"
        " ('pandas', 'apprise', 'alembic', 'scipy', 'trace_core.drift') if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TRACE_SCHEDULE", "at night", "Setting schedule"),
        (
            "TRACE_SCHEDULE",
            "0 25 * * *",
            "Setting schedule (TRACE_SCHEDULE): '0 25 * * *' is not a cron expression",
        ),
        ("TRACE_DAY_TIME_ZONE", "Mars/Base", "Setting day_time_zone: 'Mars/Base' is not a time zone"),
        ("TRACE_LATE_DAYS", "-1", "Setting late_days"),
        ("TRACE_LATE_DAY", "3", "TRACE_LATE_DAY is not a setting"),
    ],
)
def test_a_wrong_setting_is_an_import_error_that_names_it(
    load_dags: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    """The Airflow UI shows the sentence at its top; the DAGs that need no setting stay."""
    monkeypatch.setenv(name, value)
    bag = load_dags(DAGS)
    assert "trace_score_nightly.py" in {Path(path).name for path in bag.import_errors}
    assert all(sentence in error for error in bag.import_errors.values())
    assert {"trace_maintain", "trace_rescore"} <= set(bag.dags)
