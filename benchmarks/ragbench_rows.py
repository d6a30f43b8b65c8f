"""Rows of RAGBench from a folder of `<subset>_<split>.jsonl.gz` files."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def files(folder: Path, split: str | None = None) -> list[Path]:
    """The files of a folder in order of name, of one split or of all."""
    found = sorted(folder.glob(f"*_{split}.jsonl.gz" if split else "*.jsonl.gz"))
    if not found:
        raise SystemExit(f"no {f'*_{split}' if split else '*'}.jsonl.gz in {folder}")
    return found


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def subset(path: Path) -> str:
    """The subset a file belongs to: its name up to the last underscore."""
    return path.name.removesuffix(".jsonl.gz").rpartition("_")[0]


def content_digest(path: Path) -> str:
    """SHA-256 of the uncompressed content."""
    with gzip.open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
