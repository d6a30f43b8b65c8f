"""E-mail addresses, also written as "name (at) example (dot) org"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trace_pipeline.redaction.found import Found

# All repetitions are bounded: a long text without an @ must not be read again from each of its characters.
_LOCAL: Final = r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}"
_LABEL: Final = r"[\w-]{1,63}"
_TOP: Final = r"(?:xn--[\w-]{1,59}|[^\W\d_]{2,63})"
_PLAIN: Final = re.compile(rf"{_LOCAL}@(?:(?:{_LABEL}\.){{1,8}}{_TOP}|\[[\da-fA-F:.]{{3,45}}\])")
_AT: Final = r"\s{0,3}[(\[{<]\s?(?:at|@|ät|arroba|chez)\s?[)\]}>]\s{0,3}"
_DOT: Final = r"(?:\.|\s{0,3}[(\[{<]\s?(?:dot|punkt|punto|point|\.)\s?[)\]}>]\s{0,3}|\sdot\s)"
_BRACKETED: Final = re.compile(rf"{_LOCAL}{_AT}(?:{_LABEL}{_DOT}){{1,8}}{_TOP}", re.IGNORECASE)
_SPOKEN: Final = re.compile(
    rf"[\w+-]{{1,64}}(?:(?:\.|\sdot\s)[\w+-]{{1,64}}){{0,4}}\sat\s{_LABEL}(?:\sdot\s{_LABEL}){{0,4}}\sdot\s{_TOP}",
    re.IGNORECASE,
)
_AT_SIGN: Final = re.compile(rf"{_AT}|\sat\s", re.IGNORECASE)
_DOT_SIGN: Final = re.compile(_DOT, re.IGNORECASE)

PATTERNS: Final = (_PLAIN.pattern, _BRACKETED.pattern, _SPOKEN.pattern)


def find(text: str) -> Iterator[Found]:
    """Yield the addresses. Not found: a host without a dot, and `name at example.org` in plain words."""
    for match in _PLAIN.finditer(text):
        yield Found(match.start(), match.end(), "email", match[0].casefold())
    for pattern in (_BRACKETED, _SPOKEN):
        for match in pattern.finditer(text):
            value = _DOT_SIGN.sub(".", _AT_SIGN.sub("@", match[0], count=1))
            yield Found(match.start(), match.end(), "email", value.casefold())
