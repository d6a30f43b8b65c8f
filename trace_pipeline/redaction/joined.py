"""The texts of a log read as one, so that a secret which a sentence's end parts is seen whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from trace_pipeline.redaction.found import Finder, Found, plain

_NO_WORD: Final = re.compile(r"\d|[a-z][A-Z]")


class Span(NamedTuple):
    """A stretch [start, end) of all texts put together without anything between them."""

    start: int
    end: int
    kind: str
    value: str


class Joined:
    """Some texts one after another; places count over all of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._whole = "".join(texts)
        self.starts = [0, *accumulate(map(len, texts))]

    def spans(self, finders: Iterable[Finder]) -> list[Span]:
        """Return what the finders see in the texts, each on a line of its own, and across their ends."""
        finders = tuple(finders)
        found = list(self._seen(finders, "\n"))
        # Where a sentence ends inside a secret, what stood between its parts is gone: nothing, or a blank.
        for between in ("", " ") if len(self.texts) > 1 else ():
            found += [span for span in self._seen(finders, between) if self._is_new(span, found)]
        return found

    def cut(self, span: Span) -> str:
        """Return what a span reads."""
        return self._whole[span.start : span.end]

    def occurrences(self, wanted: Iterable[tuple[str, str]]) -> Iterator[Span]:
        """Yield every place of some (kind, string), within one text or over the end of one."""
        for kind, value in wanted:
            yield from self._places(re.escape(value), kind, value)

    def words(self, values: Mapping[str, tuple[str, str]]) -> Iterator[Span]:
        """Yield the places where a text of {text: (kind, value)} stands by itself."""
        for text, (kind, value) in values.items():
            yield from self._places(rf"(?<!\w){re.escape(text)}(?!\w)", kind, value)

    def without(self, kept: re.Pattern[str], spans: Iterable[Span]) -> list[Span]:
        """Return the parts of spans that lie outside of what `kept` matches."""
        holes = [match.span() for match in kept.finditer(self._whole)] if "[" in self._whole else []
        left: list[Span] = []
        for span in spans:
            at = span.start
            for start, end in holes:
                if start < span.end and end > at:
                    left.append(span._replace(start=at, end=start))
                    at = end
            left.append(span._replace(start=at))
        return [span for span in left if span.start < span.end]

    def _places(self, pattern: str, kind: str, value: str) -> Iterator[Span]:
        for match in re.finditer(pattern, self._whole):
            yield Span(match.start(), match.end(), kind, value)

    def _seen(self, finders: Sequence[Finder], between: str) -> Iterator[Span]:
        text, places = plain(between.join(self.texts))
        origin = self._origins(places, len(between))
        for finder in finders:
            for one in finder(text):
                span = _trimmed(one, origin)
                if span is not None:
                    yield span

    def _origins(self, places: Sequence[int], gap: int) -> list[int]:
        """Place over all texts of each character; -1 for what stands between them."""
        origins: list[int] = []
        number = 0
        for place in places:
            while place >= self.starts[number + 1] + gap * (number + 1):
                number += 1
            # A gap follows its text: its places are those behind the text's end.
            inside = place - gap * number
            origins.append(inside if inside < self.starts[number + 1] else -1)
        return origins

    def _is_new(self, span: Span, found: Sequence[Span]) -> bool:
        """Does a span cross a text's end, with none of its kind found inside it already?

        A national phone number or a card of many groups may come from two numbers that end and begin texts;
        the check digits of cards and accounts speak against chance, so only phone numbers need their +.
        """
        ends = [end for end in self.starts if span.start < end < span.end]
        if not ends or (span.kind == "phone" and not span.value.startswith("+")):
            return False
        inside = [
            one for one in found if one.kind == span.kind and one.start < span.end and span.start < one.end
        ]
        # A hidden character at the place says that one word was parted there.
        if not inside or any(len(plain(self._whole[end - 1 : end + 1])[0]) < 2 for end in ends):
            return True
        # The beginning of a long key may be a key itself; what follows goes with it unless it is a word.
        begins = any(one.start < ends[0] for one in inside)
        rest, _ = plain(self._whole[ends[-1] : span.end])
        return span.kind == "key" and begins and bool(_NO_WORD.search(rest))


def _trimmed(one: Found, origin: Sequence[int]) -> Span | None:
    """A finding without what stands between texts at its ends."""
    start, end = one.start, one.end
    while start < end and origin[start] < 0:
        start += 1
    while start < end and origin[end - 1] < 0:
        end -= 1
    return Span(origin[start], origin[end - 1] + 1, one.kind, one.value) if start < end else None
