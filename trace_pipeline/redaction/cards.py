"""Payment card numbers: the issuer's first digits, a length, the check digit of Luhn (ISO/IEC 7812-1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trace_pipeline.redaction.digit_groups import Group, runs
from trace_pipeline.redaction.found import Found

#: First digits and lengths: Visa; Mastercard; American Express; Diners; Discover; JCB; UnionPay, RuPay and
#: Maestro; Mir.
_ISSUERS: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35\d{14,17}|(?:5[06-8]|6\d|8[12])\d{10,17}|220[0-4]\d{12,15}"
)
#: How many digits the groups of a card number have; a lone group holds them all.
_SHAPES: Final = frozenset(
    ((4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (4, 4, 4, 1), (4, 4, 5), (4, 4, 4), (8, 8), (6, 13))
)
_DIGITS: Final = range(12, 20)
_MOST_GROUPS: Final = 19

PATTERNS: Final = (_ISSUERS.pattern, sorted(map(list, _SHAPES)))


def find(text: str) -> Iterator[Found]:
    """Yield card numbers in one piece, in an issuer's groups, or digit by digit, also amid other numbers."""
    for groups in runs(text):
        for first in range(len(groups)):
            for last in range(first, min(first + _MOST_GROUPS, len(groups))):
                part = groups[first : last + 1]
                digits = "".join([group.digits for group in part])
                if len(digits) > _DIGITS[-1]:
                    break
                if _is_shape(part) and _is_number(digits) and not _is_fraction(text, part):
                    yield Found(part[0].start, part[-1].end, "card", digits)


def _is_shape(groups: Sequence[Group]) -> bool:
    sizes = tuple([len(group.digits) for group in groups])
    return len(sizes) == 1 or sizes in _SHAPES or set(sizes) in ({1}, {2})


def _is_number(digits: str) -> bool:
    return len(digits) in _DIGITS and bool(_ISSUERS.fullmatch(digits)) and _passes_luhn(digits)


def _passes_luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def _is_fraction(text: str, groups: Sequence[Group]) -> bool:
    """Are these the decimals of a number below ten? A tenth of all long ones pass Luhn by chance."""
    start = groups[0].start
    return len(groups) == 1 and bool(re.search(r"(?<!\d)\d\.$", text[max(0, start - 3) : start]))
