"""The drift watch's thresholds as users write them: TOML values, or text in the environment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from trace_core.drift import DriftSettings
from trace_core.errors import ConfigurationError


def drift_settings(given: Mapping[str, Any]) -> DriftSettings:
    """Return the thresholds with those of `given` in place of their defaults.

    Raises ValueError that names the threshold.
    """
    known = {setting.name for setting in fields(DriftSettings)}
    values = {}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"there is no threshold {name!r}; docs/drift.md lists them")
        values[name] = _read(name, value)
    try:
        return DriftSettings(**values)
    except ConfigurationError as error:
        raise ValueError(str(error)) from error
    except TypeError as error:
        raise ValueError(f"a value has the wrong type: {error}") from error


def _read(name: str, value: Any) -> Any:
    text_wanted = isinstance(getattr(DriftSettings, name, None), str) or name.endswith("_dimension")
    if isinstance(value, str) and not text_wanted:
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ValueError(f"{name} must be a number or a list, not {value!r}") from error
    if text_wanted != isinstance(value, str):
        raise ValueError(f"{name} must be {'a text' if text_wanted else 'a number or a list'}, not {value!r}")
    return tuple(value) if isinstance(value, list) else value
