"""The channel of a dry run: prints what would be sent."""

from __future__ import annotations

import sys
from typing import TextIO

from trace_pipeline.alerts.message import AlertMessage


class ConsoleChannel:
    """Prints messages to a text stream, standard output if none is given."""

    name = "console"

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def deliver(self, message: AlertMessage) -> None:
        """Write severity, title and body, then an empty line."""
        # Looked up at each call: a test or a progress bar may have replaced sys.stdout since.
        (self._stream or sys.stdout).write(f"[{message.severity}] {message.title}\n{message.body}\n\n")
