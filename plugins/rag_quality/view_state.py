"""The whole state of a view lives in its address, so that a link in an alert opens the same view."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Final
from urllib.parse import quote, urlencode

from trace_pipeline.pages.errors import BadRequest

METRICS: Final = ("adherence", "completeness", "relevance", "utilization")
NIGHTS: Final = (7, 30, 90, 365)
_MOST_CHARACTERS: Final = 500
_YEARS: Final = range(1970, 2200)  # a year of nights before one, or the day after, is a day too


@dataclass(frozen=True, slots=True)
class ViewState:
    """What the choices at the top of each page have chosen.

    scorer: empty = the primary one. dimension, value: a segment; empty = all traffic. nights: one of 7, 30,
    90, 365, ending with `until` (None = the newest night). base: where the app is mounted.
    """

    base: str = ""
    scorer: str = ""
    metric: str = "adherence"
    dimension: str = ""
    value: str = ""
    nights: int = 30
    until: date | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str], base: str = "") -> ViewState:
        """Read the address's query; BadRequest names a value that cannot be."""
        metric = text_of(query, "metric") or "adherence"
        if metric not in METRICS:
            raise BadRequest(f"metric must be one of {', '.join(METRICS)}.")
        nights = number_of(query, "nights", 30)
        if nights not in NIGHTS:
            raise BadRequest(f"nights must be one of {', '.join(map(str, NIGHTS))}.")
        dimension, value = segment_of(query)
        if dimension and not value:
            dimension = ""  # a dimension without a value is all traffic
        return cls(base, text_of(query, "scorer"), metric, dimension, value, nights, day_of(query, "until"))

    def url(self, page: str = "", **changes: Any) -> str:
        """Return the address of a page with this state and some changes.

        page: such as "incidents" or "incidents/3". changes: fields of this state, or parameters of the page
        itself; None leaves one out.
        """
        own = {field.name for field in fields(self)} - {"base"}
        state = replace(self, **{name: changes.pop(name) for name in list(changes) if name in own})
        query = {name: value for name, value in state._query().items() if value not in ("", None)}
        query |= {name: str(value) for name, value in changes.items() if value not in ("", None)}
        path = f"{self.base}/{quote(page)}"
        return f"{path}?{urlencode(query)}" if query else path

    def _query(self) -> dict[str, str]:
        default = ViewState()
        found = {}
        for name in ("scorer", "metric", "dimension", "value", "nights", "until"):
            value = getattr(self, name)
            if value != getattr(default, name):
                found[name] = str(value)
        return found

    @property
    def hidden(self) -> dict[str, str]:
        """The fields a form must carry along, as name and value."""
        return self._query()


def segment_of(query: Mapping[str, str]) -> tuple[str, str]:
    """Return dimension and value: as `dimension` and `value`, or as the JSON pair that a choice sends."""
    pair = text_of(query, "segment")
    if not pair:
        return text_of(query, "dimension"), text_of(query, "value")
    try:
        found = json.loads(pair)
    except (ValueError, RecursionError):
        found = None
    if not (isinstance(found, list) and len(found) == 2 and all(isinstance(part, str) for part in found)):
        raise BadRequest("segment must be a pair of a dimension and a value.")
    texts = {"dimension": found[0], "value": found[1]}
    return text_of(texts, "dimension"), text_of(texts, "value")


def text_of(query: Mapping[str, str], name: str) -> str:
    """Return a parameter's text; BadRequest when it is too long or cannot be stored."""
    value = query.get(name, "")
    if len(value) > _MOST_CHARACTERS:
        raise BadRequest(f"{name} is longer than {_MOST_CHARACTERS} characters.")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise BadRequest(f"{name} holds characters that no log has.")
    return value


def number_of(query: Mapping[str, str], name: str, default: int) -> int:
    """Return a parameter that is a whole number from 0 to a thousand million."""
    value = query.get(name, "")
    if not value:
        return default
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise BadRequest(f"{name} must be a whole number.")
    return int(value)


def day_of(query: Mapping[str, str], name: str) -> date | None:
    """Return a parameter that is a day such as 2026-11-30; None when it is not given."""
    value = query.get(name, "")
    if not value:
        return None
    try:
        found = date.fromisoformat(value) if len(value) == 10 else _no_day(name)
    except ValueError:
        return _no_day(name)
    return found if found.year in _YEARS else _no_day(name)


def _no_day(name: str) -> date:
    raise BadRequest(f"{name} must be a day such as 2026-11-30.")
