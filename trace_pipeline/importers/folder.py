"""Files of one allowed folder, local or in object storage: what a run may read, and what became of it."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy import Engine

from trace_core.errors import BadInput, ConfigurationError
from trace_pipeline.importers.mapping import Mapped, parse_mapping
from trace_pipeline.importers.outcomes import Imported, Refused
from trace_pipeline.importers.reading import FileReader, ImportOptions
from trace_pipeline.load import store_logs

log = logging.getLogger(__name__)
MOST_FILES: Final = 500
_LOGGED: Final = 20
_ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


def below(root: Any, relative: str) -> Any:
    """Return the path below `root`; ConfigurationError when it would lead out of it.

    `root` is a pathlib path or one of object storage. Links are followed before the check.
    """
    parts = relative.replace("\\", "/").split("/")
    if relative.startswith(("/", "~")) or ".." in parts or ":" in relative or "\x00" in relative:
        raise ConfigurationError(f"The path {relative!r} must lie below import_folder: no '..', no address.")
    found = root / relative if relative else root
    if isinstance(found, Path) and not found.resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(f"The path {relative!r} leads out of import_folder by a link.")
    return found


def list_files(root: Any, relative: str) -> list[str]:
    """Return the log files at a path below `root`, relative to it, sorted; a folder stands for its files.

    Raises ConfigurationError when there is none, or more than MOST_FILES.
    """
    place = below(root, relative)
    if place.is_file():
        return [relative]
    names = sorted(item.name for item in place.iterdir() if item.is_file()) if place.is_dir() else []
    prefix = relative.rstrip("/") + "/" if relative else ""
    found = [prefix + name for name in names if name.lower().removesuffix(".gz").endswith(_ENDINGS)]
    if not found:
        raise ConfigurationError(f"There is no log file at {relative or '.'!r} below import_folder.")
    if len(found) > MOST_FILES:
        raise ConfigurationError(f"{len(found)} files are more than {MOST_FILES}: name a folder with fewer.")
    for name in found:
        below(root, name)
    return found


def mapping_of(root: Any, relative: str | None) -> Mapped:
    """Read a mapping file below `root`. Its `[texts]` are refused: they could name any file of the server."""
    if not relative:
        return Mapped()
    place = below(root, relative)
    if not place.is_file():
        raise ConfigurationError(f"There is no mapping file {relative!r} below import_folder.")
    mapped = parse_mapping(place.read_text(encoding="utf-8"), relative)
    if mapped.texts is not None:
        raise ConfigurationError(f"{relative}: [texts] is for `trace-pipeline import` only.")
    return mapped


def import_file(
    engine: Engine, root: Any, relative: str, options: ImportOptions, refused_folder: str = ""
) -> dict[str, Any]:
    """Upsert one file's rows; returns counts. Refusals are logged, the first 20, and written to a file.

    Raises BadInput when no row could be imported, because a file like that wants a person.
    """
    reasons: Counter[str] = Counter()
    new = changed = written = 0
    with below(root, relative).open("rb") as file, ExitStack() as files:
        told = None
        if refused_folder:
            name = relative.replace("/", "_") + ".refused.jsonl"
            told = files.enter_context((Path(refused_folder) / name).open("w", encoding="utf-8"))
        reader = FileReader(relative, options, file)
        for stored in store_logs(engine, _imported(reader, reasons, told)):
            new, changed, written = new + stored.new, changed + stored.changed, written + stored.rows
    refused = sum(reasons.values())
    log.info("%s (%s): %s rows imported, %s refused.", relative, reader.format, written, refused)
    if refused and not written:
        code, count = reasons.most_common(1)[0]
        raise BadInput(code, f"no row of {relative!r} could be imported, {count} for this reason")
    return {
        "file": relative,
        "format": reader.format,
        "imported": written,
        "new": new,
        "changed": changed,
        "refused": refused,
        "reasons": dict(reasons),
    }


def _imported(reader: FileReader, reasons: Counter[str], told: IO[str] | None) -> Iterator[Any]:
    for outcome in reader:
        if isinstance(outcome, Imported):
            yield outcome.row
            continue
        _tell(outcome, sum(reasons.values()), told)
        reasons[outcome.code] += 1


def _tell(refusal: Refused, earlier: int, told: IO[str] | None) -> None:
    if told is not None:
        told.write(json.dumps(refusal.to_json()) + "\n")
    if earlier < _LOGGED:
        log.warning("%s", refusal)
    elif earlier == _LOGGED:
        log.warning("Further refusals are counted only, and in the file of import_refused_folder.")
