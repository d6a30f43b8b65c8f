"""Words of a text, in any script.

The rules, in order:
1. Text is put in NFC and case-folded. Digits of any script are read as 0 to 9. Hindi spellings that occur
   side by side are read as one: without the dot below (nukta), with anusvara for candrabindu.
2. A word is a run of letters and digits with the combining marks on them; everything else separates words,
   apostrophes and hyphens included.
3. Scripts that put no spaces between words have no words to find, so runs of them are cut into overlapping
   pieces instead: of two characters for Chinese and Japanese, of three for Thai, Lao, Khmer and Burmese.
"""

import re
import unicodedata
from typing import Final

from trace_core.digests import digest

_ASCII: Final = "".join(chr(c).lower() if chr(c).isalnum() else " " for c in range(128))
_JOINERS: Final = "\u200c\u200d"  # keep Persian and Indic words whole


def _combining_marks() -> str:
    """The ranges of combining marks, written for a regular expression's character class."""
    marks = [c for c in range(0x300, 0xFE30) if unicodedata.category(chr(c))[0] == "M"]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges)


_OTHER_DIGIT: Final = re.compile(r"[^\D0-9]")
_NUKTA: Final = "\u093c"
_CANDRABINDU: Final = "\u0901"
_ANUSVARA: Final = "\u0902"
_WORD: Final = re.compile(rf"[^\W_](?:[^\W_]|[{_combining_marks()}{_JOINERS}])*")
_PAIRS: Final = (
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_TRIPLES: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED: Final = re.compile(f"[{_PAIRS}{_TRIPLES}]")
_PIECES: Final = re.compile(f"([{_PAIRS}]+)|([{_TRIPLES}]+)|([^{_PAIRS}{_TRIPLES}]+)")

#: Part of every fingerprint: the rules' version, to be raised when the code changes, and a digest of lists.
#: Combining marks are left out: they are what the Python version knows.
WORD_RULES: Final = "words-2 " + digest(
    _ASCII, _JOINERS, _OTHER_DIGIT.pattern, _NUKTA, _CANDRABINDU, _ANUSVARA, _PAIRS, _TRIPLES
)


def words(text: str) -> list[str]:
    """The words of a text in order, case-folded, repetitions kept.

    >>> words("Don't re-start the X200!")
    ['don', 't', 're', 'start', 'the', 'x200']
    >>> words("東京タワー")
    ['東京', '京タ', 'タワ', 'ワー']
    >>> words("१५० रुपये") == words("150 रुपये")
    True
    """
    if text.isascii():
        return text.translate(_ASCII).split()
    found = _WORD.findall(_folded(text))
    if not _UNSPACED.search(text):
        return found
    result: list[str] = []
    for word in found:
        if word.isascii() or not _UNSPACED.search(word):
            result.append(word)
        else:
            for match in _PIECES.finditer(word):
                result += _pieces(match)
    return result


def _folded(text: str) -> str:
    """One form for what is written in several."""
    text = unicodedata.normalize("NFC", text).casefold()
    text = text.replace(_NUKTA, "").replace(_CANDRABINDU, _ANUSVARA)
    return _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), text)


def _pieces(match: re.Match[str]) -> list[str]:
    run = match[0]
    size = 2 if match[1] else 3 if match[2] else len(run)
    if len(run) <= size:
        return [run]
    return [run[i : i + size] for i in range(len(run) - size + 1)]
