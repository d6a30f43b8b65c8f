"""Rows out of a file, whatever container it is. Memory is bounded by the largest row, not by the file."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, Final

from trace_core.errors import BadInput
from trace_core.records import parse_log_line
from trace_pipeline.importers.csv_rows import csv_rows, looks_like_csv
from trace_pipeline.importers.json_stream import JsonStream
from trace_pipeline.importers.known_names import EXACT_NAMES
from trace_pipeline.importers.literals import read_literal
from trace_pipeline.importers.outcomes import Place, Raw, Refused
from trace_pipeline.importers.parquet_rows import parquet_rows
from trace_pipeline.importers.streams import Stream, opened

#: Keys of an object that hold its rows.
ROW_KEYS: Final = frozenset(
    "rows data records results items examples test_cases testCases test_results traces runs spans logs"
    " samples resourceSpans dataset".split()
)
_WRAPPERS: Final = frozenset(("testRunData",))  # DeepEval's folder of test runs
LARGEST_ROW: Final = 64_000_000  # characters
_FIRST_LINE: Final = 8_000_000

_INDENTED: Final = re.compile(r'\{[ \t]*\r?\n[ \t]+"')  # objects over several lines
_WRITTEN_TWICE: Final = re.compile(r'"\s*[\[{]\s*(\{\s*)?\\"')

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
        return "json" if _INDENTED.match(head) else "lines"
    if _WRITTEN_TWICE.match(head):
        raise BadInput("not_a_log_file", "it is JSON written as one text inside of JSON: unpack that first")
    if head.startswith("["):
        return "json"
    if head.startswith("{'"):
        return "lines"  # what Python's print writes
    if head.startswith("{"):
        return "lines" if _first_line_is_whole(stream) else "json"
    if looks_like_csv(head):
        return "csv"
    raise BadInput(
        "not_a_log_file", f"read as {stream.encoding}, it begins neither like JSON nor with column names"
    )


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
            value = _of_python(line) if refusal.code == "invalid_json" else None
            yield (Refused(place, refusal.code, refusal.detail) if value is None else Raw(place, value))


def _of_python(line: str) -> Any:
    """Return the object of a line that Python's `print` wrote, or that ends with a comma; else None."""
    try:
        value = read_literal(line.rstrip(","))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


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
            stream.take(",")  # objects in a row with commas between them
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
                names = columns["columns"].whole() if "columns" in columns else None
                for line, value in stream.items():
                    yield line, _row(key, value, names)
            elif start == "{" and key in _WRAPPERS:
                streamed = True
                yield from _object(stream)
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
        if not single and _are_rows(columns):
            for name, column in columns.items():
                yield first_line, {"id": name, **column.whole()}
            return
        yield first_line, {**{key: column.whole() for key, column in columns.items()}, **single}


def _are_columns(columns: dict[str, _Column]) -> bool:
    lists = [column.start == "[" for column in columns.values()]
    keys = {column.keys for column in columns.values()}
    if all(lists):
        if len({column.count for column in columns.values()}) > 1:
            raise BadInput("unequal_columns")
        return True
    # pandas: each column is an object with the index as its keys
    return not any(lists) and len(keys) == 1 and not _are_rows(columns)


def _are_rows(columns: dict[str, _Column]) -> bool:
    """Are these rows by their ids, as pandas' `orient="index"`: no key names a field, but keys inside do?"""
    return (
        bool(columns)
        and not EXACT_NAMES & set(columns)
        and not any("." in name for name in columns)
        and all(column.start == "{" and column.names for column in columns.values())
    )


def _row(key: str, value: Any, names: Any) -> Any:
    """Return an item of an array of rows.

    It is given its names in pandas' `orient="split"`, and unpacked in what Hugging Face's viewer writes.
    """
    if key == "resourceSpans":
        return {key: [value]}
    if isinstance(names, list) and isinstance(value, list) and len(names) == len(value):
        return dict(zip(map(str, names), value, strict=True))
    if isinstance(value, dict) and "row_idx" in value and isinstance(value.get("row"), dict):
        return value["row"]
    return value


def _zipped(columns: dict[str, _Column]) -> Iterator[dict[str, Any]]:
    for values in zip(*(column.values() for column in columns.values()), strict=True):
        yield dict(zip(columns, values, strict=True))


class _Column:
    """A column's values on disk, since columns stand one after the other and rows need all of them."""

    def __init__(self, start: str) -> None:
        self.start, self.count, self.keys = start, 0, 0
        self.names = False  # does it hold a known name of a field?
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
            self.names = self.names or key in EXACT_NAMES or key.startswith(("attributes.", "context."))
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
