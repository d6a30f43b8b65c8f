"""Nights of growing size through a real Airflow, beside two limits that are measured in the same run.

    python -m benchmarks.load [--logs 10000 100000 1000000] [--scorers heuristic] [--set NAME=VALUE]

Starts an embedded Postgres and an Airflow with LocalExecutor in a folder of its own, writes made-up logs
(benchmarks/load_traffic.py) into the source, and lets `trace_rescore` score them, a day a size. Limits: the
scorers alone, from memory, in as many processes as there are cores; and COPY of the logs' texts out of the
server and of the results in. Prints Markdown; ends whatever it started.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text

from benchmarks import load_listener, load_traffic
from benchmarks.load_limits import Limit, copied, scorers_alone
from benchmarks.load_watch import Bodies, Watch, cpu_seconds, read_bodies
from trace_pipeline.database import connect
from trace_pipeline.local.demo import last_complete_day
from trace_pipeline.local.rest import AirflowApi
from trace_pipeline.local.stack import Stack, airflow_home, destroy_stack, start_stack
from trace_pipeline.settings import load_settings
from trace_pipeline.window import day_bounds

_DAG = "trace_rescore"
_CORES = os.cpu_count() or 1
_COMPARED = "load-00010000"  # logs before it are the same in a night of every size
_TASKS = 1_000
_SIZES = """
select
    coalesce(sum(pg_relation_size(t.relid)), 0) as rows,
    coalesce(sum(pg_table_size(t.relid) - pg_relation_size(t.relid)), 0) as toast,
    coalesce(sum(pg_indexes_size(t.relid)), 0) as indexes
from pg_partition_tree('trace.evaluation') as t
where t.isleaf
"""
_CHECKSUM = """
select md5(string_agg(md5(row(
    s.name, e.log_id, e.status, e.reason, e.relevance, e.utilization, e.adherence, e.completeness, e.average,
    e.adherence_probability, e.annotation, e.document_uses)::text), '' order by s.name, e.log_id))
from trace.evaluation as e
join trace.scorer as s on s.scorer_id = e.scorer_id
where e.logged_at >= :low and e.logged_at < :high and e.log_id < :first
"""


@dataclass(frozen=True)
class Night:
    """What was measured of one size."""

    logs: int
    megabytes: float  # of the logs, in COPY's text form
    wall: float
    unchanged: float | None  # seconds of the same run again, which finds nothing to do
    steps: Mapping[str, float]
    tasks: int
    starts: Sequence[float]
    bodies: Bodies
    cpu: Mapping[str, float]
    watch: Watch
    sizes: Mapping[str, int]
    checksum: str
    alone: Limit
    copy: Limit


def measure(
    engine: Engine, api: AirflowApi, folder: Path, logs: int, day: date, names: Sequence[str], *, again: bool
) -> Night:
    """Write a night, score it through Airflow, then measure the limits over it."""
    with engine.begin() as connection:
        connection.execute(text("truncate trace.rag_log"))  # the ids of the night before come again
    written = load_traffic.fill(engine, logs, day)
    before, cpu = _sizes(engine), cpu_seconds(folder)
    with Watch(folder) as watch:
        run, tasks = _run(api, day)
    spent = {kind: seconds - cpu.get(kind, 0.0) for kind, seconds in cpu_seconds(folder).items()}
    sizes = {name: size - before[name] for name, size in _sizes(engine).items()}
    bodies = read_bodies(folder / "bodies", run["dag_run_id"])
    unchanged = _seconds(_run(api, day)[0]) if again else None
    low, high = day_bounds(day, "UTC")
    with engine.connect() as connection:
        place = {"low": low, "high": high, "first": _COMPARED}
        checksum = str(connection.scalar(text(_CHECKSUM), place))
    return Night(
        logs=logs,
        megabytes=written / 1e6,
        wall=_seconds(run),
        unchanged=unchanged,
        steps=_steps(tasks),
        tasks=len(tasks),
        starts=[bodies.started[task["id"]] - _moment(task["start_date"]) for task in tasks],
        bodies=bodies,
        cpu=spent,
        watch=watch,
        sizes=sizes,
        checksum=checksum,
        alone=scorers_alone(engine, names, day, _CORES),
        copy=copied(engine, day),
    )


def _run(api: AirflowApi, day: date) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Score a day; returns the run and its tasks as the API tells of them."""
    name = api.trigger(_DAG, from_day=day.isoformat())
    while (run := api.call("GET", f"dags/{_DAG}/dagRuns/{name}"))["state"] not in ("success", "failed"):
        time.sleep(1)
    if run["state"] != "success":
        raise RuntimeError(f"The run ended as {run['state']}.")
    return run, api.task_instances(_DAG, name)


def _moment(value: str) -> float:
    return datetime.fromisoformat(value).timestamp()


def _seconds(run: Mapping[str, Any]) -> float:
    return _moment(run["end_date"]) - _moment(run["start_date"])


def _steps(tasks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the seconds from the first start to the last end of each step, in order."""
    found: dict[str, tuple[float, float]] = {}
    for task in sorted(tasks, key=lambda task: str(task["start_date"])):
        begin, end = _moment(task["start_date"]), _moment(task["end_date"])
        first, last = found.get(task["task_id"], (begin, end))
        found[task["task_id"]] = (min(first, begin), max(last, end))
    return {name: end - begin for name, (begin, end) in found.items()}


def _sizes(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {name: int(size) for name, size in connection.execute(text(_SIZES)).mappings().one().items()}


def table(nights: Sequence[Night]) -> str:
    """Return what was measured as Markdown, a column a night."""
    rows: dict[str, list[str]] = {}
    for night in nights:
        for name, value in _figures(night).items():
            rows.setdefault(name, []).append(value)
    lines = ["| | " + " | ".join(f"{night.logs:,} logs" for night in nights) + " |"]
    lines.append("|---|" + "---:|" * len(nights))
    return "\n".join([*lines, *(f"| {name} | {' | '.join(values)} |" for name, values in rows.items())])


def _figures(night: Night) -> dict[str, str]:
    rate, bodies, watch = night.logs / night.wall, night.bodies, night.watch
    idle = night.wall - bodies.covered
    # What tasks took is in their notes.
    supervising = sum(seconds for kind, seconds in night.cpu.items() if kind not in ("postgres", "task"))
    airflow = supervising + bodies.start_cpu
    server = night.cpu.get("postgres", 0.0)
    total = airflow + bodies.body_cpu + server
    scoring = night.alone.cpu / night.alone.logs * night.logs
    per = 1e6 / night.logs / 1e9
    kinds = sorted(watch.rss, key=lambda kind: -watch.rss[kind])
    figures = {
        "end to end": f"{night.wall:.0f} s, {rate:,.0f} logs/s",
        "scorers alone": f"{night.alone.rate:,.0f} logs/s",
        "COPY out and in": f"{night.copy.rate:,.0f} logs/s",
        "**end to end, of the scorers alone**": f"**{rate / night.alone.rate:.0%}**",
        "end to end, of COPY": f"{rate / night.copy.rate:.1%}",
        "no task at its own work": f"{idle:.1f} s, {idle / night.wall:.1%}",
        "starting a task: median, all": f"{sorted(night.starts)[len(night.starts) // 2]:.2f} s, "
        f"{sum(night.starts):.0f} s in {night.tasks} tasks",
        "CPU: scoring and parsing": f"{scoring:.0f} s, {scoring / total:.0%}",
        "CPU: the rest of our tasks": f"{bodies.body_cpu - scoring:.0f} s, "
        f"{(bodies.body_cpu - scoring) / total:.0%}",
        "CPU: Postgres": f"{server:.0f} s, {server / total:.0%}",
        "CPU: starting tasks": f"{bodies.start_cpu:.0f} s, {bodies.start_cpu / total:.0%}",
        "CPU: Airflow's components": f"{supervising:.0f} s, {supervising / total:.0%}",
        "CPU in all, of the cores' time": f"{total:.0f} s, {total / night.wall / _CORES:.0%}",
    }
    figures |= {
        f"CPU: {kind}": f"{seconds:.0f} s, {seconds / total:.0%}"
        for kind, seconds in sorted(night.cpu.items(), key=lambda item: -item[1])
        if kind not in ("postgres", "task")
    }
    figures |= {f"step {name}": f"{seconds:.1f} s" for name, seconds in night.steps.items()}
    if night.unchanged is not None:
        again = night.logs / night.unchanged
        figures["same run again, nothing new"] = f"{night.unchanged:.0f} s, {again:,.0f} logs/s"
    figures["highest memory of a task"] = f"{bodies.peak / 1e6:.0f} MB"
    figures |= {
        f"RSS, PSS: {kind}": f"{watch.rss[kind] / 1e6:.0f} MB, {watch.pss[kind] / 1e6:.0f} MB"
        for kind in kinds
    }
    figures["PSS of all processes"] = f"{watch.whole_pss / 1e6:.0f} MB"
    figures["logs in COPY's form, per 10^6"] = f"{night.megabytes * 1e6 / night.logs / 1e3:.2f} GB"
    results = sum(night.sizes[name] for name in ("rows", "toast", "indexes"))
    figures["evaluation per 10^6 logs"] = f"{results * per:.2f} GB"
    figures |= {
        f"evaluation, {name}": f"{night.sizes[name] * per:.2f} GB" for name in ("rows", "toast", "indexes")
    }
    figures["checksum of the first 10,000"] = f"`{night.checksum[:12]}`"
    load = sorted(watch.load) or [0.0]
    figures["load average, median and highest"] = f"{load[len(load) // 2]:.1f}, {load[-1]:.1f}"
    return figures


def _start(folder: Path, scorers: str, extra: Mapping[str, str]) -> tuple[Stack, AirflowApi]:
    plugins = folder / "plugins"
    plugins.mkdir(parents=True)
    for plugin in (Path(load_listener.__file__), *airflow_home(folder).plugins.iterdir()):
        (plugins / plugin.name).symlink_to(plugin)
    environment = {
        "TRACE_SCORERS": scorers,
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(plugins),
        "BENCH_BODIES": str(folder / "bodies"),
        **extra,
    }
    stack = start_stack(folder, say=_say, extra_environment=environment)
    api = stack.api()
    api.pause(_DAG, paused=False)
    return stack, api


def _say(words: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {words}", file=sys.stderr, flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--scorers", default=",".join(load_settings().scorers))
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a variable of the stack"
    )
    parser.add_argument("--once", action="store_true", help="leave out the run that finds nothing new")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trace-load-"))
    folder.chmod(0o755)
    first = last_complete_day(datetime.now(UTC))
    nights: list[Night] = []
    try:
        stack, api = _start(folder, options.scorers, dict(one.split("=", 1) for one in options.set))
        engine = connect(stack.admin_url, setting="benchmark")
        for number, logs in enumerate(options.logs):
            _say(f"A night of {logs:,} logs")
            day = first - timedelta(days=number)
            names = options.scorers.split(",")
            nights.append(measure(engine, api, folder, logs, day, names, again=not options.once))
            _say(f"Done\n{table(nights)}")
        api.close()
        engine.dispose()
    finally:
        destroy_stack(folder)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{datetime.now(UTC):%Y-%m-%d}, {_CORES} cores, scorers: {options.scorers}\n\n{table(nights)}")


if __name__ == "__main__":
    main()
