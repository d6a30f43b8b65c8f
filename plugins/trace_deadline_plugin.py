"""What Airflow calls when a night is late: its triggerer finds callbacks here, not in the DAG folder."""

from __future__ import annotations

import asyncio
import sys
from typing import Any


async def tell_late(context: dict[str, Any] | None = None, **_: Any) -> None:
    """Tell the alert channels; in a thread, as a slow channel must not hold up other triggers."""
    await asyncio.to_thread(_tell, context or {})


def _tell(context: dict[str, Any]) -> None:
    from airflow.configuration import conf

    folder = conf.get_mandatory_value("core", "dags_folder")
    if folder not in sys.path:
        sys.path.append(folder)
    from trace_airflow.lateness import tell_late

    tell_late(context)
