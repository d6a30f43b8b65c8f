"""A log in parts that fit a judge's context: every document sentence is in exactly one of them.

Tokens are estimated without a tokenizer, on the high side: three ASCII letters or blanks a token, every other
ASCII character a token of its own, elsewhere two bytes of UTF-8 a token. What common vocabularies hardly know
counts about double: scripts such as Ethiopic, emoji, encoded data. Against two such vocabularies the estimate
was 1.6 to 2.1 times too high for prompts of English logs, 1.0 to 2.3 times for sentences in eleven other
languages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trace_core import DEFAULT_SCORER, get_scorer
from trace_core.keys import document_key, response_keys
from trace_core.records import Log
from trace_core.texts import encodable
from trace_pipeline.judges.prompt import SYSTEM, sentence_line, user_message

#: Tokens that the frame of a chat message takes, with room.
FRAME_TOKENS: Final = 32

#: Ethiopic, Tibetan and the like, emoji and all beyond the basic plane.
_RARE: Final = re.compile(
    r"[\u0e80-\u1fff\u2c00-\u2e7f\ua000-\uabff\ud7b0-\uf8ff\ufb00-\ufeff\U00010000-\U0010ffff]"
)
#: Characters of an ASCII run without blanks from which it is an address or encoded data, and no word.
_LONG_RUN: Final = 40
_COSTLY_ASCII: Final = re.compile(r"[\x00-\x1f!-@\[-`{-\x7f]")


def tokens(text: str) -> int:
    """Return how many tokens a text may have, on the high side.

    >>> tokens("The pump runs."), tokens("42"), tokens("水泵")
    (6, 2, 3)
    """
    costly = len(_COSTLY_ASCII.findall(text)) + _encoded(text) // 2
    if text.isascii():
        return -(-(len(text) - costly) // 3) + costly
    text = encodable(text)
    ascii_characters = len(text.encode("ascii", "ignore"))
    size = len(text.encode()) - ascii_characters + len("".join(_RARE.findall(text)).encode())
    return -(-(ascii_characters - costly) // 3) + costly + -(-size // 2)


def _encoded(text: str) -> int:
    """Return the characters of runs that are no words."""
    return sum(len(run) for run in text.split() if len(run) >= _LONG_RUN and run.isascii())


_SYSTEM_TOKENS: Final = tokens(SYSTEM) + FRAME_TOKENS


@dataclass(frozen=True, slots=True)
class Sentences:
    """The texts of a log that a prompt is made of, each with its key."""

    question: str
    documents: tuple[tuple[tuple[str, str], ...], ...]
    response: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, log: Log) -> Sentences:
        """Split a log exactly as the default scorer does, so that keys mean the same everywhere."""
        found = get_scorer(DEFAULT_SCORER).sentences(log)
        documents = tuple(
            tuple((document_key(d, s), text) for s, text in enumerate(texts))
            for d, texts in enumerate(found.documents)
        )
        keys = response_keys(len(found.response))
        return cls(log.question, documents, tuple(zip(keys, found.response, strict=True)))

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of sentences of each document."""
        return tuple(map(len, self.documents))

    def texts(self) -> list[str]:
        """Return all texts in a fixed order: question, documents, response."""
        inside = [text for document in self.documents for _, text in document]
        return [self.question, *inside, *(text for _, text in self.response)]

    def replaced(self, texts: Sequence[str]) -> Sentences:
        """Return the same sentences with other texts, in the same order. ValueError for another number."""
        if len(texts) != 1 + sum(self.counts) + len(self.response):
            raise ValueError("there must be as many texts as before")
        left = iter(texts)
        question = next(left)
        documents = tuple(tuple((key, next(left)) for key, _ in document) for document in self.documents)
        return Sentences(question, documents, tuple((key, next(left)) for key, _ in self.response))

    def content_hash(self) -> str:
        """64 hex digits over all texts and how they are split."""
        documents = [[text for _, text in document] for document in self.documents]
        value = [self.question, documents, [text for _, text in self.response]]
        text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Window:
    """The document sentences that one call asks about, by key and in order; whole: they are all of the log's.

    Question and response are in every window.
    """

    keys: tuple[str, ...]
    whole: bool

    def content_hash(self, of_log: str) -> str:
        """Return the log's hash where the window is all of it, else one of log and sentences."""
        if self.whole:
            return of_log
        return hashlib.sha256(" ".join((of_log, *self.keys)).encode("ascii")).hexdigest()

    def message(self, sentences: Sentences) -> str:
        """Return the data of the prompt."""
        wanted = frozenset(self.keys)
        inside = [pair for document in sentences.documents for pair in document if pair[0] in wanted]
        documents = [sentence_line(*pair) for pair in inside]
        response = [sentence_line(*pair) for pair in sentences.response]
        return user_message(sentences.question, documents, response, self.whole)


def prompt_tokens(message: str) -> int:
    """Return the tokens of a call's prompt with this data, on the high side."""
    return _SYSTEM_TOKENS + tokens(message) + FRAME_TOKENS


def _line_tokens(pair: tuple[str, str]) -> int:
    return tokens(sentence_line(*pair)) + 1  # its line break


def split_windows(sentences: Sentences, context_tokens: int) -> list[Window] | None:
    """Pack documents into as few prompts as keep their order; None where one sentence alone is too long.

    A document that fits a prompt is not split; a longer one is, between sentences. Without documents there is
    one window without sentences.
    """
    response = [sentence_line(*pair) for pair in sentences.response]
    room = context_tokens - prompt_tokens(user_message(sentences.question, (), response, whole=False))
    packed: list[tuple[str, ...]] = []
    keys: list[str] = []
    used = 0
    if room < 0:
        return None
    for piece, size in _pieces(sentences, room):
        if size > room:
            return None
        if used + size > room:
            packed.append(tuple(keys))
            keys, used = [], 0
        keys += piece
        used += size
    packed.append(tuple(keys))
    return [Window(part, whole=len(packed) == 1) for part in packed]


def _pieces(sentences: Sentences, room: int) -> Iterator[tuple[list[str], int]]:
    """Give what must stay together: a document, or each sentence of one that is longer than a prompt."""
    for document in sentences.documents:
        sizes = [_line_tokens(pair) for pair in document]
        if sum(sizes) <= room:
            yield [key for key, _ in document], sum(sizes)
        else:
            for (key, _), size in zip(document, sizes, strict=True):
                yield [key], size
