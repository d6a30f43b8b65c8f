"""Digits written in groups, as in card numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_RUN: Final = re.compile(r"\d+(?:[ ./_-]{1,3}\d+)*")
_GROUP: Final = re.compile(r"\d+")


class Group(NamedTuple):
    """Digits without anything between them, at [start, end) of a text."""

    start: int
    end: int
    digits: str


def runs(text: str) -> Iterator[list[Group]]:
    """Yield rows of groups with blanks, dots, dashes, slashes or underscores between them."""
    for run in _RUN.finditer(text):
        yield [Group(m.start(), m.end(), m[0]) for m in _GROUP.finditer(text, run.start(), run.end())]
