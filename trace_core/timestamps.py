"""Points in time as logs write them."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from trace_core.errors import BadInput

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse_logged_at(value: object) -> datetime:
    """An aware UTC time from ISO 8601 text, epoch seconds, or a `datetime`/`date`; `BadInput` otherwise.

    Times without a zone are read as UTC, a date alone as its midnight.
    """
    try:
        return _parse(value)
    except (ValueError, OverflowError, ArithmeticError):
        raise BadInput("invalid_logged_at", "not a point in time") from None


def _parse(value: object) -> datetime:
    if isinstance(value, bool) or value is None:
        raise ValueError
    if isinstance(value, str):
        value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(0), tzinfo=UTC)
    if isinstance(value, int | float | Decimal):
        return _EPOCH + timedelta(seconds=float(value))
    raise ValueError
