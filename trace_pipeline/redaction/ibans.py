"""International bank account numbers: a country's length and the check digits modulo 97 (ISO 13616-1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from trace_pipeline.redaction.found import Found

#: Length of an account number by country, as the registry of ISO 13616 has it.
LENGTHS: Final[Mapping[str, int]] = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
    "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
    "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
    "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25,
    "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}  # fmt: skip
# Within a word too: the letters before it may be a label ("IBANDE89..."). The digits end any overlap.
_START: Final = re.compile(r"[A-Za-z]{2}[ -]?[0-9][ -]?[0-9]")

PATTERNS: Final = (_START.pattern, dict(LENGTHS))


def find(text: str) -> Iterator[Found]:
    """Yield account numbers, in one piece or in groups; in letters of either case."""
    for match in _START.finditer(text):
        yield from _at(text, match.start())


def _at(text: str, start: int) -> Iterator[Found]:
    length = LENGTHS.get(text[start : start + 2].upper())
    if length is None:
        return
    places = _places(text, start, length)
    if len(places) < length:
        return
    end = places[-1] + 1
    number = "".join([text[place] for place in places]).upper()
    inside = text[start - 1 : start].isalnum() and text[end : end + 1].isalnum()
    # Digits within a longer code, such as a hash, are no account; a row of words passes by chance at times.
    if not inside and _passes(number) and _mostly_digits(number[4:]):
        yield Found(start, end, "iban", number)


def _places(text: str, start: int, length: int) -> list[int]:
    """Where the characters of a number are; fewer than `length` when it ends before."""
    places: list[int] = []
    blanks = 0
    for place in range(start, min(len(text), start + 3 * length)):
        character = text[place]
        if character.isascii() and character.isalnum():
            places.append(place)
            blanks = 0
            if len(places) == length:
                break
        elif character in " -." and not blanks:
            blanks = 1
        else:
            break
    return places


def _mostly_digits(account: str) -> bool:
    return 3 * sum(map(str.isdigit, account)) >= len(account)


def _passes(number: str) -> bool:
    digits = "".join([str(int(character, 36)) for character in number[4:] + number[:4]])
    return int(digits) % 97 == 1
