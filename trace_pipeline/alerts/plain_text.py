"""Foreign text made harmless for one line of a message.

Segment values, log ids and sentences quoted from logs are written by users of somebody's application. In a
chat, a mail or a terminal they could start a new line, call a whole channel, disguise a link or reorder what
is shown.
"""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
_AT_SIGNS = dict.fromkeys(
    map(ord, "@\uff20\ufe6b"), "(at)"
)  # full-width and small forms are mentions too, somewhere
# Each markup character becomes its full-width twin: as legible, but no service reads it as markup.
_MARKUP = {ord(character): chr(ord(character) + 0xFEE0) for character in "<>[]`*~|\\#"}
_JOINERS = "\u200c\u200d"  # words of Persian and Hindi need them, and they reorder nothing
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")  # emphasis; one between letters is a name's own
_BLANKS = re.compile(r"\s+")
_MAX_MARKS = 3  # combining marks on one letter; real languages use fewer, towers of them cover other lines
_READ_FACTOR = 8  # a text is cut before it is cleaned, so that 10 MB cost no more than a line


def one_line(text: object, limit: int) -> str:
    """Return `text` as one harmless line of at most `limit` characters (limit >= 1), cut with an ellipsis.

    Newlines and controls become a blank, invisible and direction-changing characters vanish, lone surrogates
    become U+FFFD, `@` is spelled (at), markup characters become their full-width twins, `://` is parted.
    """
    raw = str(text)
    cleaned = _without_controls(raw[: limit * _READ_FACTOR])
    cleaned = _ENTITY.sub("\uff06", cleaned).translate(_AT_SIGNS).translate(_MARKUP)
    cleaned = _EDGE_UNDERSCORE.sub(lambda match: "\uff3f" * len(match[0]), cleaned)
    cleaned = cleaned.replace("://", ": //")  # no link, so nobody's preview service fetches it either
    cleaned = _BLANKS.sub(" ", cleaned).strip()
    if len(cleaned) > limit or len(raw) > limit * _READ_FACTOR:
        return cleaned[: limit - 1].rstrip() + ELLIPSIS
    return cleaned


def _without_controls(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > _MAX_MARKS:
            continue
        if category in ("Cc", "Zl", "Zp", "Zs"):
            kept.append(" ")
        elif category == "Cs":
            kept.append("\ufffd")
        elif category not in ("Cf", "Cn") or character in _JOINERS:
            kept.append(character)
    return "".join(kept)
