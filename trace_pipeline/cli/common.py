"""What the commands share: options, consoles, and how a database is found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from trace_core.errors import ConfigurationError
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.settings import load_settings

console = Console()
errors = Console(stderr=True)

DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        envvar="TRACE_RESULTS_URL",
        show_envvar=True,
        help="Results database, postgresql://user:password@host/name.",
    ),
]
SourceUrl = Annotated[
    str | None,
    typer.Option(
        "--source-url",
        envvar="TRACE_SOURCE_URL",
        show_envvar=True,
        help="Database of the logs, if it is another one.",
    ),
]


def required_url(url: str | None) -> str:
    """Return the results URL; raises ConfigurationError when there is none."""
    if not url:
        raise ConfigurationError(
            "Give --database-url or set TRACE_RESULTS_URL (postgresql://user:password@host/name)."
        )
    return url


@contextmanager
def opened(database_url: str | None, source_url: str | None = None, **settings: Any) -> Iterator[Pipeline]:
    """Open a pipeline for one command."""
    loaded = load_settings(**settings)
    pipeline = open_pipeline(
        loaded, results_url=required_url(database_url), source_url=source_url, run_id="command-line"
    )
    try:
        yield pipeline
    finally:
        pipeline.close()


def progress() -> Progress:
    """Return a progress display on standard error."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=errors, transient=True)
