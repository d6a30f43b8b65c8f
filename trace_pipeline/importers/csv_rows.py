"""Rows of CSV files: any of the four usual separators, quoted fields over several lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO, Final

from trace_core.errors import BadInput
from trace_pipeline.importers.known_names import KNOWN_NAMES
from trace_pipeline.importers.outcomes import Place, Raw, Refused

_SEPARATORS: Final = ",;\t|"


def looks_like_csv(head: str) -> bool:
    """Does the first line hold a separator?"""
    return any(separator in head.partition("\n")[0] for separator in _SEPARATORS)


def csv_rows(text: IO[str], path: str, largest: int) -> Iterator[Raw | Refused]:
    """Yield each row as an object of its columns; empty fields are None.

    Raises BadInput `missing_header` when the first line names no column of any known format.
    """
    # A limit of the whole process; the module has no other. Its 131,072 characters are few for documents.
    csv.field_size_limit(largest)
    first = text.readline(1 << 20)
    while first and not first.strip("\ufeff \t\r\n"):
        first = text.readline(1 << 20)
    separator = max(_SEPARATORS, key=first.count)
    names = next(csv.reader([first.lstrip("\ufeff")], delimiter=separator), [])
    names = [name.strip() for name in names]
    known = [name for name in names if name.split(".")[0].lower() in KNOWN_NAMES or "." in name]
    if not known or len(set(names)) < len(names):
        what = "none of them known" if not known else "a name stands there twice"
        raise BadInput("missing_header", f"{len(names)} columns, {what}")
    reader = csv.reader(text, delimiter=separator)
    row, line = 0, 2
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            row += 1
            yield Refused(Place(path, row, line), "wrong_number_of_columns", str(error)[:100])
            line = reader.line_num + 2
            continue
        if fields is None:
            return
        if fields:
            row += 1
            place = Place(path, row, line)
            if len(fields) != len(names):
                detail = f"{len(fields)} instead of {len(names)}"
                yield Refused(place, "wrong_number_of_columns", detail)
            elif not _encodable(fields):
                yield Refused(place, "invalid_encoding", "bytes that are not UTF-8")
            else:
                yield Raw(place, {k: v if v != "" else None for k, v in zip(names, fields, strict=True) if k})
        line = reader.line_num + 2


def _encodable(fields: list[str]) -> bool:
    """Bytes that did not fit the file's encoding are lone surrogates here (see Stream.text)."""
    try:
        "".join(fields).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
