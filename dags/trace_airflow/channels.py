"""The alert channels of a run: those of the settings, and those of the Airflow connection `trace_alerts`."""

from __future__ import annotations

import json
from typing import Any

from airflow.sdk import BaseHook

from trace_airflow.runs import ALERTS
from trace_core.errors import ConfigurationError
from trace_pipeline.alerts import make_channel
from trace_pipeline.settings import Settings


def channel_addresses(settings: Settings) -> dict[str, str]:
    """Return channel name -> address. Names hold no secret and may travel between tasks; addresses not."""
    targets = [*settings.alerts.channels, *_connection_urls()]
    return {make_channel(target, settings).name: target for target in targets}


def _connection_urls() -> list[str]:
    """Return the URLs of a connection of type `apprise` (its `config` names one, or a list of them)."""
    try:
        extra = BaseHook.get_connection(ALERTS).extra_dejson
    except Exception as error:
        if type(error).__name__ != "AirflowNotFoundException":
            raise
        return []
    config: Any = extra.get("config", [])
    if isinstance(config, str):
        config = json.loads(config)
    entries = config if isinstance(config, list) else [config]
    urls = [entry.get("path") for entry in entries if isinstance(entry, dict)]
    if not urls or not all(isinstance(url, str) and url for url in urls):
        raise ConfigurationError(
            f'Airflow connection {ALERTS!r}: its extra must be {{"config": [{{"path": "<Apprise URL>"}}]}}.'
        )
    return [str(url) for url in urls]
