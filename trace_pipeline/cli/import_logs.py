"""import: logs of other tools into trace.rag_log, or into a file of the native form."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Any, cast
from zoneinfo import ZoneInfo

import typer
from rich.table import Table
from rich.text import Text

from trace_core.errors import ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, console, errors, progress, required_url
from trace_pipeline.importers import (
    FORMATS,
    NOTES,
    FileReader,
    Imported,
    ImportOptions,
    Refused,
    read_mapping,
)
from trace_pipeline.settings import load_settings

_SHOWN = 20


def import_logs(
    files: Annotated[list[str], typer.Argument(help="Files; - reads standard input.")],
    format: Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")] = "auto",
    mapping: Annotated[
        Path | None, typer.Option("--mapping", help="TOML file that says where the fields are.")
    ] = None,
    time_zone: Annotated[str, typer.Option("--time-zone", help="Zone of times without one.")] = "UTC",
    logged_at: Annotated[
        str | None, typer.Option("--logged-at", help="Time of rows without one, such as 2026-11-30T12:00.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="Encoding of texts that are not UTF-8, such as cp1252.")
    ] = None,
    trace_window: Annotated[
        int, typer.Option("--trace-window", min=1, max=1_000_000, help="Traces joined at a time.")
    ] = 2_000,
    refused: Annotated[
        Path | None, typer.Option("--refused", help="JSONL file for every refused row with its reason.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first rows as they would land; write nothing.")
    ] = False,
    rows: Annotated[int, typer.Option("--rows", min=1, max=1_000, help="Rows that --dry-run reads.")] = 10,
    to: Annotated[
        Path | None, typer.Option("--to", help="Write native JSONL (.gz: compressed) instead.")
    ] = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Import logs of other tools. Exit code 0: every row was imported; 1: some were refused."""
    options = _options(format, mapping, time_zone, logged_at, encoding, trace_window)
    _refuse_missing(files)
    run = _Run(refused)
    try:
        with run:
            outcomes = (outcome for path in files for outcome in run.outcomes(path, options))
            if dry_run:
                _show(outcomes, rows)
            elif to is not None:
                _write(outcomes, to)
            else:
                run.store(outcomes, database_url)
    except KeyboardInterrupt:
        errors.print("Stopped. Whole batches are stored; the same command goes on.", highlight=False)
        run.summarise("read")
        raise typer.Exit(130) from None
    run.summarise("can be imported" if dry_run else "imported")
    raise typer.Exit(1 if run.refusals else 0)


def _options(
    format: str, mapping: Path | None, zone: str, logged_at: str | None, encoding: str | None, window: int
) -> ImportOptions:
    from trace_core.records import Limits

    if format not in FORMATS:
        raise ConfigurationError(f"--format must be one of {', '.join(FORMATS)}, not {format!r}.")
    try:
        known = ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise ConfigurationError(f"--time-zone {zone!r} is not a time zone such as Europe/Berlin.") from None
    try:
        moment = datetime.fromisoformat(logged_at) if logged_at else None
    except ValueError:
        raise ConfigurationError(
            f"--logged-at must be a time such as 2026-11-30T12:00, not {logged_at!r}."
        ) from None
    settings = load_settings()
    limits = Limits(settings.max_log_bytes, settings.max_documents, settings.source.document_text_fields)
    return ImportOptions(format, read_mapping(mapping), known, moment, encoding, limits, window)


def _refuse_missing(files: list[str]) -> None:
    for path in files:
        if Path(path).is_dir():
            raise ConfigurationError(f"{path} is a folder: name its files, such as {path}/*.jsonl.")
        if path != "-" and not Path(path).is_file():
            raise ConfigurationError(f"{path} is not a file.")


class _Run:
    """Counts what became of the rows, and tells of the refused ones."""

    def __init__(self, refused: Path | None) -> None:
        self.imported, self.refusals = 0, 0
        self._codes: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()
        self._stored: list[str] = []
        self._path, self._files = refused, ExitStack()
        self._file: IO[str] | None = None

    def __enter__(self) -> _Run:
        if self._path is not None:
            self._file = self._files.enter_context(self._path.open("w", encoding="utf-8"))
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def outcomes(self, path: str, options: ImportOptions) -> Iterator[Imported]:
        """Yield the imported rows of a file."""
        reader = FileReader(path, options)
        for number, outcome in enumerate(reader):
            if not number and options.format == "auto" and reader.format:
                console.print(Text(f"{path}: read as {reader.format}."))
            if isinstance(outcome, Refused):
                self._refuse(outcome)
            else:
                self.imported += 1
                self._notes.update(outcome.notes)
                yield outcome

    def _refuse(self, refusal: Refused) -> None:
        self.refusals += 1
        self._codes[refusal.code] += 1
        if self._file is not None:
            self._file.write(json.dumps(refusal.to_json(), ensure_ascii=True) + "\n")
        if self.refusals <= _SHOWN:
            errors.print(Text(harmless(str(refusal)), style="yellow"), soft_wrap=True)

    def store(self, outcomes: Iterator[Imported], database_url: str | None) -> None:
        """Upsert into trace.rag_log."""
        from trace_pipeline.database import connect
        from trace_pipeline.load import store_logs

        engine = connect(required_url(database_url), setting="--database-url")
        new = changed = written = 0
        try:
            with progress() as display:
                task = display.add_task("Importing", total=None)
                for stored in store_logs(engine, (outcome.row for outcome in outcomes)):
                    new, changed, written = new + stored.new, changed + stored.changed, written + stored.rows
                    self._stored = [f"{new:,} new", f"{changed:,} changed"]
                    display.update(task, completed=written)
        finally:
            engine.dispose()

    def summarise(self, verb: str) -> None:
        """Print the counts."""
        counted = f" ({', '.join(self._stored)}, the rest unchanged)" if self._stored else ""
        console.print(f"{self.imported:,} rows {verb}{counted}, {self.refusals:,} refused.", highlight=False)
        for code, count in self._codes.most_common():
            console.print(f"  {count:,} {code}", highlight=False)
        for note, count in self._notes.most_common():
            console.print(f"  {count:,} rows: {NOTES[note]}", highlight=False, soft_wrap=True)
        if self.refusals > _SHOWN:
            hint = f"all are in {self._path}" if self._path else "--refused FILE writes all of them"
            console.print(f"The first {_SHOWN} refusals are shown; {hint}.", highlight=False)


def _write(outcomes: Iterator[Imported], path: Path) -> None:
    with _whole(path) as file:
        for outcome in outcomes:
            row: dict[str, Any] = {**outcome.row, "logged_at": outcome.row["logged_at"].isoformat()}
            file.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name when it is whole."""
    partial = path.with_name(path.name + ".partial")
    try:
        packed = path.suffix == ".gz"
        with cast(IO[bytes], gzip.open(partial, "wb", 5)) if packed else partial.open("wb") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _show(outcomes: Iterator[Imported], rows: int) -> None:
    table = Table("row", "log_id", "logged_at (UTC)", "question", "documents", "response", "segments")
    for number, outcome in enumerate(outcomes, start=1):
        row = outcome.row
        documents = row["documents"] or []
        texts = [item if isinstance(item, str) else str(next(iter(item.values()), "")) for item in documents]
        cells = (
            str(outcome.place.row),
            row["log_id"],
            f"{row['logged_at']:%Y-%m-%d %H:%M:%S}",
            row["question"],
            f"{len(texts)}: " + " / ".join(texts[:3]),
            row["response"],
            ", ".join(f"{key}={value}" for key, value in row["segments"].items()),
        )
        table.add_row(*(Text(harmless(cell, 80)) for cell in cells))
        if number >= rows:
            break
    console.print(table)
    console.print("Nothing was written.", highlight=False)


def harmless(text: str, most: int | None = None) -> str:
    """Return a text that cannot steer a terminal: control characters become spaces; cut to `most`."""
    if most is not None and len(text) > most:
        text = text[: most - 1] + "…"
    return "".join(c if c.isprintable() else " " for c in text)
