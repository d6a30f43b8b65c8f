"""The assets: what the scoring DAGs read and what they make. Their names are stable, their URIs a setting."""

from __future__ import annotations

from urllib.parse import quote

from airflow.sdk import Asset

from trace_core.errors import ConfigurationError
from trace_pipeline.settings import Settings, load_settings


def daily_metric_asset() -> Asset:
    """Return the trend, `trace_daily_metric`: other DAGs wait for it by its name."""
    settings = _settings()
    return _asset("trace_daily_metric", settings and settings.lineage.results, "trace", "daily_metric")


def rag_log_asset() -> Asset:
    """Return the table or view of the logs, `trace_rag_log`."""
    settings = _settings()
    if settings is None:
        return Asset("trace_rag_log")
    address = settings.lineage.source or settings.lineage.results
    return _asset("trace_rag_log", address, settings.source.table_schema, settings.source.table)


def _asset(name: str, address: str | None, schema: str, table: str) -> Asset:
    if not address:
        return Asset(name)
    host, _, database = address.partition("/")
    path = "/".join(quote(part, safe="") for part in (database, schema, table))
    return Asset(name, f"postgres://{host if ':' in host else f'{host}:5432'}/{path}")


def _settings() -> Settings | None:
    """Return the settings; None when one is wrong, which the run says by its name."""
    try:
        return load_settings()
    except ConfigurationError:
        return None
