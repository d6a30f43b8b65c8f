"""Files as streams of bytes: standard input, gzip, encodings; and what is no log file at all."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Final, cast

from trace_core.errors import BadInput, ConfigurationError

_GZIP: Final = b"\x1f\x8b"
_MOST_LAYERS: Final = 3  # a store that packs what was packed already
HEAD_BYTES: Final = 65_536
_BLOCK: Final = 1 << 18
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPED: Final = "trace_lone_surrogate"
codecs.register_error(_ESCAPED, lambda error: ("\udcff", getattr(error, "end", 0)))
_FOREIGN: Final = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"BZh", "compressed by bzip2"),
    (b"\xfd7zXZ", "compressed by xz"),
    (b"%PDF", "a PDF"),
    (b"SQLite format 3", "an SQLite database"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
)


class Stream:
    """Bytes with a head that can be looked at first; `kind` is parquet or text, `encoding` that of a text."""

    def __init__(self, file: IO[bytes], encoding: str | None) -> None:
        self._file = file
        self.head = _read_up_to(file, HEAD_BYTES)
        if not self.head.removeprefix(codecs.BOM_UTF8).strip():
            raise BadInput("empty_file")
        self.kind = "parquet" if self.head.startswith(b"PAR1") else "text"
        if self.kind == "text":
            _refuse_foreign(self.head)
        marked = next((name for mark, name in _MARKS if self.head.startswith(mark)), None)
        self.encoding = marked or encoding or _encoding_of(self.head)

    def grow(self, size: int) -> bytes:
        """Read on until the head has `size` bytes or the file ends; returns the head."""
        if len(self.head) < size:
            self.head += _read_up_to(self._file, size - len(self.head))
        return self.head

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes from the start; BadInput `damaged_file` when a compressed file is cut."""
        yield self.head
        while block := _read(self._file, _BLOCK):
            yield block

    def text(self) -> io.TextIOWrapper:
        """Return the text; bytes that do not fit the encoding become lone surrogates, which rows refuse."""
        raw = io.BufferedReader(cast(Any, _Blocks(self.blocks())), _BLOCK)
        return io.TextIOWrapper(raw, encoding=self.encoding, errors=_ESCAPED, newline="")

    @contextmanager
    def seekable(self) -> Iterator[IO[bytes]]:
        """Open a file that can be read from its end, as Parquet needs: itself or a temporary copy."""
        packed = isinstance(getattr(self._file, "raw", None), _Unpacked)
        if isinstance(self._file, io.BufferedReader) and not packed and self._file.seekable():
            yield self._file
            return
        with tempfile.TemporaryFile() as copy:
            for block in self.blocks():
                copy.write(block)
            yield copy


class _Blocks(io.RawIOBase):
    """An iterator of bytes as a raw stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = next(self._blocks, b"")
        taken = self._left[: len(buffer)]
        buffer[: len(taken)] = taken
        self._left = self._left[len(taken) :]
        return len(taken)


class _Unpacked(io.RawIOBase):
    """A gzip file as a raw stream that gives what it has before it meets damage."""

    def __init__(self, file: IO[bytes]) -> None:
        self._gzip = gzip.GzipFile("", "rb", fileobj=file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._gzip.read1(len(buffer))
        buffer[: len(found)] = found
        return len(found)


@contextmanager
def opened(path: str, encoding: str | None = None, file: IO[bytes] | None = None) -> Iterator[Stream]:
    """Open a path, `-` for standard input, or an open `file`. Raises BadInput for what is no log file."""
    if encoding:
        try:
            # Not codecs.lookup: it knows base64 and other codecs that are no encodings of texts.
            b"{}".decode(encoding, _ESCAPED)
        except (LookupError, ValueError):
            raise ConfigurationError(
                f"--encoding {encoding!r} is not the name of an encoding, such as cp1252."
            ) from None
    plain: IO[bytes] = file or (sys.stdin.buffer if path == "-" else cast(IO[bytes], open(path, "rb")))  # noqa: PTH123, SIM115
    try:
        start = plain.peek(2)[:2] if isinstance(plain, io.BufferedReader) else b""
        if file is not None and not start and plain.seekable():
            start = plain.read(2)
            plain.seek(0)
        unpacked, layers = plain, 0
        while start == _GZIP and layers < _MOST_LAYERS:
            unpacked, layers = cast(IO[bytes], io.BufferedReader(_Unpacked(unpacked), _BLOCK)), layers + 1
            start = _peek(unpacked)
        yield Stream(unpacked, encoding)
    finally:
        if path != "-" and file is None:
            plain.close()


def _peek(file: IO[bytes]) -> bytes:
    try:
        return cast(io.BufferedReader, file).peek(2)[:2]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInput("damaged_file", f"gzip: {str(error)[:100]}") from None


def _read(file: IO[bytes], size: int) -> bytes:
    # read1 gives what there is; read would lose it when the file is damaged a little further on.
    read = getattr(file, "read1", file.read)
    try:
        found: bytes = read(size)
        return found
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInput("damaged_file", f"gzip: {str(error)[:100]}") from None


def _read_up_to(file: IO[bytes], size: int) -> bytes:
    parts: list[bytes] = []
    try:
        while size > 0 and (part := _read(file, size)):
            parts.append(part)
            size -= len(part)
    except BadInput:
        if not parts:
            raise  # else the next reading meets the damage again, behind the rows before it
    return b"".join(parts)


def _encoding_of(head: bytes) -> str:
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    pairs = max(1, len(head) // 2)
    if head[1::2].count(0) > 0.4 * pairs and not head[::2].count(0):
        return "utf-16-le"
    if head[::2].count(0) > 0.4 * pairs and not head[1::2].count(0):
        return "utf-16-be"
    return "utf-8"


def _refuse_foreign(head: bytes) -> None:
    for mark, name in _FOREIGN:
        if head.startswith(mark):
            raise BadInput("not_a_log_file", f"it is {name}")
    if head[257:262] == b"ustar":
        raise BadInput("not_a_log_file", "it is a tar archive")
    if _encoding_of(head) == "utf-8":
        controls = sum(head.count(bytes([code])) for code in (*range(9), *range(14, 32)))
        if controls > 0.02 * len(head):
            raise BadInput("not_a_log_file", "it holds binary data")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<body")):
        raise BadInput("not_a_log_file", "it is an HTML page, perhaps of a login or an error")
    if start.startswith(b"<"):
        raise BadInput("not_a_log_file", "it is XML or HTML")
