"""RAGBench's sentence keys: `a`, `b`, ... `z`, `aa` in a response; `0a`, `0b`, `1a` in documents."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_DOCUMENT_KEY: Final = re.compile(r"([0-9]{1,9})([a-z]{1,8})")
#: Words annotators write in the place of a key.
PSEUDO_KEYS: Final = frozenset(
    {"general", "supported_without_sentence", "well_known_fact", "numerical_reasoning"}
)


@lru_cache(maxsize=4096)
def response_key(index: int) -> str:
    """The key of the response sentence at `index` (0 -> "a", 25 -> "z", 26 -> "aa")."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = _ALPHABET[rest] + letters
    return letters


@lru_cache(maxsize=8192)
def document_key(document: int, sentence: int) -> str:
    """The key of a document sentence, both counted from 0 ((0, 0) -> "0a")."""
    return f"{document}{response_key(sentence)}"


def response_keys(count: int) -> tuple[str, ...]:
    """The keys of `count` response sentences."""
    return tuple(map(response_key, range(count)))


def document_keys(counts: Sequence[int]) -> tuple[str, ...]:
    """The keys of all sentences of documents that hold `counts` sentences each."""
    return tuple(document_key(d, s) for d, count in enumerate(counts) for s in range(count))


def parse_document_key(key: str) -> tuple[int, int] | None:
    """(document, sentence) of a document key, or None when `key` is none."""
    match = _DOCUMENT_KEY.fullmatch(key)
    if not match:
        return None
    index = 0
    for letter in match[2]:
        index = 26 * index + ord(letter) - 96
    return int(match[1]), index - 1


def tidy(key: str) -> str:
    """A key as an annotator meant it: lower case, no blanks, brackets, quotes or punctuation around it."""
    return key.strip(" \t\r\n.,;:!?'\"`()[]{}").lower()


def clean_document_keys(keys: Iterable[str], counts: Sequence[int]) -> tuple[tuple[str, ...], int]:
    """The distinct existing document keys in order of appearance, and how many entries were dropped."""
    places = [parse_document_key(tidy(raw)) for raw in keys]
    kept = dict.fromkeys(
        document_key(*place)
        for place in places
        if place and place[0] < len(counts) and place[1] < counts[place[0]]
    )
    return tuple(kept), len(places) - len(kept)


def clean_response_keys(keys: Iterable[str], existing: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """The distinct existing response keys in order of appearance, and how many entries were dropped."""
    valid = frozenset(existing)
    tidied = [tidy(raw) for raw in keys]
    kept = dict.fromkeys(key for key in tidied if key in valid)
    return tuple(kept), len(tidied) - len(kept)
