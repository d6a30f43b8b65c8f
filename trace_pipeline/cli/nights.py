"""migrate, run, watch: what the DAGs do, from a shell."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from trace_pipeline.cli.common import DatabaseUrl, SourceUrl, console, opened, progress, required_url
from trace_pipeline.database import connect
from trace_pipeline.migrations import migrate as migrate_database
from trace_pipeline.nightly import run_window
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.send_alerts import send_alerts
from trace_pipeline.window import resolve_window


def migrate(database_url: DatabaseUrl = None) -> None:
    """Create or upgrade the schema `trace` with its views and roles. Safe to repeat."""
    engine = connect(required_url(database_url), setting="--database-url")
    for sentence in migrate_database(engine):
        console.print(sentence, highlight=False)
    engine.dispose()


def run(
    date: Annotated[str, typer.Option("--date", help="Day to score, such as 2026-11-30.")],
    to: Annotated[
        str | None, typer.Option("--to", help="Last day of a range; default: the same day.")
    ] = None,
    late_days: Annotated[
        int | None,
        typer.Option(
            min=0, max=90, help="Days before it looked through for late logs; default: the setting."
        ),
    ] = None,
    scorer: Annotated[
        str | None, typer.Option(help="One scorer by name; default: the setting scorers.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Score again although nothing changed.")] = False,
    database_url: DatabaseUrl = None,
    source_url: SourceUrl = None,
) -> None:
    """Score a day, or a range of days, and restate sums and ledger. Safe to repeat."""
    overrides = {"scorers": (scorer,) if scorer else None, "late_days": late_days}
    with opened(database_url, source_url, **overrides) as pipeline, progress() as display:
        window = resolve_window(pipeline.settings.day_time_zone, from_day=date, to_day=to)
        late = (0 if to else pipeline.settings.late_days) if late_days is None else late_days
        task = display.add_task("Scoring", total=None)
        report = run_window(
            pipeline,
            window,
            late_days=late,
            force=force,
            debt=not to and not force,
            anchors=not to,
            progress=lambda done, total: display.update(task, completed=done, total=total),
        )
    console.print(
        f"{report.read:,} logs read, {report.changed:,} changed, {len(report.days)} days restated.",
        highlight=False,
    )


def watch(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the messages, send none. Verdicts are stored.")
    ] = False,
    database_url: DatabaseUrl = None,
) -> None:
    """Judge every night for drift and send what is new to the channels of the setting alerts.channels."""
    from trace_pipeline.show import show_alerts

    with opened(database_url) as pipeline:
        for sentence in detect_drift(pipeline):
            console.print(sentence, highlight=False)
        if dry_run:
            show_alerts(pipeline, console)
            return
        for channel in pipeline.settings.alerts.channels:
            sent = send_alerts(pipeline, channel, now=datetime.now(UTC))
            console.print(f"{len(sent)} messages sent to one channel.", highlight=False)
