"""The failure callback of all DAGs: a failed run is told to the alert channels, once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from trace_pipeline.alerts import AlertMessage, Channel, DeliveryStore
    from trace_pipeline.settings import Settings

log = logging.getLogger(__name__)


def tell_failure(context: Any) -> None:
    """Tell which run failed, to the process's log and to each alert channel. Never raises.

    A run that was cleared and failed again is not told twice: the record of deliveries knows it.
    """
    dag_id, run_id = _named(context)
    log.error("%s: run %s failed; the failed task's log says why.", dag_id, run_id)
    try:
        _tell_channels(dag_id, run_id, context)
    except Exception as error:
        _log_unsent("the alert channels", error)


def _named(context: Any) -> tuple[str, str]:
    """Return DAG and run; the context of a callback may hold as little as these two."""
    run = context.get("dag_run")
    dag_id = getattr(run, "dag_id", None) or getattr(context.get("dag"), "dag_id", "a TRACe DAG")
    run_id = getattr(run, "run_id", None) or context.get("run_id") or "?"
    return str(dag_id), str(run_id)


def _tell_channels(dag_id: str, run_id: str, context: Any) -> None:
    from trace_pipeline.settings import load_settings

    settings = load_settings()
    tell_message(settings, failure_message(settings, dag_id, run_id, context))


def tell_message(settings: Settings, message: AlertMessage) -> None:
    """Deliver a message about a run to each alert channel once; a channel that refuses is logged."""
    from trace_airflow.channels import channel_addresses
    from trace_airflow.runs import RESULTS, connection_url
    from trace_pipeline.alerts import make_channel
    from trace_pipeline.alerts.postgres_store import PostgresDeliveryStore
    from trace_pipeline.database import connect

    engine = connect(connection_url(RESULTS), setting=f"Airflow connection {RESULTS}")
    try:
        for name, target in channel_addresses(settings).items():
            try:
                _deliver(message, make_channel(target, settings), PostgresDeliveryStore(engine))
            except Exception as error:  # one channel's fault must not keep back the next
                _log_unsent(f"channel {name}", error)
    finally:
        engine.dispose()


def _deliver(message: AlertMessage, channel: Channel, store: DeliveryStore) -> None:
    from sqlalchemy.exc import OperationalError

    from trace_pipeline.alerts import deliver_once

    try:
        deliver_once(message, channel, store)
    except OperationalError:
        # The results database is away, which may be why the run failed: better unrecorded than untold.
        channel.deliver(message)


def failure_message(settings: Settings, dag_id: str, run_id: str, context: Any) -> AlertMessage:
    """Return the message of a failed run: its key is DAG and run."""
    from trace_pipeline.alerts import AlertMessage
    from trace_pipeline.alerts.plain_text import one_line
    from trace_pipeline.window import day_of

    run = context.get("dag_run")
    late = context.get("reason") == "timed_out"
    lines = [
        f"Run {one_line(run_id, 200)} of {dag_id} {'ran out of time' if late else 'failed'}.",
        "What it had finished is stored. Open the failed task's log for the reason, then clear the task.",
        *run_link(settings, dag_id, run_id),
    ]
    return AlertMessage(
        key=f"run_failed:{dag_id}:{run_id}",
        title=one_line(f"RAG quality: {dag_id} failed", 160),
        body="\n".join(lines),
        severity="page",
        incident_id=None,
        metric="",
        day=day_of(run.run_after, settings.day_time_zone) if run else _today(),
    )


def run_link(settings: Settings, dag_id: str, run_id: str) -> list[str]:
    """Return the line with the run's address; none where the address of Airflow is not set."""
    base = settings.alerts.link_base_url.rstrip("/")
    return [f"Open: {base}/dags/{dag_id}/runs/{quote(run_id, safe='')}"] if base else []


def _today() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC).date()


def _log_unsent(where: str, error: Exception) -> None:
    from trace_core.errors import TraceError

    # The text of a foreign error may hold an address with its password; its type does not.
    reason = str(error) if isinstance(error, TraceError) else type(error).__name__
    log.error("The failure was not told to %s: %s", where, reason)
