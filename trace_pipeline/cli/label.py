"""label: people's verdicts from CSV or JSON lines into trace.label."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.text import Text

from trace_core.errors import BadInput, ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, console, errors, required_url

_SHOWN = 20


def label(
    files: Annotated[list[str], typer.Argument(help="CSV or JSON lines; - reads standard input.")],
    labelled_by: Annotated[str, typer.Option("--labelled-by", help="Person of rows that name none.")] = "",
    labelled_at: Annotated[
        str | None, typer.Option("--labelled-at", help="Time of rows without one, such as 2026-11-30T12:00.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="Encoding of texts that are not UTF-8, such as cp1252.")
    ] = None,
    refused: Annotated[
        Path | None, typer.Option("--refused", help="JSONL file for every refused row with its reason.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check every row; write nothing.")] = False,
    database_url: DatabaseUrl = None,
) -> None:
    """Keep people's verdicts on answers. Exit code 0: every row was kept; 1: some were refused."""
    from trace_pipeline.database import connect
    from trace_pipeline.trust.label_import import LabelCounts, import_labels
    from trace_pipeline.trust.label_rows import LabelDefaults

    for path in files:
        if path != "-" and not Path(path).is_file():
            raise ConfigurationError(f"{path} is not a file.")
    latest = datetime.now(UTC) + timedelta(days=1)
    defaults = LabelDefaults(latest, labelled_by.strip(), _moment(labelled_at))
    total, codes = LabelCounts(), Counter[str]()
    engine = connect(required_url(database_url), setting="--database-url")
    with ExitStack() as opened:
        opened.callback(engine.dispose)
        file = opened.enter_context(refused.open("w", encoding="utf-8")) if refused else None
        for path in files:
            for counts in import_labels(engine, path, defaults, encoding=encoding, dry_run=dry_run):
                total.rows += counts.rows
                total.new += counts.new
                total.replaced += counts.replaced
                for one in counts.refused:
                    codes[one.code] += 1
                    if file is not None:
                        file.write(json.dumps(one.to_json(), ensure_ascii=True) + "\n")
                    if codes.total() <= _SHOWN:
                        errors.print(Text(str(one), style="yellow"), soft_wrap=True)
    _summarise(total.rows, total.new, total.replaced, codes, dry_run, refused)
    raise typer.Exit(1 if codes else 0)


def _summarise(
    rows: int, new: int, replaced: int, codes: Counter[str], dry_run: bool, refused: Path | None
) -> None:
    done = (
        "can be kept; nothing was written"
        if dry_run
        else f"read: {new:,} new, {replaced:,} replaced, {rows - new - replaced:,} unchanged"
    )
    console.print(f"{rows:,} labels {done}. {codes.total():,} rows refused.", highlight=False)
    for code, count in codes.most_common():
        console.print(f"  {count:,} {code}", highlight=False)
    if codes.total() > _SHOWN:
        hint = f"all are in {refused}" if refused else "--refused FILE writes all of them"
        console.print(f"The first {_SHOWN} refusals are shown; {hint}.", highlight=False)


def _moment(value: str | None) -> datetime | None:
    from trace_pipeline.importers.times import read_time

    if value is None:
        return None
    try:
        return read_time(value, ZoneInfo("UTC"))
    except BadInput:
        raise ConfigurationError(
            f"--labelled-at must be a time such as 2026-11-30T12:00, not {value[:40]!r}."
        ) from None
