"""Words that carry no content of their own, by language."""

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import version
from typing import Final

from stop_words import LANGUAGE_MAPPING, StopWordError, get_stop_words

from trace_core.digests import digest
from trace_core.words import words

#: English function words. The package's English list holds 1,300 words, "computer" and "system" among them.
_ENGLISH: Final = """
a about above after again against all also although am an and any are as at be because been before being
below between both but by can cannot could did do does doing done down during each either else etc ever
every few for from further get gets got had has have having he her here hers herself him himself his how
however i if in into is it its itself just let like may me might more most much must my myself no nor not
now of off on once one only or other otherwise our ours ourselves out over own per please quite rather same
shall she should since so some such than that the their theirs them themselves then there therefore these
they this those through thus to too under until up upon us very was we were what when where whether which
while who whom whose why will with within without would yes yet you your yours yourself yourselves s t d ll
m re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn ain
"""

#: Part of every fingerprint.
STOP_WORD_RULES: Final = f"stop-1 stop-words-{version('stop-words')} {digest(_ENGLISH)}"


@lru_cache(maxsize=128)
def stop_words_of(language: str) -> frozenset[str]:
    """The stop words of a language tag, cut like every other text; empty for a language without a list."""
    if language == "en":
        return frozenset(_ENGLISH.split())
    if language not in LANGUAGE_MAPPING:
        return frozenset()
    try:
        listed: Iterable[str] = get_stop_words(language)
    except StopWordError:
        return frozenset()
    return frozenset(word for entry in listed for word in words(entry))
