"""The language of a log: the one it names, else a cheap guess."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from trace_core.digests import digest
from trace_core.stopwords import stop_words_of

#: No language: only rules that need none apply.
UNKNOWN: Final = "und"
#: Languages in Latin script that are told apart by their stop words; ties go to the earlier one.
_LATIN: Final = ("en", "de", "es", "fr", "it", "pt", "nl")
_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
)
_COUNTER_BITS: Final = 16  # more than any list of stop words needs
_TAG: Final = re.compile(r"[a-z]{2,3}")
_LOOKED_AT: Final = 2_000  # characters: enough to tell, and a bound on the cost
_ONE_IN: Final = 4  # characters of a script, before a text is of its language
_NAMES: Final = {
    "english": "en",
    "german": "de",
    "deutsch": "de",
    "spanish": "es",
    "french": "fr",
    "italian": "it",
    "portuguese": "pt",
    "dutch": "nl",
    "hindi": "hi",
    "japanese": "ja",
    "chinese": "zh",
    "arabic": "ar",
    "thai": "th",
    "korean": "ko",
    "russian": "ru",
}

#: Part of every fingerprint: the rules' version and a digest of the lists.
LANGUAGE_RULES: Final = "language-1 " + digest(
    _LATIN, [(tag, script.pattern) for tag, script in _SCRIPTS], _NAMES, _TAG.pattern, _LOOKED_AT, _ONE_IN
)


def language_tag(named: str | None) -> str | None:
    """The two or three letters of a language a log names ("de-CH" and "German" are "de"), or None."""
    if not named:
        return None
    name = named.strip().lower()
    tag = _NAMES.get(name) or name.replace("_", "-").partition("-")[0]
    return tag if _TAG.fullmatch(tag) and tag != UNKNOWN else None


def guess_language(text: str, text_words: Iterable[str]) -> str:
    """A language tag from the script of `text` and the stop words among `text_words`, or `und`.

    A guess for short texts of one language; between close languages it is often wrong.
    """
    head = text[:_LOOKED_AT]
    if not head.isascii():
        for tag, script in _SCRIPTS:
            if len(script.findall(head)) * _ONE_IN >= len(head):
                return tag
    counters = _latin_counters()
    counts = sum([counters[word] for word in frozenset(text_words) if word in counters])
    best, hits = UNKNOWN, 0
    for place, tag in enumerate(_LATIN):
        count = counts >> _COUNTER_BITS * place & (1 << _COUNTER_BITS) - 1
        if count > hits:
            best, hits = tag, count
    return best


@lru_cache(maxsize=1)
def _latin_counters() -> dict[str, int]:
    """Stop word -> a 1 in the counter of each language that has it: one sum counts for all languages."""
    counters: dict[str, int] = {}
    for place, tag in enumerate(_LATIN):
        for word in stop_words_of(tag):
            counters[word] = counters.get(word, 0) + (1 << _COUNTER_BITS * place)
    return counters
