"""digest: what the last whole weeks were like, in one message."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from trace_pipeline.cli.common import DatabaseUrl, console, opened


def digest(
    weeks: Annotated[
        int, typer.Option(min=1, max=26, help="Whole weeks it is about, beside as many before.")
    ] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the message, send none.")] = False,
    database_url: DatabaseUrl = None,
) -> None:
    """Send the digest of the last whole weeks to the channels of the setting alerts.channels, once each."""
    from trace_pipeline.steps.send_digest import digest_message, send_digest

    now = datetime.now(UTC)
    with opened(database_url) as pipeline:
        if dry_run:
            message = digest_message(pipeline, now=now, weeks=weeks)
            console.print(f"{message.title}\n{message.body}", markup=False, highlight=False)
            return
        for channel in pipeline.settings.alerts.channels:
            sent = send_digest(pipeline, channel, now=now, weeks=weeks)
            console.print(f"{len(sent)} messages sent to one channel.", highlight=False)
