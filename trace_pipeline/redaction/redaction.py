"""Replaces what was found by placeholders, the same one wherever a thing occurs in a log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from trace_pipeline.redaction.found import Finder
from trace_pipeline.redaction.hook import Hook, ask_hook
from trace_pipeline.redaction.joined import Joined, Span

_RULES: Final = "redaction-2"
_PLACEHOLDER: Final = re.compile(r"\[([A-Z][A-Z0-9_]{0,40})_(\d{1,9})\]", re.IGNORECASE)
#: What a placeholder stands in may show something anew, such as a number that a key's end had hidden.
_ROUNDS: Final = 4
_LEAST: Final = 4  # characters of a found value that are looked for elsewhere in the log as well


@dataclass(frozen=True, slots=True)
class Redacted:
    """The texts of one log as they may leave, and the way back, which is never printed, kept or logged."""

    texts: list[str]
    _values: Mapping[str, str] = field(repr=False)

    def restore(self, text: str) -> str:
        """Put the original values back into a text that quotes the placeholders.

        Of several spellings of a value the first is put back.
        """
        for placeholder, value in reversed(list(self._values.items())):
            text = text.replace(placeholder, value)
        return text


class PatternRedaction:
    """Redacts the texts of one log by patterns and by the user's hook. Keeps nothing; safe in threads.

    finders: what is found in a text. version: a digest of their patterns.
    """

    def __init__(
        self, kinds: Sequence[str], finders: Sequence[Finder], version: str, hook: tuple[str, Hook] | None
    ) -> None:
        self._finders = finders
        self._hook = hook
        self.rules: Mapping[str, Any] = {
            "rules": f"{_RULES} {version}",
            "kinds": sorted(kinds),
            "hook": " ".join((hook[0], str(getattr(hook[1], "version", "")))).rstrip() if hook else None,
        }

    def redact(self, texts: Sequence[str]) -> list[str]:
        """Return the texts with placeholders such as [EMAIL_1], numbered by first appearance.

        Raises RedactionFailed when the hook does not say what must go.
        """
        return self.open(texts).texts

    def open(self, texts: Sequence[str]) -> Redacted:
        """Redact as `redact` does, and keep the way back with the result."""
        names = _Names(texts)
        wanted = ask_hook(self._hook[1], self._hook[0], texts) if self._hook else []
        now = list(texts)
        for _ in range(_ROUNDS):
            spans = self._spans(now, wanted)
            if not spans:
                break
            now = _replaced(now, spans, names)
            wanted = []
        return Redacted(now, names.values)

    def _spans(self, texts: Sequence[str], wanted: Sequence[tuple[str, str]]) -> list[Span]:
        joined = Joined(texts)
        found = joined.spans(self._finders)
        found += joined.occurrences(wanted)
        raw = [(span.kind, joined.cut(span), span.value) for span in found]
        again = {text: (kind, value) for kind, text, value in raw if len(text) >= _LEAST}
        found += joined.words(again)
        return joined.without(_PLACEHOLDER, _merged(found, joined))


def _merged(spans: Sequence[Span], joined: Joined) -> list[Span]:
    """Join spans that overlap, so that no part of any is left; the longest gives the kind, else the first."""
    merged: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda one: (one.start, -one.end, one.kind)):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            longest = span.end - span.start
            continue
        last = merged[-1]
        end = max(last.end, span.end)
        kind = last.kind if longest >= span.end - span.start else span.kind
        longest = max(longest, span.end - span.start)
        same = (end, last.start) == (last.end, last.start) and kind == last.kind
        value = last.value if same else joined.cut(Span(last.start, end, kind, ""))
        merged[-1] = Span(last.start, end, kind, value)
    return merged


def _replaced(texts: Sequence[str], spans: Sequence[Span], names: _Names) -> list[str]:
    """Put placeholders into the texts; one that lies over the end of a text is put into both."""
    starts = Joined(texts).starts
    out: list[str] = []
    joined = "".join(texts)
    for number in range(len(texts)):
        begin, end = starts[number], starts[number + 1]
        parts, at = [], begin
        for span in spans:
            if span.start < end and span.end > begin and span.start < span.end:
                parts += [joined[at : max(at, span.start)], names.name(span, joined[span.start : span.end])]
                at = min(span.end, end)
        out.append("".join([*parts, joined[at:end]]))
    return out


class _Names:
    """Placeholders of one log by kind and value. Those that its texts hold already are left to them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._taken = {
            match[0].upper() for text in texts if "[" in text for match in _PLACEHOLDER.finditer(text)
        }
        self._given: dict[tuple[str, str], str] = {}
        self._numbers: dict[str, Iterator[int]] = {}
        self.values: dict[str, str] = {}

    def name(self, span: Span, text: str) -> str:
        """Return the placeholder of a span that reads `text`."""
        key = (span.kind, span.value)
        if key not in self._given:
            self._given[key] = placeholder = self._next(span.kind.upper())
            self.values[placeholder] = text
        return self._given[key]

    def _next(self, kind: str) -> str:
        numbers = self._numbers.setdefault(kind, iter(range(1, 1_000_000_000)))
        return next(name for number in numbers if (name := f"[{kind}_{number}]") not in self._taken)
