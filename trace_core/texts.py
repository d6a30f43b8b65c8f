"""Checks on untrusted text."""

import json

from trace_core.errors import BadInput

#: Takes the place of what no encoder accepts.
REPLACEMENT = "\ufffd"


def check_text(text: str, place: str) -> int:
    """The UTF-8 size of `text` in bytes; `BadInput("invalid_encoding")` for NUL or a lone surrogate."""
    if "\x00" in text:
        raise BadInput("invalid_encoding", f"NUL at {place}")
    if text.isascii():
        return len(text)
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise BadInput("invalid_encoding", f"a lone surrogate at {place}") from None


def encodable(text: str) -> str:
    """`text` with every lone surrogate replaced, one character for one, so that offsets stay valid."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def decode_json(text: str, code: str) -> object:
    """The value of a JSON text; `BadInput(code)` when it is none, however deep or large its parts are."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError includes integers of thousands of digits
        raise BadInput(code, type(error).__name__) from None
    return value
