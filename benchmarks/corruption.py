"""Sentences made wrong on purpose: training negatives that cost no label.

A supported sentence becomes an unsupported one when a number, a name or some of its words are exchanged.
Which, and for what, is decided by a digest of the text, so that the same rows always give the same sentences.
"""

import hashlib
import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{2,}(?:\s[A-Z][a-z]{2,})*")
_WORD = re.compile(r"\b[a-z]{4,}\b")


def corrupt(sentence: str, donor: str) -> str | None:
    """`sentence` with another number, or a name or every third long word of `donor`; None without any."""
    choice = hashlib.sha256(sentence.encode()).digest()
    numbers, names = list(_NUMBER.finditer(sentence)), list(_NAME.finditer(sentence))
    donated = _NAME.findall(donor)
    if numbers and choice[0] % 2 == 0:
        match = numbers[choice[1] % len(numbers)]
        return _replace(sentence, match, str(int(match[0][:15]) + 1 + choice[2] % 9))
    if names and donated:
        match = names[choice[1] % len(names)]
        return _replace(sentence, match, donated[choice[2] % len(donated)])
    words, others = list(_WORD.finditer(sentence)), _WORD.findall(donor)
    if len(words) < 3 or not others:
        return None
    for i in reversed(range(choice[1] % 3, len(words), 3)):
        sentence = _replace(sentence, words[i], others[(choice[2] + i) % len(others)])
    return sentence


def _replace(text: str, match: re.Match[str], by: str) -> str:
    return text[: match.start()] + by + text[match.end() :]


def corrupted(
    sentences: Sequence[str], supported: Sequence[bool], donor: str
) -> tuple[list[str], int] | None:
    """The sentences with one supported one made wrong, and its place; None when none can be."""
    places = [i for i, flag in enumerate(supported) if flag]
    if not places:
        return None
    at = places[hashlib.sha256(" ".join(sentences).encode()).digest()[0] % len(places)]
    wrong = corrupt(sentences[at], donor)
    if wrong is None or wrong == sentences[at]:
        return None
    return [*sentences[:at], wrong, *sentences[at + 1 :]], at
