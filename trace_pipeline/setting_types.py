"""Types of the settings: what may be written as text in the environment, and how it is read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode

from trace_pipeline.hosts import host_of


def _listed(value: object) -> object:
    """Read a list written as text: comma-separated, or JSON."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _listed_addresses(value: object) -> object:
    """Read channels written as text; only a comma before a new address parts them, it may hold others."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return _listed(value)
    return tuple(
        part for part in re.split(r"[,\s]+(?=(?:[\w-]+=)?\w+://|log\b|console\b)", value.strip()) if part
    )


def _paired(value: object) -> object:
    """Read a mapping written as text: name=column, comma-separated, or JSON."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        return json.loads(value)
    pairs = [part.partition("=") for part in value.split(",") if part.strip()]
    return {name.strip(): column.strip() for name, _, column in pairs}


def _distinct(value: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(value)) != len(value):
        raise ValueError(f"names a value twice: {', '.join(value)}")
    return value


def _hosts(value: tuple[str, ...]) -> tuple[str, ...]:
    return _distinct(tuple(_host(entry) for entry in value))


def _host(entry: str) -> str:
    if re.search(r"[/?#*]|\]:", entry) or entry.count(":") == 1:
        raise ValueError(f"{entry!r} is not a host alone: leave scheme, port and path out, and write no *")
    try:
        return host_of(entry)
    except ValueError as error:
        raise ValueError(f"{entry!r} is not a host: {error}") from None


def empty_is_none(value: object) -> object:
    """Read an empty text as unset."""
    return None if value == "" else value


def _known_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except Exception as error:
        raise ValueError(f"{value!r} is not a time zone of the IANA list") from error
    return value


def _cron(value: str) -> str:
    if not value.startswith("@") and len(value.split()) != 5:
        raise ValueError("a cron expression has five fields, such as 0 2 * * *")
    return value


def _quiet_hours(value: str) -> str:
    match = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", value)
    if match is None or match.group(1, 2) == match.group(3, 4):
        raise ValueError("quiet hours have a beginning and another end, such as 22:00-07:00")
    return value


def web_address(value: str, credentials: str = "OTEL_EXPORTER_OTLP_HEADERS") -> str:
    """Check an address that must hold no credentials; they belong into `credentials`."""
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or " " in value):
        raise ValueError("an address such as http://127.0.0.1:4318 is wanted")
    if parts.username or parts.password:
        raise ValueError(f"put credentials into {credentials}, not into the address")
    return value


def _database_address(value: str) -> str:
    if value and not re.fullmatch(r"[A-Za-z0-9._-]+(:\d{1,5})?/[^/@\s?#]+", value):
        raise ValueError("host:port/database is wanted, without a user, such as db.example.org:5432/trace")
    return value


Identifier = Annotated[str, Field(min_length=1, max_length=63)]


def _absolute(value: str) -> str:
    if value and not value.startswith("/") and "://" not in value:
        raise ValueError("must be an absolute path or an address such as s3://connection@bucket/logs")
    return value


# Relative to what would depend on the process that reads it.
Folder = Annotated[str, AfterValidator(_absolute)]
OptionalColumn = Annotated[Identifier | None, BeforeValidator(empty_is_none)]
OptionalDays = Annotated[int | None, BeforeValidator(empty_is_none)]
QuietHours = Annotated[Annotated[str, AfterValidator(_quiet_hours)] | None, BeforeValidator(empty_is_none)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[tuple[Name, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_distinct)]
Hosts = Annotated[Names, AfterValidator(_hosts)]
Addresses = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    NoDecode,
    BeforeValidator(_listed_addresses),
    AfterValidator(_distinct),
]
ColumnsByName = Annotated[Mapping[Name, Identifier], NoDecode, BeforeValidator(_paired)]
TimeZone = Annotated[str, AfterValidator(_known_zone)]
Cron = Annotated[str, AfterValidator(_cron)]
DatabaseAddress = Annotated[str, AfterValidator(_database_address)]
WebAddress = Annotated[str, AfterValidator(lambda value: web_address(value))]
