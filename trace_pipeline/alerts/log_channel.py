"""The channel that always exists: the process's own log."""

from __future__ import annotations

import logging

from trace_pipeline.alerts.message import AlertMessage

logger = logging.getLogger("trace_pipeline.alerts")


class LogChannel:
    """Writes each message as one WARNING record, which Airflow keeps with the task."""

    name = "log"

    def deliver(self, message: AlertMessage) -> None:
        """Log title and body in one record. Never raises."""
        logger.warning("%s\n%s", message.title, message.body)
