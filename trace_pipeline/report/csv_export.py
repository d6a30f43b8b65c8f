"""CSV for colleagues with a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def to_csv(frame: pd.DataFrame, file: str | Path | TextIO) -> None:
    """Write a frame as CSV: UTF-8, a header, ISO days, undefined values empty, mappings as JSON.

    A text that a spreadsheet would run as a formula gets a leading apostrophe: segment values come from logs.
    Numbers keep all digits they need to be read back unchanged.
    """
    safe = frame.copy()
    safe.columns = pd.Index([_cell(str(name)) for name in frame.columns])
    for position in range(safe.shape[1]):
        if not pd.api.types.is_numeric_dtype(safe.dtypes.iloc[position]):
            safe.isetitem(position, [_cell(value) for value in frame.iloc[:, position]])
    safe.to_csv(file, index=False, lineterminator="\n", encoding="utf-8", date_format="%Y-%m-%d")


def _cell(value: Any) -> Any:
    if isinstance(value, (Mapping, list, tuple)):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode()  # a lone surrogate would end the export
        text = f"'{text}" if text.startswith(_FORMULA_STARTS) else text
        return text.replace("\r\n", "\n").replace(
            "\r", "\n"
        )  # csv quotes a line feed, a bare return it may not
    return value
