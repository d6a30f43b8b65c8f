"""The text of one log with the sentences of one scorer marked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from trace_core.annotation import Annotation
from trace_core.document_use import document_name
from trace_core.keys import document_key, response_key
from trace_core.records import Limits, Log
from trace_core.scorers.base import LogSentences
from trace_pipeline.pages.log_view import ScoredBy
from trace_pipeline.pages.marked import Mark, MarkedDocument, MarkedText, Window, mark_text
from trace_pipeline.pages.source_log import find_entry, read_log, sentences_of
from trace_pipeline.source import Source

DOCUMENTS: Final = 20
_DOCUMENT_WINDOW: Final = 4_000
_RESPONSE_WINDOW: Final = 20_000
_SHORT_TEXT: Final = 4_000  # of question and ground truth
PART_WINDOW: Final = 100_000


@dataclass(frozen=True, slots=True)
class LogText:
    """The text of a log as the source has it.

    notice: a sentence when text and marks do not belong together. count: of all documents, not only these.
    """

    question: MarkedText
    response: MarkedText
    documents: tuple[MarkedDocument, ...]
    count: int
    ground_truth: MarkedText | None
    notice: str = ""


def read_text(
    connection: Connection,
    source: Source,
    limits: Limits,
    scored: ScoredBy,
    logged_at: datetime,
    *,
    first_document: int = 0,
) -> LogText | str:
    """Return the log's text with the marks of one scorer, or a sentence that says why there is none."""
    log_id = scored.evaluation.log_id
    entry = find_entry(connection, source, logged_at, log_id, scored.input_hash)
    if entry is None:
        return "The log is no longer in the source. What was stored of it is shown below."
    log = read_log(connection, source, limits, entry)
    if not isinstance(log, Log):
        return f"{log} What was stored of it is shown below."
    sentences = sentences_of(scored.scorer, log)
    notice = _notice(entry.input_hash == scored.input_hash, scored.evaluation.annotation, sentences)
    marks = Marks(None if notice else scored.evaluation.annotation)
    shown = range(len(log.documents))[first_document : first_document + DOCUMENTS]
    return LogText(
        question=mark_text(log.question, (), {}, Window(0, _SHORT_TEXT)),
        response=mark_text(
            log.response, sentences.response, marks.response(sentences), Window(0, _RESPONSE_WINDOW)
        ),
        documents=tuple(
            _document(log, number, sentences, marks, Window(0, _DOCUMENT_WINDOW)) for number in shown
        ),
        count=len(log.documents),
        ground_truth=None
        if log.ground_truth is None
        else mark_text(log.ground_truth, (), {}, Window(0, _SHORT_TEXT)),
        notice=notice,
    )


def read_part(
    connection: Connection,
    source: Source,
    limits: Limits,
    scored: ScoredBy,
    logged_at: datetime,
    *,
    part: str,
    start: int,
) -> MarkedText | str:
    """Return a stretch of a text: question, response, ground_truth, or d0, d1 ... for a document."""
    entry = find_entry(connection, source, logged_at, scored.evaluation.log_id, scored.input_hash)
    if entry is None:
        return "The log is no longer in the source."
    log = read_log(connection, source, limits, entry)
    if not isinstance(log, Log):
        return log
    window = Window(start, PART_WINDOW)
    plain = {"question": log.question, "ground_truth": log.ground_truth}.get(part)
    if plain is not None:
        return mark_text(plain, (), {}, window)
    sentences = sentences_of(scored.scorer, log)
    notice = _notice(entry.input_hash == scored.input_hash, scored.evaluation.annotation, sentences)
    marks = Marks(None if notice else scored.evaluation.annotation)
    if part == "response":
        return mark_text(log.response, sentences.response, marks.response(sentences), window)
    number = int(part[1:]) if part[:1] == "d" and part[1:].isdecimal() and len(part) < 9 else -1
    if not 0 <= number < len(log.documents):
        return "The log has no such part."
    return _document(log, number, sentences, marks, window).text


class Marks:
    """The marks of an annotation, by the number of a sentence; none without an annotation."""

    def __init__(self, annotation: Annotation | None) -> None:
        self.annotation = annotation or Annotation((), ())
        self.relevant = set(self.annotation.relevant_keys)
        self.utilized = set(self.annotation.utilized_keys)
        self.unsupported = set(self.annotation.unsupported_keys)
        self.supports: dict[str, list[str]] = {}
        for entry in self.annotation.support:
            for key in entry.supporting_keys:
                self.supports.setdefault(key, []).append(entry.key)

    def response(self, sentences: LogSentences) -> dict[int, Mark]:
        """Return the marks of the response."""
        support = {entry.key: entry for entry in self.annotation.support}
        known = set(self.annotation.response_sentence_keys)
        found = {}
        for at in range(len(sentences.response)):
            key = response_key(at)
            entry = support.get(key)
            if key in known:
                kind = "unsupported" if key in self.unsupported else "supported"
                links = entry.supporting_keys if entry else ()
                reason = entry.reason if entry else ""
                found[at] = Mark(key, (kind,), links, reason, entry.probability if entry else None)
        return found

    def document(self, number: int, sentences: LogSentences) -> dict[int, Mark]:
        """Return the marks of a document."""
        if number >= len(self.annotation.document_sentence_counts):
            return {}
        found = {}
        for at in range(len(sentences.documents[number])):
            key = document_key(number, at)
            kinds = [
                name
                for name, keys in (("relevant", self.relevant), ("utilized", self.utilized))
                if key in keys
            ]
            found[at] = Mark(key, tuple(kinds), tuple(self.supports.get(key, ())))
        return found


def _document(log: Log, number: int, sentences: LogSentences, marks: Marks, window: Window) -> MarkedDocument:
    document = log.documents[number]
    placed = marks.document(number, sentences)
    counts = {kind: sum(kind in mark.kinds for mark in placed.values()) for kind in ("relevant", "utilized")}
    text = mark_text(document.text, sentences.documents[number], placed, window)
    return MarkedDocument(number, document_name(document), text, counts)


def _notice(same: bool, annotation: Annotation | None, sentences: LogSentences) -> str:
    if not same:
        return (
            "The log has changed since it was scored: the text is today's, the scores are of another one, "
            "so no sentence is marked."
        )
    if annotation is None:
        return "No sentence marks are stored for this log and scorer."
    counts = tuple(len(found) for found in sentences.documents)
    if (
        len(sentences.response) != len(annotation.response_sentence_keys)
        or counts != annotation.document_sentence_counts
    ):
        return (
            "This release splits the text into other sentences than the scorer did, so no sentence is marked."
        )
    return ""
