"""erase: take logs out of everything that is kept of them."""

from __future__ import annotations

from typing import Annotated

import typer

from trace_core.errors import ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, SourceUrl, console, opened


def erase(
    log_id: Annotated[
        list[str] | None, typer.Option("--log-id", help="Id of a log; may be repeated.")
    ] = None,
    segment: Annotated[
        str | None, typer.Option(help="All logs of a segment value, such as tenant=acme.")
    ] = None,
    keep_source: Annotated[
        bool, typer.Option("--keep-source", help="Leave the source table and the sums as they are.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database_url: DatabaseUrl = None,
    source_url: SourceUrl = None,
) -> None:
    """Erase logs for good: from results, labels and, unless told otherwise, the source."""
    from trace_pipeline import erasure

    pair = _pair(segment)
    if not (yes or dry_run):
        typer.confirm("This cannot be undone. Erase?", abort=True, err=True)
    with opened(database_url, source_url) as pipeline:
        done = erasure.erase(
            pipeline, log_ids=log_id or (), segment=pair, keep_source=keep_source, dry_run=dry_run
        )
    verb = "would go from" if dry_run else "rows gone from"
    for name, rows in done.rows.items():
        console.print(f"{rows:>9,} {verb} {name.replace('_', ' ')}", highlight=False)
    if done.days:
        said = "would be restated" if dry_run else "left as they are" if keep_source else "restated"
        console.print(f"{len(done.days)} days {said}: {done.days[0]} to {done.days[-1]}.", highlight=False)
    if keep_source and not dry_run:
        console.print(
            "The source still has its rows: a later rescore would score them again.", highlight=False
        )


def _pair(segment: str | None) -> tuple[str, str] | None:
    if segment is None:
        return None
    dimension, sign, value = segment.partition("=")
    if not (dimension and sign and value):
        raise ConfigurationError("--segment must be a dimension and a value, such as tenant=acme.")
    return dimension, value
