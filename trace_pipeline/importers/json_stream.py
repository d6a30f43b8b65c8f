"""JSON read piece by piece: as much is held as its largest row needs, however long the file is.

The standard library's scanner reads each piece, so NaN, which Python writes and JSON forbids, is understood.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any, Final

from trace_core.errors import BadInput

_BLOCK: Final = 1 << 18
_SPACE: Final = " \t\r\n\ufeff"
_DECODE: Final = json.JSONDecoder().raw_decode
_DECODE_LONG: Final = json.JSONDecoder(
    parse_int=lambda text: int(text) if len(text) < 4_000 else "(number)"
).raw_decode


class JsonStream:
    """A cursor in a JSON text. Every error is BadInput `invalid_json` or `text_too_large` with the line."""

    def __init__(self, file: IO[str], largest: int) -> None:
        self._file, self._largest = file, largest
        self._text, self._at, self._line = "", 0, 1

    @property
    def line(self) -> int:
        """The line of the next value, from 1."""
        self.peek()
        return self._line

    def peek(self) -> str:
        """Return the next character that is not space; empty at the end."""
        while True:
            while self._at < len(self._text):
                character = self._text[self._at]
                if character not in _SPACE:
                    return character
                self._line += character == "\n"
                self._at += 1
            if not self._more():
                return ""

    def take(self, expected: str) -> bool:
        """Step over the next character if it is the expected one."""
        if self.peek() != expected:
            return False
        self._at += 1
        return True

    def require(self, expected: str) -> None:
        """Step over the next character; it must be the expected one."""
        if not self.take(expected):
            raise self._wrong("ends early" if not self.peek() else "no valid JSON")

    def value(self) -> Any:
        """Read one whole value."""
        self.peek()
        while True:
            try:
                value, end = _DECODE(self._text, self._at)
            except json.JSONDecodeError as error:
                hopeless = error.pos < len(self._text) - 20 and "Unterminated" not in error.msg
                if hopeless or not self._more():
                    ended = "Unterminated" in error.msg or error.pos >= len(self._text.rstrip())
                    raise self._wrong("ends early" if ended else "no valid JSON") from None
                continue
            except RecursionError:
                raise self._wrong("nested too deep") from None
            except ValueError:  # a number of more than 4,300 digits, which Python does not read
                try:
                    value, end = _DECODE_LONG(self._text, self._at)
                except (ValueError, RecursionError):
                    raise self._wrong("no valid JSON") from None
            if end == len(self._text) and not isinstance(value, str | list | dict) and self._more():
                continue  # a number may go on in the next block
            self._line += self._text.count("\n", self._at, end)
            self._at = end
            return value

    def items(self) -> Iterator[tuple[int, Any]]:
        """Read an array; yields the line and the value of each item."""
        self.require("[")
        if self.take("]"):
            return
        while True:
            line = self.line
            yield line, self.value()
            if not self.take(","):
                self.require("]")
                return
            if self.take("]"):
                return  # a comma after the last item, as people leave it

    def members(self) -> Iterator[str]:
        """Read an object; yields each key, and the caller must then read its value."""
        self.require("{")
        if self.take("}"):
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._wrong("no valid JSON")
            self.require(":")
            yield key
            if not self.take(","):
                self.require("}")
                return

    def _more(self) -> bool:
        # Doubles with what is held, so that a large row is not scanned from its start at each block.
        held = len(self._text) - self._at
        if held > self._largest:
            raise BadInput("text_too_large", f"a value from line {self._line} on")
        block = self._file.read(max(_BLOCK, held))
        if not block:
            return False
        self._text, self._at = self._text[self._at :] + block, 0
        return True

    def _wrong(self, what: str) -> BadInput:
        return BadInput("invalid_json", f"{what} at line {self._line}; nothing after it could be read")
