"""Times as logs write them: ISO 8601, epochs in four units, and a few forms of log files."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from trace_core.errors import BadInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"[+-]?\d{1,30}(\.\d{0,30})?([eE][+-]?\d{1,3})?")
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def read_time(value: Any, zone: ZoneInfo) -> datetime:
    """Return an aware UTC time; zoneless ones are of `zone`, numbers seconds, milli-, micro-, nanoseconds.

    The unit of a number follows from its size: for times between 1990 and 2200 the four cannot be confused.
    Raises BadInput with `missing_logged_at` or `invalid_logged_at`.
    """
    if value is None or value == "":
        raise BadInput("missing_logged_at")
    try:
        found = _read(value, zone)
    except (ValueError, TypeError, OverflowError, ArithmeticError, IndexError):
        raise BadInput("invalid_logged_at", "not a point in time") from None
    if not _EARLIEST <= found < _LATEST:
        raise BadInput("invalid_logged_at", f"the year {found.year}")
    return found


def _read(value: Any, zone: ZoneInfo) -> datetime:
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, str):
        text = value.strip()
        return _epoch(Decimal(text)) if _NUMBER.fullmatch(text) else _aware(_text(text), zone)
    if isinstance(value, datetime):
        return _aware(value, zone)
    if isinstance(value, date):
        return _aware(datetime.combine(value, time(0)), zone)
    if isinstance(value, int | float | Decimal):
        return _epoch(Decimal(value))
    raise ValueError


def _epoch(number: Decimal) -> datetime:
    size = abs(number)
    unit = 1 if size < 10**11 else 10**3 if size < 10**14 else 10**6 if size < 10**17 else 10**9
    return _EPOCH + timedelta(
        microseconds=round(number * (10**6 // unit) if unit < 10**6 else number / (unit // 10**6))
    )


def _text(text: str) -> datetime:
    plain = re.sub(r"\s*(UTC|GMT|Z)$", "+00:00", text, flags=re.IGNORECASE)
    plain = re.sub(r"(:\d\d),(\d{1,9})", r"\1.\2", plain)  # Python's logging writes a comma
    plain = re.sub(r"\s+([+-]\d\d:?\d\d)$", r"\1", plain)
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        return parsedate_to_datetime(text)


def _aware(value: datetime, zone: ZoneInfo) -> datetime:
    return (value.replace(tzinfo=zone) if value.tzinfo is None else value).astimezone(UTC)
