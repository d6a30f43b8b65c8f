"""Times as logs write them: ISO 8601, epochs in four units, and a few forms of log files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from trace_core.errors import BadInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"[+-]?\d{1,30}(\.\d{0,30})?([eE][+-]?\d{1,3})?")
_COMPACT = re.compile(r"(19|20)\d{6}")
_BLANK = frozenset(("", "NaT", "nan", "NaN", "None", "null", "NULL", "\\N"))
_SLASHED = re.compile(r"\s*\d{1,2}/\d{1,2}/\d{2,4}\b")
_KNOWN_ZONES = ("GMT", "UTC", "UT", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", " Z")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_HALVES = r"[AaPp]\.?[Mm]\.?|오전|오후|午前|午後|上午|下午"
#: 20.11.2026 10:00, 2026/11/20 10:00, 2026年11月20日 10時00分, 2026. 11. 20. 오전 10:00,
#: Nov 20, 2026, 10:00 PM
_DATED = re.compile(
    r"(?:(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})"
    r"|(?P<year2>\d{4})\s?[-/.年년]\s?(?P<month2>\d{1,2})\s?[-/.月월]\s?(?P<day2>\d{1,2})\s?[.日일]?"
    rf"|(?P<name>(?i:{'|'.join(_MONTHS)})[a-z]*)\.? (?P<day3>\d{{1,2}}),? (?P<year3>\d{{4}}))"
    rf"(?:,?\s*T?\s*(?P<half>{_HALVES})?\s*(?P<hour>\d{{1,2}})\s?[:時시点]\s?(?P<minute>\d{{1,2}})?\s?[分분]?"
    rf"(?::?\s?(?P<second>\d{{1,2}})(?:[.,](?P<fraction>\d{{1,9}}))?\s?[秒초]?)?\s*(?P<half2>{_HALVES})?)?"
)
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def read_time(value: Any, zone: ZoneInfo) -> datetime:
    """Return an aware UTC time; zoneless ones are of `zone`, numbers seconds, milli-, micro-, nanoseconds.

    The unit of a number follows from its size: for times between 1990 and 2200 the four cannot be confused.
    Raises BadInput with `missing_logged_at` or `invalid_logged_at`.
    """
    if is_blank(value):
        raise BadInput("missing_logged_at")
    try:
        found = _read(value, zone)
    except (ValueError, TypeError, OverflowError, ArithmeticError, IndexError):
        raise BadInput("invalid_logged_at", _why(value)) from None
    if not _EARLIEST <= found < _LATEST:
        raise BadInput("invalid_logged_at", f"the year {found.year}")
    return found


def is_blank(value: Any) -> bool:
    """Is no time given? Also in the words that pandas and Python write for none."""
    return value is None or (isinstance(value, str) and value.strip() in _BLANK)


def _why(value: Any) -> str:
    """Say what is wrong with a time by its shape, `99/99/9999`, which tells nothing of the log."""
    if not isinstance(value, str):
        return f"not a point in time: {type(value).__name__}"
    if _SLASHED.match(value):
        return "day and month cannot be told apart in a date with slashes that begins with either"
    shape = re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", value.strip()[:40]))
    return f"not a point in time: written like {shape!r}"


def _read(value: Any, zone: ZoneInfo) -> datetime:
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, Mapping):
        return _object(value, zone)
    if isinstance(value, str):
        text = value.strip()
        if not text.isascii():  # Arabic and other digits
            text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
        if _COMPACT.fullmatch(text):
            return _aware(datetime.strptime(text, "%Y%m%d"), zone)  # noqa: DTZ007 - _aware gives it a zone
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


def _object(value: Mapping[str, Any], zone: ZoneInfo) -> datetime:
    """Read a time of MongoDB's export, `{"$date": ...}`, or of protobuf and Firestore, seconds and nanos."""
    inner = value.get("$date", value.get("$numberLong"))
    if inner is not None:
        return _read(inner, zone)
    seconds = value.get("seconds", value.get("_seconds"))
    nanos = next((value[name] for name in ("nanos", "nanoseconds", "_nanoseconds") if name in value), 0)
    if not isinstance(seconds, int | str) or not isinstance(nanos, int):
        raise ValueError
    return _EPOCH + timedelta(seconds=int(seconds), microseconds=nanos // 1_000)


def _text(text: str) -> datetime:
    dated = _DATED.fullmatch(text)
    if dated:
        return _of_parts(dated)
    text = re.sub(r"([+-]\d\d:?\d\d|Z)\s*(UTC|\[[\w/+-]+\])$", r"\1", text)  # Go's and Java's name behind it
    plain = re.sub(r"\s*(UTC|GMT|Z)$", "+00:00", text, flags=re.IGNORECASE)
    plain = re.sub(r"(:\d\d),(\d{1,9})", r"\1.\2", plain)  # Python's logging writes a comma
    plain = re.sub(r"\s+([+-]\d\d:?\d\d)$", r"\1", plain)
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        if text[-1:].isalpha() and not text.endswith(_KNOWN_ZONES):
            raise  # parsedate_to_datetime takes "10:00 PM" and "10:00 KST" for "10:00"
        return parsedate_to_datetime(text)


def _of_parts(found: re.Match[str]) -> datetime:
    parts = found.groupdict()
    hour = int(parts["hour"] or 0)
    half = (parts["half"] or parts["half2"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + (12 if half in ("pm", "p.m.", "오후", "午後", "下午") else 0)
    month = parts["month"] or parts["month2"] or _MONTHS.index(parts["name"][:3].lower()) + 1
    return datetime(  # noqa: DTZ001 - _aware gives it a zone
        int(parts["year"] or parts["year2"] or parts["year3"]),
        int(month),
        int(parts["day"] or parts["day2"] or parts["day3"]),
        hour,
        int(parts["minute"] or 0),
        int(parts["second"] or 0),
        int((parts["fraction"] or "").ljust(6, "0")[:6]),
    )


def _aware(value: datetime, zone: ZoneInfo) -> datetime:
    return (value.replace(tzinfo=zone) if value.tzinfo is None else value).astimezone(UTC)
