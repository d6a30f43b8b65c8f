"""Rows out of a file, whatever container it is. Memory is bounded by the largest row, not by the file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, Final

from trace_core.errors import BadInput
from trace_core.records import parse_log_line
from trace_pipeline.importers.csv_rows import csv_rows, looks_like_csv
from trace_pipeline.importers.json_stream import JsonStream
from trace_pipeline.importers.outcomes import Place, Raw, Refused
from trace_pipeline.importers.parquet_rows import parquet_rows
from trace_pipeline.importers.streams import Stream, opened

#: Keys of an object that hold its rows.
ROW_KEYS: Final = frozenset(
    "rows data records results items examples test_cases testCases traces runs spans logs samples"
    " resourceSpans dataset".split()
)
LARGEST_ROW: Final = 64_000_000  # characters
_FIRST_LINE: Final = 8_000_000

Read = Iterator[Raw | Refused]


def rows_of(path: str, *, encoding: str | None = None, file: IO[bytes] | None = None) -> Read:
    """Yield each row of a file, `-` for standard input; what cannot be read is Refused, never an exception.

    An OSError of a path that cannot be opened is the caller's.
    """
    place = Place(path)
    try:
        with opened(path, encoding, file) as stream:
            yield from _rows(stream, path)
    except BadInput as refusal:
        yield Refused(place, refusal.code, refusal.detail)


def _rows(stream: Stream, path: str) -> Read:
    if stream.kind == "parquet":
        with stream.seekable() as file:
            yield from parquet_rows(file, path)
        return
    names = path.lower().removesuffix(".gz")
    kind = _kind(stream, names)
    with stream.text() as text:
        if kind == "lines":
            yield from _lines(text, path)
        elif kind == "json":
            yield from _json(text, path)
        else:
            yield from csv_rows(text, path, LARGEST_ROW)


def _kind(stream: Stream, name: str) -> str:
    head = stream.head.decode(stream.encoding, "replace").lstrip("\ufeff \t\r\n")
    if name.endswith((".csv", ".tsv")):
        return "csv"
    if name.endswith((".jsonl", ".ndjson")) and not head.startswith("["):
        return "lines"
    if head.startswith("["):
        return "json"
    if head.startswith("{"):
        return "lines" if _first_line_is_whole(stream) else "json"
    if looks_like_csv(head):
        return "csv"
    raise BadInput("not_a_log_file", "it begins neither like JSON nor with column names")


def _first_line_is_whole(stream: Stream) -> bool:
    """Is the first line an object of its own with something after it?"""
    if b"\n" not in stream.head:
        stream.grow(_FIRST_LINE)
    head = stream.head.decode(stream.encoding, "replace").lstrip("\ufeff \t\r\n")
    line, _, rest = head.partition("\n")
    try:
        whole = isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        # A damaged first line before whole ones is still a file of lines.
        return line.rstrip().endswith("}") and rest.lstrip().startswith('{"')
    return whole and bool(rest.strip())


def _lines(text: IO[str], path: str) -> Read:
    number = row = 0
    while line := text.readline(LARGEST_ROW):
        number += 1
        if not line.endswith("\n") and len(line) >= LARGEST_ROW:
            row += 1
            yield Refused(Place(path, row, number), "text_too_large", "the line")
            while (rest := text.readline(LARGEST_ROW)) and not rest.endswith("\n"):
                pass
            continue
        if not (line := line.strip("\ufeff \t\r\n")):
            continue
        row += 1
        place = Place(path, row, number)
        try:
            yield Raw(place, parse_log_line(line))
        except BadInput as refusal:
            yield Refused(place, refusal.code, refusal.detail)


def _json(text: IO[str], path: str) -> Read:
    """Arrays of rows, objects that hold them, columns, and single rows, also several after each other."""
    stream, row = JsonStream(text, LARGEST_ROW), 0
    try:
        while start := stream.peek():
            if start == "[":
                pairs: Iterator[tuple[int, Any]] = stream.items()
            elif start == "{":
                pairs = _object(stream)
            else:
                raise BadInput("invalid_json", f"neither an array nor an object at line {stream.line}")
            for line, value in pairs:
                row += 1
                yield Raw(Place(path, row, line), value)
    except BadInput as refusal:
        yield Refused(Place(path, row + 1, stream.line), refusal.code, refusal.detail)


def _object(stream: JsonStream) -> Iterator[tuple[int, Any]]:
    """Yield the rows of an object: of its array of rows, of its columns, or itself."""
    first_line = stream.line
    with ExitStack() as files:
        single: dict[str, Any] = {}
        columns: dict[str, _Column] = {}
        streamed = False
        for key in stream.members():
            start = stream.peek()
            if start == "[" and key in ROW_KEYS:
                streamed = True
                for line, value in stream.items():
                    yield line, {key: [value]} if key == "resourceSpans" else value
            elif start in "[{" and not single:
                columns[key] = files.enter_context(_Column(start))
                columns[key].fill(stream)
            else:
                single[key] = stream.value()
        if streamed:
            return
        if not single and columns and _are_columns(columns):
            yield from ((first_line, row) for row in _zipped(columns))
            return
        yield first_line, {**{key: column.whole() for key, column in columns.items()}, **single}


def _are_columns(columns: dict[str, _Column]) -> bool:
    lists = [column.start == "[" for column in columns.values()]
    keys = {column.keys for column in columns.values()}
    if all(lists):
        if len({column.count for column in columns.values()}) > 1:
            raise BadInput("unequal_columns")
        return True
    return not any(lists) and len(keys) == 1  # pandas: each column is an object with the index as its keys


def _zipped(columns: dict[str, _Column]) -> Iterator[dict[str, Any]]:
    for values in zip(*(column.values() for column in columns.values()), strict=True):
        yield dict(zip(columns, values, strict=True))


class _Column:
    """A column's values on disk, since columns stand one after the other and rows need all of them."""

    def __init__(self, start: str) -> None:
        self.start, self.count, self.keys = start, 0, 0
        self._file = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed with the column
            max_size=1 << 22, mode="w+", encoding="utf-8", errors="surrogatepass"
        )

    def __enter__(self) -> _Column:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fill(self, stream: JsonStream) -> None:
        """Read the column from the stream."""
        if self.start == "[":
            for _, value in stream.items():  # noqa: PERF102 - no dict
                self._add("", value)
            return
        for key in stream.members():
            self.keys = hash((self.keys, key))
            self._add(key, stream.value())

    def _add(self, key: str, value: Any) -> None:
        self.count += 1
        self._file.write(json.dumps([key, value]) + "\n")

    def _pairs(self) -> Iterator[tuple[str, Any]]:
        self._file.seek(0)
        for line in self._file:
            key, value = json.loads(line)
            yield key, value

    def values(self) -> Iterator[Any]:
        """Yield the values in order."""
        return (value for _, value in self._pairs())

    def whole(self) -> Any:
        """Return the column as it was: a list or an object."""
        return list(self.values()) if self.start == "[" else dict(self._pairs())
