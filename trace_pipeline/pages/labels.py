"""Labels: the one thing that people write on the pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from trace_core.errors import BadInput
from trace_pipeline.pages.log_filter import is_storable
from trace_pipeline.pages.log_view import scored_by
from trace_pipeline.sqlfiles import query

VERDICTS: Final = ("supported", "unsupported", "unsure")
LONGEST_NOTE: Final = 2_000
LONGEST_NAME: Final = 200
SENTENCE_KEY: Final = re.compile(r"[a-z]{1,8}")


@dataclass(frozen=True, slots=True)
class NewLabel:
    """A verdict to be kept; an empty `sentence_key` means the whole response.

    is_drawn: the labelling queue asked for the log.
    """

    log_id: str
    logged_at: datetime
    sentence_key: str
    verdict: str
    note: str
    labelled_by: str
    labelled_at: datetime
    is_drawn: bool = False


def write_label(connection: Connection, label: NewLabel) -> int:
    """Keep a verdict; the person's earlier one on the same sentence is replaced. Returns the label's number.

    Raises BadInput (unknown_verdict, invalid_note, unknown_person, unknown_log, unknown_sentence) with a
    sentence in `detail`.
    """
    if label.verdict not in VERDICTS:
        raise BadInput("unknown_verdict", f"A verdict is one of {', '.join(VERDICTS)}.")
    if len(label.note) > LONGEST_NOTE or not is_storable(label.note):
        raise BadInput("invalid_note", f"A note has at most {LONGEST_NOTE:,} characters, and no NUL.")
    if not 0 < len(label.labelled_by) <= LONGEST_NAME or not is_storable(label.labelled_by):
        raise BadInput("unknown_person", "Your account has no usable name.")
    scored = scored_by(connection, label.logged_at, label.log_id) if is_storable(label.log_id) else []
    if not scored:
        raise BadInput("unknown_log", "No scorer knows this log.")
    keys = {
        key
        for one in scored
        if one.evaluation.annotation
        for key in one.evaluation.annotation.response_sentence_keys
    }
    key = label.sentence_key
    if key and (not SENTENCE_KEY.fullmatch(key) or key not in keys):
        raise BadInput("unknown_sentence", "The response has no such sentence.")
    return int(connection.execute(query("write_label"), _columns(label, scored[0].input_hash)).scalar_one())


def _columns(label: NewLabel, input_hash: str) -> dict[str, object]:
    return {
        "log_id": label.log_id,
        "logged_at": label.logged_at,
        "level": "sentence" if label.sentence_key else "response",
        "sentence_key": label.sentence_key or None,
        "kind": "adherence",
        "verdict": label.verdict,
        "note": label.note,
        "labelled_by": label.labelled_by,
        "labelled_at": label.labelled_at,
        "source": "ui",
        "drawn": label.is_drawn,
        "input_hash": input_hash,
    }
