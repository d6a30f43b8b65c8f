"""score: a file of logs in, a file of scores out, without a database."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, cast

import typer

from trace_core import (
    BadInput,
    Evaluation,
    Limits,
    Log,
    Scorer,
    parse_log,
    parse_log_line,
    ragbench_log,
)
from trace_core.errors import ConfigurationError
from trace_core.ragbench import is_ragbench
from trace_pipeline.cli.common import errors, progress
from trace_pipeline.scorers import scorer_without_database
from trace_pipeline.settings import load_settings

_FIELDS = (
    "log_id",
    "status",
    "reason",
    "relevance",
    "utilization",
    "adherence",
    "adherence_probability",
    "completeness",
    "average",
    "fingerprint",
    "annotation",
)
_STANDARD = Path("-")


def score(
    input: Annotated[Path, typer.Option("--input", help="JSONL, .gz or not; - reads standard input.")],
    output: Annotated[
        Path, typer.Option("--output", help="JSONL, .gz or not; - writes standard output.")
    ] = _STANDARD,
    scorer: Annotated[
        str | None, typer.Option(help="Scorer by name; default: the first of the setting scorers.")
    ] = None,
) -> None:
    """Score logs of the native form or with RAGBench's columns; one object a line out, in order.

    A line that cannot be read comes out with status quarantined and its reason; no line is lost.
    """
    settings = load_settings(scorers=(scorer,) if scorer else None)
    chosen = scorer_without_database(settings.scorers[0], settings)
    limits = Limits(settings.max_log_bytes, settings.max_documents, settings.source.document_text_fields)
    counts: Counter[str] = Counter()
    with progress() as display, _reading(input) as lines, _writing(output) as out:
        task = display.add_task("Scoring", total=None)
        for number, result in enumerate(score_lines(chosen, lines, limits), start=1):
            counts[
                result["status"] if result["status"] != "quarantined" else f"quarantined: {result['reason']}"
            ] += 1
            out.write(
                json.dumps(result, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
                + b"\n"
            )
            if number % 100 == 0:
                display.update(task, completed=number)
    for status, count in sorted(counts.items()):
        errors.print(f"{count:,} {status}", highlight=False)


def score_lines(scorer: Scorer, lines: Iterator[bytes], limits: Limits) -> Iterator[dict[str, Any]]:
    """Yield one result a non-blank line, in order."""
    for line in lines:
        if not line.strip():
            continue
        log_id: str | None = None
        try:
            row = parse_log_line(line)
            log_id = _name(row)
            log = _log(row, limits)
        except BadInput as refusal:
            yield {
                **dict.fromkeys(_FIELDS),
                "log_id": log_id,
                "status": "quarantined",
                "reason": refusal.code,
                "fingerprint": scorer.fingerprint,
            }
        else:
            yield _result(scorer.score(log))


def _log(row: Any, limits: Limits) -> Log:
    return ragbench_log(row) if is_ragbench(row) else parse_log(row, limits)


def _name(row: Any) -> str | None:
    """Return the id of a row that may turn out to be unreadable."""
    if is_ragbench(row):
        return "/".join(str(row.get(part)) for part in ("dataset_name", "id", "generation_model_name"))[:200]
    value = row.get("log_id")
    return value[:200] if isinstance(value, str) else None


def _result(evaluation: Evaluation) -> dict[str, Any]:
    everything = evaluation.to_json()
    return {name: everything[name] for name in _FIELDS}


@contextmanager
def _reading(path: Path) -> Iterator[Iterator[bytes]]:
    if path == _STANDARD:
        yield iter(sys.stdin.buffer)
        return
    with path.open("rb") as plain:
        packed = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        with cast(IO[bytes], gzip.open(plain)) if packed else plain as file:
            yield _lines(file, path)


def _lines(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        yield from file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ConfigurationError(
            f"--input {path}: the compressed file ends early or is damaged ({error})."
        ) from error


@contextmanager
def _writing(path: Path) -> Iterator[IO[bytes]]:
    """Open the output; a file appears under its name only when it is whole."""
    if path == _STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    partial = path.with_name(path.name + ".partial")
    try:
        with (
            cast(IO[bytes], gzip.open(partial, "wb", 5))
            if path.suffix == ".gz"
            else partial.open("wb") as file
        ):
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
