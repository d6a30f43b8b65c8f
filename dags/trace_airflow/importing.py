"""The tasks of an import. The folder comes from the settings, so that a run can only choose below it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import ObjectStoragePath, get_current_context, task


@task
def list_files() -> list[str]:
    """Name the files at the run's path."""
    from trace_pipeline.importers.folder import list_files as step

    return step(_root(), _param("path") or "")


@task(map_index_template="{{ task.op_kwargs['name'] }}", execution_timeout=timedelta(hours=2))
def import_file(name: str) -> Any:
    """Upsert one file's rows into trace.rag_log; returns counts."""
    from trace_airflow.runs import RESULTS, connection_url
    from trace_pipeline.database import connect
    from trace_pipeline.importers.folder import import_file as step
    from trace_pipeline.settings import load_settings

    root, settings = _root(), load_settings()
    options = _options(root, settings)
    url = connection_url("trace_import", default="") or connection_url(RESULTS)
    engine = connect(url, setting="Airflow connection trace_import")
    try:
        return step(engine, root, name, options, settings.import_refused_folder)
    finally:
        engine.dispose()


def _param(name: str) -> Any:
    return get_current_context()["params"].get(name)


def _root() -> Any:
    """Return the folder of the settings: a pathlib path for a local one, whose links can be followed."""
    from pathlib import Path

    from trace_core.errors import ConfigurationError
    from trace_pipeline.settings import load_settings

    settings = load_settings()
    folder = settings.import_folder
    if not folder:
        raise ConfigurationError(
            "Setting import_folder (TRACE_IMPORT_FOLDER) is empty: name the one folder that may be read."
        )
    if "://" not in folder:
        return Path(folder)
    if settings.air_gap:
        _refuse_outside(settings, folder)
    return ObjectStoragePath(folder)


def _refuse_outside(settings: Any, folder: str) -> None:
    from urllib.parse import urlsplit

    from trace_airflow.runs import connection_extra
    from trace_pipeline.air_gap import refuse_storage

    name = urlsplit(folder).username
    refuse_storage(settings, folder, connection_extra(name) if name else {})


def _options(root: Any, settings: Any) -> Any:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from trace_core.errors import ConfigurationError
    from trace_core.records import Limits
    from trace_pipeline.importers.folder import mapping_of
    from trace_pipeline.importers.reading import ImportOptions

    given = _param("logged_at")
    try:
        zone = ZoneInfo(_param("time_zone") or "UTC")
        moment = datetime.fromisoformat(given) if given else None
    except (KeyError, ValueError, OSError):
        raise ConfigurationError(
            "time_zone must be a zone such as Europe/Berlin, logged_at a time such as 2026-11-30T12:00."
        ) from None
    limits = Limits(settings.max_log_bytes, settings.max_documents, settings.source.document_text_fields)
    return ImportOptions(
        _param("format") or "auto", mapping_of(root, _param("mapping")), zone, moment, None, limits
    )
