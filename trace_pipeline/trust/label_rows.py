"""Rows of a file as labels: names of columns, words for verdicts, and why a row is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from trace_core.errors import BadInput
from trace_pipeline.importers.times import read_time
from trace_pipeline.pages.labels import LONGEST_NAME, LONGEST_NOTE, SENTENCE_KEY
from trace_pipeline.pages.log_filter import is_storable

#: Names of columns, the first with a value wins; small and capital letters, spaces and hyphens are alike.
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "log_id": ("log_id", "id"),
    "logged_at": ("logged_at", "timestamp"),
    "sentence_key": ("sentence_key", "sentence"),
    "level": ("level",),
    "verdict": ("verdict", "label", "adherence"),
    "note": ("note", "comment"),
    "labelled_by": ("labelled_by", "labeled_by", "labeller", "labeler", "annotator"),
    "labelled_at": ("labelled_at", "labeled_at", "annotated_at"),
    "drawn": ("drawn",),
}

#: Words for verdicts. "true" and "1" say that the documents bear the answer out.
VERDICT_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "supported": tuple("supported true 1 yes y grounded faithful adherent".split()),
    "unsupported": (
        *"unsupported false 0 no n ungrounded unfaithful hallucinated hallucination".split(),
        "not supported",
        "not grounded",
        "not adherent",
    ),
    "unsure": (*"unsure unknown unclear maybe skip".split(), "n/a", "?"),
}
_LONGEST_ID: Final = 500
_VERDICT_OF: Final = {word: verdict for verdict, words in VERDICT_WORDS.items() for word in words}
_TRUTHS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

#: Why a row is refused: its code and a sentence.
LABEL_REASONS: Final[Mapping[str, str]] = {
    "not_an_object": "The row is not an object with named fields.",
    "invalid_text": "A field holds a NUL character or bytes that are not UTF-8.",
    "missing_log_id": "The row names no log.",
    "invalid_logged_at": "logged_at is not a point in time.",
    "unknown_log": "No scorer knows this log.",
    "ambiguous_log": "Several logs have this id: give logged_at.",
    "missing_verdict": "The row has no verdict.",
    "unknown_verdict": "The verdict is none of the words that docs/how-to/label.md lists.",
    "invalid_sentence_key": "A sentence key is one to eight small letters, such as b.",
    "level_contradicts_key": "level must be response without a sentence key, and sentence with one.",
    "unknown_sentence": "The response has no sentence of this key.",
    "note_too_long": f"A note has at most {LONGEST_NOTE:,} characters.",
    "missing_labelled_by": "The row names no person: give --labelled-by.",
    "invalid_labelled_by": f"A person's name has at most {LONGEST_NAME} characters.",
    "missing_labelled_at": "The row does not say when it was labelled: give --labelled-at.",
    "invalid_labelled_at": "labelled_at is not a point in time.",
    "labelled_in_the_future": "labelled_at lies more than a day ahead and would outlast later verdicts.",
    "invalid_drawn": "drawn must be true or false.",
}


@dataclass(frozen=True, slots=True)
class LabelDefaults:
    """What the rows do not say. latest: no label may be later."""

    latest: datetime
    labelled_by: str = ""
    labelled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label of a file. logged_at: None where it does not say; sentence_key: None for the whole response."""

    log_id: str
    logged_at: datetime | None
    sentence_key: str | None
    verdict: str
    note: str
    labelled_by: str
    labelled_at: datetime
    drawn: bool


def read_label(value: Any, defaults: LabelDefaults) -> LabelRow:
    """Return a row as a label; BadInput with a code of LABEL_REASONS otherwise."""
    if not isinstance(value, Mapping):
        raise BadInput("not_an_object")
    given = {re.sub(r"[\s-]+", "_", str(name).strip().lower()): item for name, item in value.items()}
    row = {name: _first(given, names) for name, names in COLUMNS.items()}
    log_id = _text(row["log_id"])
    if not log_id:
        raise BadInput("missing_log_id")
    if len(log_id) > _LONGEST_ID:
        raise BadInput("unknown_log")
    note = _text(row["note"])
    if len(note) > LONGEST_NOTE:
        raise BadInput("note_too_long")
    labelled_by = _text(row["labelled_by"]) or defaults.labelled_by
    if not labelled_by:
        raise BadInput("missing_labelled_by")
    if len(labelled_by) > LONGEST_NAME:
        raise BadInput("invalid_labelled_by")
    return LabelRow(
        log_id,
        _time(row["logged_at"], "invalid_logged_at"),
        _sentence_key(row["sentence_key"], _text(row["level"]).lower()),
        _verdict(row["verdict"]),
        note,
        labelled_by,
        _labelled_at(row["labelled_at"], defaults),
        _drawn(row["drawn"]),
    )


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((given[name] for name in names if given.get(name) not in (None, "")), None)


def _text(value: Any) -> str:
    """Return a value as text, without the apostrophe that keeps a spreadsheet from running it."""
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise BadInput("invalid_text", "neither text nor number")
    try:
        text = str(value).strip()
    except ValueError:  # a whole number of more digits than Python prints
        raise BadInput("invalid_text", "a number of too many digits") from None
    if not is_storable(text):
        raise BadInput("invalid_text")
    return text[1:] if re.match(r"'[=+\-@]", text) else text


def _time(value: Any, code: str) -> datetime | None:
    if value is None:
        return None
    try:
        return read_time(value, ZoneInfo("UTC"))
    except BadInput:
        raise BadInput(code) from None


def _labelled_at(value: Any, defaults: LabelDefaults) -> datetime:
    found = _time(value, "invalid_labelled_at") or defaults.labelled_at
    if found is None:
        raise BadInput("missing_labelled_at")
    if found > defaults.latest:
        raise BadInput("labelled_in_the_future")
    return found


def _sentence_key(value: Any, level: str) -> str | None:
    key = _text(value)
    if key and not SENTENCE_KEY.fullmatch(key):
        raise BadInput("invalid_sentence_key")
    if level and level != ("sentence" if key else "response"):
        raise BadInput("level_contradicts_key")
    return key or None


def _verdict(value: Any) -> str:
    word = _word(value)
    if not word:
        raise BadInput("missing_verdict")
    if word not in _VERDICT_OF:
        raise BadInput("unknown_verdict")
    return _VERDICT_OF[word]


def _drawn(value: Any) -> bool:
    word = _word(value)
    if word and word not in _TRUTHS:
        raise BadInput("invalid_drawn")
    return _TRUTHS.get(word, False)


def _word(value: Any) -> str:
    """Return a value as a word: 1.0, which spreadsheets write, is 1."""
    word = " ".join(_text(value).lower().replace("_", " ").replace("-", " ").split())
    return word.removesuffix(".0") if word in ("1.0", "0.0") else word
