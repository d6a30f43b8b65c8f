"""What becomes of a row: it is imported, or refused with a place, a reason code and a remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trace_core.reasons import describe

#: What a person can do about a reason code. Every code an import can give has one (a test holds it).
REMEDIES: Final[Mapping[str, str]] = {
    "empty_file": "Check the export that wrote it.",
    "not_a_log_file": "Give JSON, JSON lines, CSV or Parquet, compressed by gzip or not.",
    "damaged_file": (
        "Fetch or export the file again and import it again: rows that are stored already stay as they are."
    ),
    "missing_header": (
        "Put the column names into the first line, or name the columns in a mapping file (--mapping)."
    ),
    "wrong_number_of_columns": (
        "Quote fields that hold the separator, a quote (written twice) or a line break, then import again."
    ),
    "unequal_columns": "Export the columns again so that each has one value a row.",
    "unknown_format": "Name the format by --format, or the fields in a mapping file (--mapping).",
    "missing_logged_at": (
        "Give --logged-at for the whole file, or name the field of the time in a mapping file (logged_at)."
    ),
    "documents_hold_no_text": (
        "Join the texts by id with [texts] in a mapping file, or log the text of what was retrieved."
    ),
    "documents_missing": (
        "Name the field, or the part of the prompt that holds them, in a mapping file (documents)."
    ),
    "documents_not_a_list": (
        "Write them as a JSON list, or say how to part the text in a mapping file (documents)."
    ),
    "document_without_text": (
        "Name the field of the text in a mapping file (document_text), or log the text of each document."
    ),
    "provider_error": (
        "No answer was given. If people saw its message, map response to it; otherwise leave it out."
    ),
    "trace_out_of_window": "Sort the file by trace, or raise --trace-window.",
    "not_an_object": "Write one object with named fields a row.",
    "invalid_json": "Correct the line, or export it again.",
    "invalid_encoding": (
        "Name the encoding of the file, such as --encoding cp1252, or remove the character."
    ),
    "missing_log_id": "Name the field of the id in a mapping file (log_id).",
    "duplicate_log_id": "Keep one of the rows, or map log_id to a field that differs from row to row.",
    "invalid_logged_at": (
        "Write times as ISO 8601, as dd.mm.yyyy hh:mm:ss, or as seconds, milli-, micro- or nanoseconds"
        " since 1970."
    ),
    "missing_question": "Name its field in a mapping file (question).",
    "question_not_text": (
        'Name the path of its text in a mapping file, such as question = "input.messages.0.content".'
    ),
    "missing_response": "Name its field in a mapping file (response).",
    "response_not_text": (
        'Name the path of its text in a mapping file, such as response = "output.choices.0.text".'
    ),
    "ground_truth_not_text": "Name the path of its text in a mapping file (ground_truth).",
    "segments_not_an_object": "Name each segment's field under [segments] in a mapping file.",
    "text_too_large": "Raise the setting max_log_bytes if such logs are real.",
    "too_many_documents": "Raise the setting max_documents if such logs are real.",
}

#: What is said about rows that were imported although something about them is unusual.
NOTES: Final[Mapping[str, str]] = {
    "answer_reads_like_an_error": (
        "the answer reads like a provider's error; imported, because it is what was answered"
    ),
    "documents_are_previews": "documents are previews, perhaps cut: adherence may come out too low",
    "documents_in_one_text": (
        "the documents were one plain text; if it joins several, part them by `split` in a mapping file"
    ),
    "documents_from_the_prompt": "documents were cut out of the prompt by the mapping file",
    "id_from_content": "no id in the source: it was made from the content",
    "logged_at_given": "no time in the source: --logged-at was used",
    "metadata_left_out": "metadata was larger than 64 KB and left out",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row was: its number from 1 (0: the file as a whole) and its first line, if lines matter."""

    file: str
    row: int = 0
    line: int | None = None

    def __str__(self) -> str:
        if not self.row:
            return self.file
        line = f" (line {self.line})" if self.line and self.line != self.row else ""
        return f"{self.file}, row {self.row}{line}"


@dataclass(frozen=True, slots=True)
class Raw:
    """A row as its container held it; `value` may be of any shape."""

    place: Place
    value: Any


@dataclass(frozen=True, slots=True)
class Imported:
    """A row in rag_log's form."""

    place: Place
    row: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A row, or a whole file, that could not be imported. Holds no text of the log."""

    place: Place
    code: str
    detail: str = ""

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return REMEDIES.get(self.code, "")

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.place}: {self.code}: {describe(self.code)}{detail} {self.remedy}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """The object that a file of refusals holds."""
        return {
            "file": self.place.file,
            "row": self.place.row or None,
            "line": self.place.line,
            "reason": self.code,
            "meaning": describe(self.code),
            "detail": self.detail,
            "remedy": self.remedy,
        }
