"""Sentences of a text with their places in it.

The rules, in order:
1. Lines that are units of their own stand alone: headings, list items, table rows, quoted and code lines.
   Blank lines end a paragraph. Other line breaks are wrapped prose and split nothing.
2. A stretch of prose is split by `sentencex`, then at the full stops of other scripts, and, in Thai, at the
   spaces that end a clause.
3. Pieces without content (blank lines, rules, table borders, code fences) are dropped.
Line breaks may be LF, CRLF or CR. Offsets count characters of the text as it was given.
"""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Final, NamedTuple

import sentencex

from trace_core.digests import digest
from trace_core.texts import encodable

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE: Final = re.compile(r"[ \t]*(?:```|~~~)")
_STANDS_ALONE: Final = re.compile(
    r"[ \t]{0,40}(?:#{1,6}[ \t]|>|\||[-*+•‣◦▪–][ \t]|\(?[0-9]{1,3}[.)][ \t]|[a-zA-Z][)][ \t])"
    r"|(?:\t| {4,40})\S"
    r"|[^|\r\n]*\|[^|\r\n]*\|"
)
#: Markdown that carries nothing: rules, borders of tables, underlines of headings.
_NO_CONTENT: Final = re.compile(r"[\s|+:=_*~#`>-]*")
_OTHER_STOPS: Final = re.compile(r"[।॥؟۔。！？｡]+[\"'”’»」』）)\]】]*")
_THAI_CLAUSE: Final = re.compile(r"(?<=[\u0e01-\u0e4e]) +(?=[\u0e01-\u0e4e])")
_THAI_MINIMUM: Final = 40  # shorter stretches are phrases: Thai also puts spaces around names and numbers

#: Part of every fingerprint: another splitter or expression gives other sentences and other scores.
SPLITTER: Final = f"split-1 sentencex-{version('sentencex')} " + digest(
    [rule.pattern for rule in (_LINE, _FENCE, _STANDS_ALONE, _NO_CONTENT, _OTHER_STOPS, _THAI_CLAUSE)],
    _THAI_MINIMUM,
)


class Sentence(NamedTuple):
    """A sentence and its place: `source[start:end] == text`, or -1 and -1 when it is not found there."""

    text: str
    start: int
    end: int


def split_sentences(text: str, language: str | None = None) -> tuple[Sentence, ...]:
    """The sentences of a text in order, without surrounding blanks; deterministic, never an exception.

    Args:
        text: any text; lone surrogates are read as U+FFFD.
        language: a language tag such as "de" for its abbreviations; unknown ones are read as English.

    >>> [s.text for s in split_sentences("Dr. Ray left. Why?\\n- One\\n- Two")]
    ['Dr. Ray left.', 'Why?', '- One', '- Two']
    """
    text = encodable(text)
    tag = language or "en"
    if "\n" not in text and "\r" not in text:
        return tuple(_prose(text, 0, tag))
    return tuple(s for start, end, alone in _blocks(text) for s in _block(text, start, end, alone, tag))


def sentence_texts(text: str, language: str | None = None) -> tuple[str, ...]:
    """The texts of `split_sentences` alone; several times faster for a plain English paragraph."""
    if text.isascii() and "\n" not in text and "\r" not in text:
        pieces = map(str.strip, sentencex.segment(language or "en", text))
        # Nearly all begin with a letter: ask that here, as a call for each costs more than the splitting.
        return tuple([piece for piece in pieces if piece[:1].isalnum() or _has_content(piece)])
    return tuple(sentence.text for sentence in split_sentences(text, language))


def given_sentences(text: str, sentences: Sequence[str]) -> tuple[Sentence, ...]:
    """Sentences a log brought along, with their places in `text` where they can be found in order."""
    result = []
    position = 0
    for sentence in sentences:
        start = text.find(sentence, position)
        if start < 0:
            result.append(Sentence(sentence, -1, -1))
        else:
            position = start + len(sentence)
            result.append(Sentence(sentence, start, position))
    return tuple(result)


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Stretches of the text: paragraphs of prose, and lines that stand alone."""
    begin = end = 0
    in_code = False
    for match in _LINE.finditer(text):
        start, stop = match.span()
        fence = _FENCE.match(text, start)
        blank = _NO_CONTENT.fullmatch(match[0]) is not None
        if fence or blank or in_code or _STANDS_ALONE.match(text, start, stop):
            if end > begin:
                yield begin, end, False
            if not fence and not blank:
                yield start, stop, True
            begin = end = stop
            in_code ^= bool(fence)
        else:
            end = stop
    if end > begin:
        yield begin, end, False


def _block(text: str, start: int, end: int, alone: bool, tag: str) -> Iterator[Sentence]:
    """A line that stands alone is one sentence, unless it is a list item or quote of several."""
    piece = text[start:end]
    if alone and ("|" in piece or len(piece) < 80):
        return _stripped(piece, start)
    return _prose(piece, start, tag)


def _prose(text: str, offset: int, tag: str) -> Iterator[Sentence]:
    for piece in sentencex.segment(tag, text):
        if piece.isascii():
            yield from _stripped(piece, offset)
        else:
            yield from _other_scripts(piece, offset)
        offset += len(piece)


def _other_scripts(piece: str, offset: int) -> Iterator[Sentence]:
    begin = 0
    for match in _OTHER_STOPS.finditer(piece):
        yield from _clauses(piece[begin : match.end()], offset + begin)
        begin = match.end()
    yield from _clauses(piece[begin:], offset + begin)


def _clauses(piece: str, offset: int) -> Iterator[Sentence]:
    begin = 0
    for match in _THAI_CLAUSE.finditer(piece):
        if match.start() - begin >= _THAI_MINIMUM:
            yield from _stripped(piece[begin : match.start()], offset + begin)
            begin = match.end()
    yield from _stripped(piece[begin:], offset + begin)


def _stripped(piece: str, offset: int) -> Iterator[Sentence]:
    text = piece.strip()
    if _has_content(text):
        start = offset + piece.index(text[0])
        yield Sentence(text, start, start + len(text))


def _has_content(text: str) -> bool:
    return bool(text) and (text[0].isalnum() or _NO_CONTENT.fullmatch(text) is None)
