"""doctor: what is wrong with this installation, and what to do about it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from trace_pipeline.cli.common import DatabaseUrl, SourceUrl, console

_MARKS = {"ok": ("ok", "green"), "advice": ("advice", "yellow"), "fault": ("fault", "bold red")}


def doctor(
    airflow_url: Annotated[
        str | None,
        typer.Option(
            envvar="TRACE_AIRFLOW_URL",
            show_envvar=True,
            help="Address of the Airflow UI, to look at its DAGs and pool too.",
        ),
    ] = None,
    airflow_user: Annotated[
        str, typer.Option(envvar="TRACE_AIRFLOW_USER", show_envvar=True, help="User of its API.")
    ] = "admin",
    airflow_password: Annotated[
        str | None, typer.Option(envvar="TRACE_AIRFLOW_PASSWORD", show_envvar=True, help="Its password.")
    ] = None,
    database_url: DatabaseUrl = None,
    source_url: SourceUrl = None,
) -> None:
    """Check settings, databases, schema, source, nights, Airflow. Changes nothing; exit code 1 for faults."""
    from trace_pipeline.doctor import diagnose

    counts = dict.fromkeys(_MARKS, 0)
    for finding in diagnose(
        results_url=database_url,
        source_url=source_url,
        now=datetime.now(UTC),
        airflow_url=airflow_url,
        airflow_user=airflow_user,
        airflow_password=airflow_password,
    ):
        counts[finding.level] += 1
        word, style = _MARKS[finding.level]
        console.print(
            Text.assemble((f"{word:<7}", style), f"{finding.part:<9}", finding.text), soft_wrap=True
        )
        if finding.remedy:
            console.print(Text(f"{'':<16}{finding.remedy}", style="dim"), soft_wrap=True)
    console.print(
        f"{counts['ok']} parts in order, {counts['advice']} with advice, {counts['fault']} faults.",
        highlight=False,
    )
    raise typer.Exit(1 if counts["fault"] else 0)
