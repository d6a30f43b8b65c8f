"""The order of the checks: what a later one stands on is checked before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from trace_core.errors import ConfigurationError
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.doctor import air_gap, airflow, local_model, nights, outward, schema, servers, source
from trace_pipeline.doctor.finding import Finding, fault, ok
from trace_pipeline.settings import Settings, load_settings


def diagnose(
    *,
    results_url: str | None,
    source_url: str | None,
    now: datetime,
    airflow_url: str | None = None,
    airflow_user: str = "admin",
    airflow_password: str | None = None,
) -> Iterator[Finding]:
    """Look at settings, servers, schema, source, nights and, with `airflow_url`, Airflow; change nothing.

    Yields findings as they are made. A part that cannot be reached is one fault, and what stands on it is
    left out. Never raises for what is wrong with the installation.
    """
    try:
        settings = load_settings()
    except ConfigurationError as error:
        yield fault("settings", str(error), "Correct it; each setting is in the README's table.")
        settings = None
    else:
        yield ok("settings", "All settings can be read.")
    if settings is not None:
        yield from air_gap.check(settings)
        yield from outward.check(settings)
        yield from _databases(settings, results_url, source_url, now)
    if airflow_url and settings is not None:
        outside = list(air_gap.airflow_is_outside(settings, airflow_url))
        yield from outside
        airflow_url = None if outside else airflow_url
    if airflow_url:
        batches = settings.max_batches if settings is not None else 0
        yield from airflow.check(airflow_url, airflow_user, airflow_password or "", batches)


def _databases(
    settings: Settings, results_url: str | None, source_url: str | None, now: datetime
) -> Iterator[Finding]:
    if not results_url:
        yield fault("results", "No results database is named.", "Set TRACE_RESULTS_URL, or --database-url.")
        return
    try:
        pipeline = open_pipeline(settings, results_url=results_url, source_url=source_url, run_id="doctor")
    except ConfigurationError as error:
        yield fault("results", str(error), "Write it as postgresql://user:password@host/name.")
        return
    try:
        yield from _parts(pipeline, now)
    finally:
        pipeline.close()


def _parts(pipeline: Pipeline, now: datetime) -> Iterator[Finding]:
    try:
        _ = pipeline.scorers
    except ConfigurationError as error:
        yield fault("settings", str(error), "Correct the setting or the file it names.")
        return
    yield from local_model.check(pipeline)
    results_up = yield from servers.check("results", pipeline.results, now)
    source_up = yield from servers.check("source", pipeline.source, now)
    laid = False
    if results_up:
        laid = yield from schema.check(pipeline, now.date())
    if source_up:
        yield from source.check(pipeline, now)
    if laid:
        yield from nights.check(pipeline, now)
