"""Telephone numbers: in international form, in the national forms of some regions, or named as such."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from trace_core.errors import ConfigurationError
from trace_pipeline.redaction.found import Found

try:
    import phonenumbers
except ImportError as error:
    raise ConfigurationError(
        "setting 'judge.redact': finding phone numbers needs phonenumbers; pip install 'trace-nightly[judge]'"
    ) from error

#: Regions whose numbers are known in national form, with the leading 0.
REGIONS: Final = (
    "DE", "GB", "FR", "IT", "NL", "BE", "CH", "AT", "SE", "IE", "AU", "NZ", "IN", "JP", "KR", "CN", "ZA",
    "TR", "BR", "IL", "TH", "ID", "UA", "RO", "FI", "EG",
)  # fmt: skip
_BETWEEN: Final = r"[ .()/-]{0,3}"
_DIGITS: Final = rf"\d(?:{_BETWEEN}\d)"
_INTERNATIONAL: Final = re.compile(
    rf"\+ ?[(]?{_DIGITS}{{6,16}}|(?<!\d)00{_BETWEEN}[1-9](?:{_BETWEEN}\d){{6,14}}"
)
_NATIONAL: Final = re.compile(rf"(?<![\d.,])\(?0[1-9](?:{_BETWEEN}\d){{7,11}}(?!\d)")
_AMERICAN: Final = re.compile(
    r"(?<!\d)(?:1[-. ])?(?:\(\d{3}\)[ -]?|\d{3}[-.])\d{3}[-. ]\d{4}(?!\d)"
    r"|(?<!\d)(?:1 )?[2-9]\d{2} [2-9]\d{2}[ -]\d{4}(?!\d)"
)
_NAMED: Final = re.compile(
    r"(?:tel|phone|fax|mobile|whatsapp|sms|handy|telefon|telefono|teléfono|téléphone|telefone|rufnummer|電話|电话|手机"
    rf"|전화|هاتف|फ़ोन|โทร)\w{{0,3}}\W{{0,4}}(?:\w{{1,12}}\W{{1,3}}){{0,2}}?({_DIGITS}{{5,14}})(?!\d)",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"\(?(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?![./-]?\d)")
_DIGIT: Final = re.compile(r"\d")
_GROUP_END: Final = re.compile(r"\d(?!\d)")

PATTERNS: Final = (
    [pattern.pattern for pattern in (_INTERNATIONAL, _NATIONAL, _AMERICAN, _NAMED, _DATE)],
    REGIONS,
    phonenumbers.__version__,
)


def find(text: str) -> Iterator[Found]:
    """Yield the numbers. A bare row of digits that nothing calls a phone number is none."""
    for match in _INTERNATIONAL.finditer(text):
        yield from _longest(text, match, _international, _DIGIT)
    for match in _NATIONAL.finditer(text):
        if not _DATE.match(match[0]):
            yield from _longest(text, match, _national, _GROUP_END)
    for match in _AMERICAN.finditer(text):
        yield Found(match.start(), match.end(), "phone", _american(match[0]))
    for match in _NAMED.finditer(text):
        if not _DATE.match(match[1]):
            yield Found(match.start(1), match.end(1), "phone", _national(match[1]) or _digits(match[1]))


def _longest(
    text: str, match: re.Match[str], read: Callable[[str], str], end_of: re.Pattern[str]
) -> Iterator[Found]:
    """Yield the longest number at a place: what follows may be the next number of a row."""
    ends = [end.end() for end in end_of.finditer(text, match.start(), match.end())]
    for end in reversed(ends):
        value = read(text[match.start() : end])
        if value:
            yield Found(match.start(), end, "phone", value)
            return


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _international(text: str) -> str:
    """Return +, country and number, or nothing when no country has such a number."""
    digits = _digits(text)
    if not text.startswith("+"):
        digits = digits.removeprefix("00")
    # "+49 (0)30 ...": the 0 is for callers from within, and no part of the number.
    outside = _digits(text.replace("(0)", "", 1)) if text.startswith("+") else digits
    for candidate in dict.fromkeys((outside, digits)):
        number = _parsed("+" + candidate, None)
        if number is not None and _is_possible(number):
            return "+" + candidate
    return ""


def _national(text: str) -> str:
    for region in REGIONS:
        number = _parsed(_digits(text), region)
        if number is not None and phonenumbers.is_valid_number_for_region(number, region):
            return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
    return ""


def _american(text: str) -> str:
    return "+1" + _digits(text)[-10:]


def _parsed(text: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None


def _is_possible(number: phonenumbers.PhoneNumber) -> bool:
    found = phonenumbers.is_possible_number_with_reason(number)
    return bool(found == phonenumbers.ValidationResult.IS_POSSIBLE)
