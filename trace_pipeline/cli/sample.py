"""sample: made-up traffic, into trace.rag_log or a file."""

from __future__ import annotations

import gzip
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO, Annotated, cast

import typer

from trace_core.errors import ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, console, progress, required_url
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.sample import SampleSettings, describe, generate, generate_jsonl


def sample(
    nights: Annotated[int, typer.Option(min=1, help="Number of nights.")] = 60,
    logs: Annotated[int, typer.Option(min=1, help="Logs a night, about.")] = 400,
    seed: Annotated[int, typer.Option(help="Another seed, other logs.")] = 1,
    first_day: Annotated[
        str | None, typer.Option(help="First day; default: so that the last night is yesterday.")
    ] = None,
    release_night: Annotated[
        int | None,
        typer.Option(help="Night (from 0) of the release that hurts one tenant; default: 15 before the end."),
    ] = None,
    no_release: Annotated[bool, typer.Option("--no-release", help="Plant no release.")] = False,
    rollback_night: Annotated[
        int | None, typer.Option(help="Night on which the release is rolled back.")
    ] = None,
    malformed_share: Annotated[float, typer.Option(min=0, max=1, help="Share of malformed rows.")] = 0.005,
    output: Annotated[
        Path | None, typer.Option(help="Write JSONL (.gz: compressed) instead of the database.")
    ] = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Write made-up logs of a product-support RAG with a planted release. Same options, same logs."""
    planted = release_night if release_night is not None else max(0, nights - 15)
    settings = SampleSettings(
        first_day=_first_day(first_day, nights),
        nights=nights,
        logs_per_night=logs,
        seed=seed,
        release_night=None if no_release else planted,
        rollback_night=rollback_night,
        malformed_share=malformed_share,
    )
    with progress() as display:
        task = display.add_task("Writing", total=nights * logs)
        written = 0
        if output is not None:
            with _opened(output) as file:
                for written, line in enumerate(generate_jsonl(settings), start=1):
                    file.write(line)
                    if written % 1000 == 0:
                        display.update(task, completed=written)
        else:
            engine = connect(required_url(database_url), setting="--database-url")
            for written in load_logs(engine, generate(settings)):
                display.update(task, completed=written)
            engine.dispose()
    console.print(f"{written:,} rows written.", highlight=False)
    console.print(describe(settings), highlight=False)


def _first_day(value: str | None, nights: int) -> date:
    if value is None:
        return datetime.now(UTC).date() - timedelta(days=nights)
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise ConfigurationError(f"--first-day must be a day such as 2026-10-01, not {value!r}.") from error


def _opened(path: Path) -> IO[bytes]:
    return (
        cast(IO[bytes], gzip.open(path, "wb", compresslevel=5)) if path.suffix == ".gz" else path.open("wb")
    )
