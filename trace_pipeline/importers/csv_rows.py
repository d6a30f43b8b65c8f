"""Rows of CSV files: any of the four usual separators, quoted fields over several lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import IO, Final

from trace_core.errors import BadInput
from trace_pipeline.importers.known_names import EXACT_NAMES, KNOWN_NAMES
from trace_pipeline.importers.outcomes import Place, Raw, Refused

_SEPARATORS: Final = ",;\t|"
_TOLD: Final = re.compile(r"sep=([,;\t|])", re.IGNORECASE)  # Excel's own first line
_DOTTED: Final = re.compile(r"[\w-]+(\.[\w-]+)+")
_EMPTY: Final = ("", "\\N")  # the second is COPY's word for null
_LONGEST_NAME: Final = 200


def looks_like_csv(head: str) -> bool:
    """Does the first line hold a separator?"""
    return any(separator in head.partition("\n")[0] for separator in _SEPARATORS)


def _header(first: str, separators: str) -> tuple[str, list[str]]:
    """Return the separator under which most columns are known, then most are there; and the columns."""
    found = []
    for separator in separators:
        names = next(csv.reader([first.lstrip("\ufeff")], delimiter=separator), [])
        names = [name.strip() for name in names]
        renamed = [_name(name) for name in names]
        # `Log ID` beside `log_id` is a column of its own.
        kept = [name if renamed.count(new) > 1 else new for name, new in zip(names, renamed, strict=True)]
        found.append((separator, kept))
    return max(found, key=lambda pair: (len(_known(pair[1])), len(pair[1])))


def _name(name: str) -> str:
    """Return `User Input` as `user_input` when that is a known name."""
    plain = re.sub(r"[\s-]+", "_", name).lower()
    return plain if name not in EXACT_NAMES and plain in EXACT_NAMES else name


def _known(names: list[str]) -> list[str]:
    if any(len(name) > _LONGEST_NAME or set(name) & set('{}"') for name in names):
        return []  # a row, or JSON that is not at its start, and no header
    return [name for name in names if name.split(".")[0].lower() in KNOWN_NAMES or _DOTTED.fullmatch(name)]


def csv_rows(text: IO[str], path: str, largest: int) -> Iterator[Raw | Refused]:
    """Yield each row as an object of its columns; empty fields are None.

    Raises BadInput `missing_header` when the first line names no column of any known format.
    """
    # A limit of the whole process; the module has no other. Its 131,072 characters are few for documents.
    csv.field_size_limit(largest)
    first = text.readline(1 << 20)
    while first and not first.strip("\ufeff \t\r\n"):
        first = text.readline(1 << 20)
    skipped = 1
    if told := _TOLD.fullmatch(first.lstrip("\ufeff").strip()):
        first, skipped = text.readline(1 << 20), 2
    separator, names = _header(first, told[1] if told else _SEPARATORS)
    known = _known(names)
    if not known or len(set(names)) < len(names):
        what = "none of them known" if not known else "a name stands there twice"
        raise BadInput("missing_header", f"{len(names)} columns, {what}")
    reader = csv.reader(text, delimiter=separator)
    row, before = 0, skipped
    line = before + 1
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            row += 1
            yield Refused(Place(path, row, line), "wrong_number_of_columns", str(error)[:100])
            line = reader.line_num + before + 1
            continue
        if fields is None:
            return
        if fields:
            row += 1
            place = Place(path, row, line)
            if len(fields) != len(names):
                detail = f"{len(fields)} instead of {len(names)}"
                if (last := reader.line_num + before) > line:
                    detail += f", up to line {last}: an open quote takes the lines after it"
                yield Refused(place, "wrong_number_of_columns", detail)
            elif not _encodable(fields):
                yield Refused(place, "invalid_encoding", "bytes that are not UTF-8")
            else:
                yield Raw(
                    place,
                    {k: v if v not in _EMPTY else None for k, v in zip(names, fields, strict=True) if k},
                )
        line = reader.line_num + before + 1


def _encodable(fields: list[str]) -> bool:
    """Bytes that did not fit the file's encoding are lone surrogates here (see Stream.text)."""
    try:
        "".join(fields).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
