"""Reading of loosely shaped values: paths into them, and values made safe to store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from trace_core.texts import encodable
from trace_pipeline.importers.literals import looks_written, read_literal

_MAX_DEPTH: Final = 20


def at_path(value: Any, path: str) -> Any:
    """Return what a dotted path leads to, None when it leads nowhere.

    A key that holds the whole path, or a longer part of it, wins over a step by step descent (`a.b` before
    `a` then `b`); numbers are positions in lists, from the end when negative; texts of JSON are opened.
    """
    if isinstance(value, Mapping) and path in value:
        return value[path]
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        head, rest = ".".join(parts[:length]), ".".join(parts[length:])
        found = _step(value, head)
        if found is not None:
            return found if not rest else at_path(found, rest)
    return None


def _step(value: Any, key: str) -> Any:
    if isinstance(value, str) and looks_written(value):
        try:
            value = read_literal(value)
        except ValueError:
            return None
    if isinstance(value, Mapping):
        return value.get(key)
    if isinstance(value, list | tuple) and key.lstrip("-").isdecimal() and len(key) < 7:
        position = int(key)
        return value[position] if -len(value) <= position < len(value) else None
    return None


def first_of(value: Any, paths: Iterable[str]) -> Any:
    """Return the first value that is neither missing nor an empty text; an empty text if only that is."""
    blank = None
    for path in paths:
        found = at_path(value, path)
        if found is None or (isinstance(found, float) and math.isnan(found)):
            continue
        if found != "":
            return found
        blank = found
    return blank


def cleaned(value: Any, depth: int = 0) -> Any:
    """Return a value that JSON and Postgres accept: no NUL, lone surrogate, NaN, endless digits or depth."""
    if isinstance(value, str):
        return encodable(value.replace("\x00", "\ufffd"))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= 200 else "(number)"
    if isinstance(value, float | Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if depth >= _MAX_DEPTH:
        return "(nested too deep)"
    if isinstance(value, Mapping):
        return {cleaned(str(key)): cleaned(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item, depth + 1) for item in value]
    return cleaned(str(value)) if type(value).__name__ == "UUID" else f"({type(value).__name__})"


def weight(value: Any, depth: int = 0) -> int:
    """Return about how many characters a value holds."""
    if isinstance(value, str):
        return len(value)
    if depth > _MAX_DEPTH:
        return 100
    if isinstance(value, Mapping):
        return sum(len(str(key)) + weight(item, depth + 1) for key, item in value.items()) + 50
    if isinstance(value, list | tuple):
        return sum(weight(item, depth + 1) for item in value) + 50
    return 20


def nested(flat: Mapping[str, Any]) -> Any:
    """Return dotted keys as nested objects, and objects with keys 0, 1, 2 ... as lists."""
    root: dict[str, Any] = {}
    for key, item in flat.items():
        parts, here = str(key).split("."), root
        parts = parts if len(parts) <= _MAX_DEPTH else [str(key)]
        for part in parts[:-1]:
            below = here.get(part)
            if not isinstance(below, dict):
                below = here[part] = {} if below is None else {"": below}
            here = below
        item = nested(item) if isinstance(item, Mapping) and item else item
        if isinstance(here.get(parts[-1]), dict) and isinstance(item, dict):
            here[parts[-1]] |= item
        else:
            here[parts[-1]] = item
    return _listed(root)


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    made = {key: _listed(item) for key, item in value.items()}
    if made and all(key.isdecimal() and len(key) < 7 for key in made):
        return [made[key] for key in sorted(made, key=int)]
    return made
