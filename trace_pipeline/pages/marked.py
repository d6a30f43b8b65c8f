"""A text with its sentences marked: pieces in order, which together are the text as it was logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trace_core.sentences import Sentence, given_sentences


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known of a sentence.

    kinds: relevant, utilized, supported or unsupported. links: keys of the sentences on the other side, which
    support it or which it supports. reason: the scorer's, in plain words.
    """

    key: str
    kinds: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    reason: str = ""
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; `mark` is None between sentences. `begins` is false where a sentence goes on."""

    text: str
    mark: Mark | None = None
    begins: bool = True


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A window of a text. `start` and `end` count characters of the whole, `length` is the whole's.

    loose: sentences that the log brought along and that are not found in its text.
    """

    pieces: tuple[Piece, ...]
    start: int
    end: int
    length: int
    loose: tuple[Piece, ...] = ()

    @property
    def next_start(self) -> int | None:
        """Where the rest begins; None at the end."""
        return self.end if self.end < self.length else None


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a text that is shown: `most` characters from `start` on."""

    start: int = 0
    most: int = 20_000


def mark_text(
    text: str, sentences: Sequence[str], marks: Mapping[int, Mark], window: Window | None = None
) -> MarkedText:
    """Lay marks (by the number of the sentence) over a text; together the pieces are the window's text."""
    window = window or Window()
    start = min(max(0, window.start), len(text))
    end = min(len(text), start + window.most)
    placed = given_sentences(text, sentences)
    pieces = tuple(_pieces(text, placed, marks, start, end))
    loose = tuple(
        Piece(found.text[: window.most], marks.get(at)) for at, found in enumerate(placed) if found.start < 0
    )
    return MarkedText(pieces, start, end, len(text), loose[:200] if start == 0 else ())


def _pieces(
    text: str, placed: Sequence[Sentence], marks: Mapping[int, Mark], start: int, end: int
) -> Iterator[Piece]:
    position = start
    for at, sentence in enumerate(placed):
        if sentence.start < 0 or sentence.end <= start:
            continue
        if sentence.start >= end:
            break
        first, last = max(sentence.start, position), min(sentence.end, end)
        if first > position:
            yield Piece(text[position:first])
        yield Piece(text[first:last], marks.get(at), begins=sentence.start >= start)
        position = last
    if position < end:
        yield Piece(text[position:end])


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A retrieved document: its number from 0, its name in the corpus, and its text."""

    number: int
    name: str
    text: MarkedText
    counts: Mapping[str, int] = field(default_factory=dict)
