"""Segments of a log: short names and values to slice trends by."""

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Final

from trace_core.errors import BadInput
from trace_core.texts import check_text, decode_json

#: Longer keys and values are cut: a segment is a label, and labels are stored once a day and value.
MAX_SEGMENT_CHARACTERS: Final = 200
_UNREADABLE: Final = "(unreadable)"


def parse_segments(value: object) -> Mapping[str, str]:
    """Names and values as texts; numbers and booleans as JSON, nested values as compact JSON, null dropped.

    Takes an object, a JSON text of one, or None. Raises `BadInput` with `segments_not_an_object` or
    `invalid_encoding`.
    """
    if value is None:
        return {}
    if isinstance(value, str):
        value = decode_json(value, "segments_not_an_object")
        if value is None:
            return {}
    if not isinstance(value, Mapping):
        raise BadInput("segments_not_an_object", type(value).__name__)
    return {_label(key): _label(item) for key, item in value.items() if item is not None}


def _label(value: object) -> str:
    if isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
        except (TypeError, ValueError, RecursionError):  # odd keys, cycles, endless digits, depth
            text = _UNREADABLE
    text = text[:MAX_SEGMENT_CHARACTERS]
    check_text(text, "segments")
    return text


def _plain(value: object) -> str:
    """Python values a database driver returns; anything else only by its type, whose text never varies."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if type(value).__name__ in ("Decimal", "UUID"):
        return str(value)
    return f"({type(value).__name__})"
