"""Values of a source's row, put into the form of rag_log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


def unwrapped(value: object) -> object:
    """Take JSON that was written as a JSON string, a common slip of programs that log, out of its string."""
    if isinstance(value, str) and value.startswith('"'):
        with suppress(ValueError):  # not JSON: parse_log says so
            return json.loads(value)
    return value


def joined_segments(row: Mapping[Any, Any], extra: Mapping[str, str]) -> object:
    """Lay the segments that live in columns of their own over those of the segments column."""
    base = unwrapped(row["segments"])
    if isinstance(base, str):
        try:
            base = json.loads(base)
        except (ValueError, RecursionError):
            return base  # not an object: parse_log says so
    if base is not None and not isinstance(base, dict):
        return base
    joined = dict(base or {})
    joined.update({name: row[f"segment_{at}"] for at, name in enumerate(extra)})
    return joined
