"""What a finder returns, and the form of text that finders read."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

#: Written as dashes by people and programs: hyphens, figure and en dash, minus, full-width hyphen.
_DASHES: Final = "‐‑‒–—―−﹘﹣－"
_DOTS: Final = "․。｡．"
_BLANKS: Final = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t"
)
#: Letters drawn otherwise: full-width forms and mathematical alphabets.
_DRAWN_OTHERWISE: Final = ((0xFF00, 0xFFEF), (0x1D400, 0x1D7FF))


@dataclass(frozen=True, slots=True)
class Found:
    """One thing to be replaced, at [start, end) of the text that was read.

    value: the same for all spellings of one thing, such as the digits of a card number.
    """

    start: int
    end: int
    kind: str
    value: str = field(repr=False)


Finder = Callable[[str], Iterable[Found]]


def plain(text: str) -> tuple[str, list[int]]:
    """Return a text without disguises, and for each of its characters the place in `text`.

    Digits of all scripts become ASCII digits, blanks and dashes the plain ones, full-width and mathematical
    letters plain letters; characters that nobody sees (zero-width, soft hyphen, direction marks) go.
    """
    if text.isascii() and "\t" not in text:
        return text, list(range(len(text)))
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        same = _plain(character)
        if same:
            characters.append(same)
            places.append(place)
    return "".join(characters), places


def _plain(character: str) -> str:
    if character < "\x80":
        return " " if character == "\t" else character
    if character in _DASHES:
        return "-"
    if character in _BLANKS:
        return " "
    if character in _DOTS:
        return "."
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if any(first <= ord(character) <= last for first, last in _DRAWN_OTHERWISE):
        same = unicodedata.normalize("NFKC", character)
        return same if len(same) == 1 else character
    # Cf: format characters; Mn of the variation selectors also shows nothing.
    hidden = unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f"
    return "" if hidden else character
