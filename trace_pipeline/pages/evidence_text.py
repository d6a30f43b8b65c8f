"""Texts of evidence logs: the sentences to read, taken from the source, bounded, and never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from trace_core.annotation import Annotation
from trace_core.errors import BadInput
from trace_core.keys import document_key, response_key
from trace_core.records import Limits, parse_log
from trace_core.scorers import Scorer
from trace_core.scorers.base import LogSentences
from trace_pipeline.pages.evidence import EvidenceLog, ShownSentence
from trace_pipeline.pages.source_log import find_entry
from trace_pipeline.source import Source

SENTENCES = 3
LONGEST_SENTENCE = 400
LONGEST_QUESTION = 300
# A larger log is shown by its own page only: five of them must not hold up this one.
MOST_BYTES = 500_000


def with_text(
    connection: Connection, source: Source, limits: Limits, scorer: Scorer, metric: str, log: EvidenceLog
) -> EvidenceLog:
    """Return the log with question and sentences, or with `missing`, which says why there are none."""
    entry = find_entry(connection, source, log.logged_at, log.log_id, log.input_hash)
    if entry is None:
        return replace(log, missing="It is no longer in the source.")
    if entry.input_hash != log.input_hash:
        return replace(log, missing="Its content has changed since it was scored.")
    if entry.byte_length > MOST_BYTES:
        return replace(log, missing="It is too large to be shown here; open it.")
    row = source.texts(connection, [entry]).get(entry)
    if row is None:
        return replace(log, missing="It is no longer in the source.")
    try:
        parsed = parse_log(row, limits)
    except BadInput as refusal:
        return replace(log, missing=f"It cannot be read: {refusal.code}.")
    texts = scorer.sentences(parsed)
    kind, sentences = _sentences(texts, log.annotation, metric)
    return replace(
        log,
        kind=kind,
        question=cut(parsed.question, LONGEST_QUESTION),
        sentences=tuple(sentences[:SENTENCES]),
        more=max(0, len(sentences) - SENTENCES),
    )


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, with an ellipsis where it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _sentences(
    texts: LogSentences, annotation: Annotation | None, metric: str
) -> tuple[str, list[ShownSentence]]:
    """Return what the sentences are and all of them: those that made the metric low, else the response's."""
    if annotation is not None and metric == "completeness":
        left_out = set(annotation.relevant_keys) - set(annotation.utilized_keys)
        found = [
            ShownSentence(key, cut(text, LONGEST_SENTENCE), "")
            for number, document in enumerate(texts.documents)
            for position, text in enumerate(document)
            if (key := document_key(number, position)) in left_out
        ]
        if found:
            return "left_out", found
    if annotation is not None and annotation.unsupported_keys:
        reasons = {entry.key: entry.reason for entry in annotation.support}
        found = _of_response(texts.response, set(annotation.unsupported_keys), reasons)
        if found:
            return "unsupported", found
    return "response", _of_response(texts.response, None, {})


def _of_response(
    response: Sequence[str], wanted: set[str] | None, reasons: dict[str, str]
) -> list[ShownSentence]:
    keys = [response_key(position) for position in range(len(response))]
    return [
        ShownSentence(key, cut(text, LONGEST_SENTENCE), reasons.get(key, ""))
        for key, text in zip(keys, response, strict=True)
        if wanted is None or key in wanted
    ]
