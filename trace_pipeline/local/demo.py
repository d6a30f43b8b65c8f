"""The demo: 60 made-up nights on a real Airflow and a real Postgres, then what a user would look at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local.rest import AirflowApi
from trace_pipeline.local.stack import Stack, start_stack
from trace_pipeline.sample import SampleSettings, describe, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.show import show_alerts, show_ledger, show_trend

NIGHTS = 60
NIGHTLY = 6  # the last nights, scored one by one by the nightly DAG; those before by trace_rescore
RELEASE_NIGHT = NIGHTS - 5


def run_demo(
    folder: Path, console: Console, *, nights: int = NIGHTS, logs_per_night: int = 400, seed: int = 1
) -> Stack:
    """Start the stack, fill it, run the DAGs over all nights, show the result; the stack stays up."""
    settings = SampleSettings(
        first_day=last_complete_day(datetime.now(UTC)) - timedelta(days=nights - 1),
        nights=nights,
        logs_per_night=logs_per_night,
        seed=seed,
        release_night=nights - (NIGHTS - RELEASE_NIGHT),
    )
    with _progress(console) as progress:
        task = progress.add_task("Starting", total=None)
        stack = start_stack(folder, say=lambda text: progress.update(task, description=text), fresh=True)
        progress.remove_task(task)
        _fill(stack, settings, progress)
        _run_dags(stack, settings, progress)
    _show(stack, settings, console)
    return stack


def last_complete_day(now: datetime) -> date:
    """Return the last day whose nightly run is due: it starts at 02:00 UTC of the next day."""
    return (now - timedelta(hours=2)).date() - timedelta(days=1)


@contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=False) as progress:
        yield progress


def _fill(stack: Stack, settings: SampleSettings, progress: Progress) -> None:
    engine = connect(stack.admin_url, setting="embedded Postgres")
    total = settings.nights * settings.logs_per_night
    task = progress.add_task(f"Writing {settings.nights} nights of logs", total=total)
    written = 0
    for written in load_logs(engine, generate(settings)):
        progress.update(task, completed=written)
    progress.update(task, total=written, completed=written)
    engine.dispose()


def _run_dags(stack: Stack, settings: SampleSettings, progress: Progress) -> None:
    api = stack.api()
    api.pause("trace_watch_drift", paused=False)
    api.pause("trace_rescore", paused=False)
    nightly = [settings.day(night) for night in range(settings.nights - NIGHTLY, settings.nights)]
    _rescore(api, settings.first_day, nightly[0] - timedelta(days=1), progress)
    api.wait_until_idle("trace_watch_drift")
    # Queued while the DAG is paused: it takes them in this order once it is not, and finds the last one,
    # which the timetable would start by itself, already there.
    runs = [api.trigger_night("trace_score_nightly", day) for day in nightly]
    api.pause("trace_score_nightly", paused=False)
    task = progress.add_task("Scoring the last nights: trace_score_nightly", total=len(runs))
    for run in runs:
        _must_succeed("trace_score_nightly", run, api.wait_for_run("trace_score_nightly", run))
        progress.advance(task)
    task = progress.add_task("Waiting for the drift watch", total=None)
    api.wait_until_idle("trace_watch_drift")
    progress.update(task, description="The drift watch has judged every night", total=1, completed=1)
    for run_of_watch in api.runs("trace_watch_drift"):
        _must_succeed("trace_watch_drift", run_of_watch["dag_run_id"], run_of_watch["state"])


def _rescore(api: AirflowApi, first: date, last: date, progress: Progress) -> None:
    run = api.trigger("trace_rescore", from_day=first.isoformat(), to_day=last.isoformat())
    task = progress.add_task(f"Scoring {first} to {last}: trace_rescore", total=None)

    def tick(tasks: list[dict[str, object]]) -> None:
        batches = [one for one in tasks if one["task_id"] == "score_batch" and one["map_index"] != -1]
        if batches:
            done = sum(one["state"] == "success" for one in batches)
            progress.update(task, total=len(batches), completed=done)

    _must_succeed("trace_rescore", run, api.wait_for_run("trace_rescore", run, tick=tick))


def _must_succeed(dag_id: str, run_id: str, state: str) -> None:
    if state != "success":
        raise RuntimeError(f"{dag_id}, run {run_id}, ended as {state}; its log is below .local/airflow/logs.")


def _pipeline(stack: Stack) -> Pipeline:
    return open_pipeline(load_settings(), results_url=stack.results_url, source_url=stack.source_url)


def _show(stack: Stack, settings: SampleSettings, console: Console) -> None:
    pipeline = _pipeline(stack)
    try:
        show_trend(pipeline, console, nights=settings.nights, table_nights=10)
        show_ledger(pipeline, console, nights=NIGHTLY)
        show_alerts(pipeline, console)
    finally:
        pipeline.close()
    console.print(describe(settings), style="dim")
    console.print(
        f"\nThe Airflow UI is up at {stack.ui_url} (user admin, password {stack.password}).",
        highlight=False,
        soft_wrap=True,
    )
    console.print(
        f"See it as pages, after signing in there: {stack.ui_url}/rag-quality/",
        highlight=False,
        soft_wrap=True,
    )
    console.print("Stop everything with: make down", highlight=False)
