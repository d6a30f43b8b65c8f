"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "advice", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one part of the installation.

    level: `ok`, `advice` (works, but not well) or `fault` (nights will fail, or say less than they should).
    remedy: what to do; empty when all is well.
    """

    part: str
    level: Level
    text: str
    remedy: str = ""


def ok(part: str, text: str) -> Finding:
    """All is well with this part."""
    return Finding(part, "ok", text)


def advice(part: str, text: str, remedy: str) -> Finding:
    """It works, but not as well as it could."""
    return Finding(part, "advice", text, remedy)


def fault(part: str, text: str, remedy: str) -> Finding:
    """Nights fail, or say less than they should."""
    return Finding(part, "fault", text, remedy)
