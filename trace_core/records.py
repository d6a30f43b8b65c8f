"""Logs of a RAG system as plain records, and the reading of untrusted input into them.

`parse_log` takes whatever a JSON reader or a database driver returns and gives a `Log` or raises `BadInput`
with a reason code; it raises nothing else.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from trace_core.errors import BadInput
from trace_core.segments import parse_segments
from trace_core.texts import check_text, decode_json
from trace_core.timestamps import parse_logged_at

__all__ = [
    "Document",
    "Limits",
    "Log",
    "parse_documents",
    "parse_log",
    "parse_log_line",
    "parse_logged_at",
]

_MAX_LOG_ID_CHARACTERS: Final = 500  # fits a database index whatever the script


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved document; `sentences`, when given, are kept as they are instead of splitting `text`."""

    text: str
    id: str | None = None
    sentences: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """One logged answer: what was asked, what was retrieved and what was said."""

    log_id: str
    question: str
    documents: tuple[Document, ...]
    response: str
    ground_truth: str | None = None
    segments: Mapping[str, str] = field(default_factory=dict)
    response_sentences: tuple[str, ...] | None = None

    @property
    def language(self) -> str | None:
        """The `language` segment, as logged."""
        return self.segments.get("language")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a log may hold before it is put aside instead of scored.

    max_log_bytes: UTF-8 bytes of question, documents, response and ground truth together.
    max_documents: number of retrieved documents.
    document_text_fields: where an object holds its text, the first present one wins.
    """

    max_log_bytes: int = 4_000_000
    max_documents: int = 1_000
    document_text_fields: tuple[str, ...] = ("text", "content", "page_content")


def parse_log(raw: Mapping[str, object], limits: Limits = Limits()) -> Log:
    """Read one raw row (keys are `rag_log`'s columns) into a `Log`, or raise `BadInput`."""
    if not isinstance(raw, Mapping):
        raise BadInput("not_an_object", type(raw).__name__)
    log_id = _log_id(raw.get("log_id"))
    budget = _Budget(limits.max_log_bytes)
    question = budget.take(_required_text(raw.get("question"), "question"), "question")
    response = budget.take(_required_text(raw.get("response"), "response"), "response")
    if not question.strip():
        raise BadInput("missing_question", "blank")
    documents = parse_documents(raw.get("documents"), limits, budget)
    ground_truth = raw.get("ground_truth")
    if ground_truth is not None:
        if not isinstance(ground_truth, str):
            raise BadInput("ground_truth_not_text", type(ground_truth).__name__)
        ground_truth = budget.take(ground_truth, "ground_truth")
    return Log(
        log_id=log_id,
        question=question,
        documents=documents,
        response=response,
        ground_truth=ground_truth,
        segments=parse_segments(raw.get("segments")),
        response_sentences=_sentences(raw.get("response_sentences"), "response_sentences"),
    )


def parse_log_line(line: str | bytes) -> Mapping[str, object]:
    """Read one JSON line; `BadInput` with `invalid_encoding`, `invalid_json` or `not_an_object`."""
    if isinstance(line, bytes):
        try:
            line = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput("invalid_encoding", f"byte {error.start}") from None
    value = decode_json(line, "invalid_json")
    if not isinstance(value, dict):
        raise BadInput("not_an_object", type(value).__name__)
    return value


class _Budget:
    """The bytes a log may still take; counting doubles as the check that a text can be encoded at all."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0

    def take(self, text: str, place: str) -> str:
        if self.used + len(text) > self.limit:  # a character is at least a byte: refuse before encoding
            raise BadInput("text_too_large", f"more than {self.limit} bytes at {place}")
        self.used += check_text(text, place)
        if self.used > self.limit:
            raise BadInput("text_too_large", f"more than {self.limit} bytes at {place}")
        return text


def _log_id(value: object) -> str:
    if isinstance(value, bool) or value is None:
        raise BadInput("missing_log_id", type(value).__name__)
    if isinstance(value, Decimal):
        # Decimal("1e999999") would become a million digits long as an int: look at the exponent first.
        if not value.is_finite() or value.adjusted() > 40 or value != value.to_integral_value():
            raise BadInput("missing_log_id", "a number that is not whole")
        value = int(value)
    if isinstance(value, int):
        if value.bit_length() > 140:
            raise BadInput("missing_log_id", "a number of over 40 digits")
        value = str(int(value))
    if isinstance(value, uuid.UUID):
        value = str(value)
    if not isinstance(value, str):
        raise BadInput("missing_log_id", type(value).__name__)
    if not value.strip():
        raise BadInput("missing_log_id", "blank")
    if len(value) > _MAX_LOG_ID_CHARACTERS:
        raise BadInput("missing_log_id", f"longer than {_MAX_LOG_ID_CHARACTERS} characters")
    check_text(value, "log_id")
    return value


def _required_text(value: object, name: str) -> str:
    if value is None:
        raise BadInput(f"missing_{name}")
    if not isinstance(value, str):
        raise BadInput(f"{name}_not_text", type(value).__name__)
    return value


def parse_documents(
    value: object,
    limits: Limits = Limits(),
    budget: _Budget | None = None,
) -> tuple[Document, ...]:
    """Read a list of texts or objects, or a JSON text of such a list; raise `BadInput` otherwise."""
    budget = budget or _Budget(limits.max_log_bytes)
    if isinstance(value, str):
        if len(value) > 6 * limits.max_log_bytes:  # JSON may write a character as six
            raise BadInput("text_too_large", f"more than {limits.max_log_bytes} bytes at documents")
        value = decode_json(value, "documents_not_a_list")
    if value is None:
        raise BadInput("documents_missing")
    if not isinstance(value, list | tuple):
        raise BadInput("documents_not_a_list", type(value).__name__)
    if len(value) > limits.max_documents:
        raise BadInput("too_many_documents", f"{len(value)} of at most {limits.max_documents}")
    return tuple(_document(item, f"documents[{i}]", limits, budget) for i, item in enumerate(value))


def _document(item: object, place: str, limits: Limits, budget: _Budget) -> Document:
    if isinstance(item, str):
        return Document(budget.take(item, place))
    if isinstance(item, Document):
        item = {"text": item.text, "id": item.id, "sentences": item.sentences}
        limits = Limits(document_text_fields=("text",))
    if not isinstance(item, Mapping):
        raise BadInput("document_without_text", f"{place} is {type(item).__name__}")
    text = next((item[name] for name in limits.document_text_fields if item.get(name) is not None), None)
    if not isinstance(text, str):
        raise BadInput("document_without_text", f"{place} has no text in {limits.document_text_fields}")
    identifier = item.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool) and identifier.bit_length() <= 140:
        identifier = str(int(identifier))
    if isinstance(identifier, str):
        check_text(identifier, f"{place}.id")
    return Document(
        budget.take(text, place),
        identifier if isinstance(identifier, str) else None,
        _sentences(item.get("sentences"), place),
    )


def _sentences(value: object, place: str) -> tuple[str, ...] | None:
    """Sentences a log brings along; a field of that name with another shape means something else."""
    if not isinstance(value, list | tuple) or not value or not all(isinstance(s, str) for s in value):
        return None
    for sentence in value:
        check_text(sentence, f"{place} sentences")
    return tuple(value)
