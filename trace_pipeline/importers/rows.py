"""A foreign row as a row of rag_log, checked by the same reader that the night uses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from trace_core.errors import BadInput
from trace_core.ragbench import is_ragbench
from trace_core.records import Limits, parse_log
from trace_core.segments import parse_segments
from trace_pipeline.importers.documents import Documents
from trace_pipeline.importers.known_names import FLAT, SEGMENTS, Names
from trace_pipeline.importers.literals import looks_written, read_literal
from trace_pipeline.importers.mapping import Mapped
from trace_pipeline.importers.messages import (
    answer_of,
    ends_with_an_answer,
    question_of,
    reads_like_an_error,
    unquoted,
)
from trace_pipeline.importers.times import is_blank, read_time
from trace_pipeline.importers.trulens import recorded_contexts
from trace_pipeline.importers.values import at_path, cleaned, first_of, weight

_MAX_METADATA: Final = 64_000
#: What pandas and JavaScript write into a text column for no text. Not "None": it may be an answer.
_NOT_GIVEN: Final = frozenset(("nan", "NaN", "null", "\\N"))
#: Keys that hold the texts of a log in some other form: they would be stored twice.
_NO_METADATA: Final = frozenset(
    "segments labels spans documents_sentences response_sentences input output inputs outputs gen_ai llm"
    " retrieval reranker openinference error".split()
)
#: What a joined trace offers (see spans.py).
_TRACE: Final = Names(
    ("question",),
    ("documents",),
    ("response",),
    ("ground_truth", "metadata.ground_truth"),
    ("log_id",),
    ("logged_at",),
)


@dataclass(frozen=True)
class RowReader:
    """Reads rows of one format; `zone`: of zoneless times, `logged_at`: the time of rows without one."""

    format: str
    mapped: Mapped
    documents: Documents
    zone: ZoneInfo
    logged_at: datetime | None
    limits: Limits

    def read(self, row: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return a row in rag_log's form and notes about it. Raises BadInput and nothing else."""
        try:
            return self._read(row)
        except RecursionError:
            raise BadInput("not_an_object", "nested too deep") from None

    def _read(self, row: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
        if not isinstance(row, Mapping):
            raise BadInput("not_an_object", type(row).__name__)
        trace = self.format not in FLAT or "spans" in row
        names = _TRACE if trace else FLAT[self.format]
        question = self._text(row, "question", names.question)
        response = self._text(row, "response", names.response)
        if response is None and ends_with_an_answer(asked := first_of(row, names.question)):
            response = answer_of(asked)  # a conversation of Ragas: its last message is the answer
        documents, notes = self._documents(row, names)
        if response is None and (row.get("error") or str(row.get("status")).lower() == "error"):
            raise BadInput("provider_error", "no answer, but an error")
        if documents is None and trace and response is not None:
            raise BadInput("documents_missing", "no retrieval among the spans of this trace")
        notes += ("answer_reads_like_an_error",) if reads_like_an_error(response) else ()
        moment, given = self._time(row, names)
        notes += ("logged_at_given",) if given else ()
        made: dict[str, Any] = {
            "log_id": self._id(row, names),
            "logged_at": moment,
            "question": question,
            "documents": self._named(documents),
            "response": response,
            "ground_truth": self._ground_truth(row, names),
            "segments": self._segments(row, names),
        }
        if made["log_id"] is None:
            notes += ("id_from_content",)
            made["log_id"] = _content_id(made, timed=not given)
        log = parse_log(made, self.limits)
        made["log_id"] = log.log_id
        made["documents"] = cleaned(made["documents"])  # sentences of another shape were not looked at
        metadata = _metadata(row, names, self.mapped)
        if metadata is None:
            notes += ("metadata_left_out",)
        made["metadata"] = {**(metadata or {}), **({"import_notes": list(notes)} if notes else {})}
        return made, notes

    def _text(self, row: Mapping[str, Any], name: str, paths: tuple[str, ...]) -> Any:
        mapped = getattr(self.mapped, name)
        if mapped and (found := first_of(row, mapped)) is not None:
            return question_of(found) if name == "question" else answer_of(found)
        found = first_of(row, paths)
        if self.format == "native" or (isinstance(found, str) and found in _NOT_GIVEN):
            return None if self.format != "native" else found
        if self.format not in FLAT or self.format == "trulens":
            found = unquoted(found)
        return question_of(found) if name == "question" else answer_of(found)

    def _documents(self, row: Mapping[str, Any], names: Names) -> tuple[Any, tuple[str, ...]]:
        mapped = self.mapped.documents_in(row)
        if mapped is not None:
            found, notes = self.documents.read(mapped)
            cut = not isinstance(self.mapped.documents, tuple)
            return found, (*notes, *(("documents_from_the_prompt",) if cut else ()))
        if (
            self.format in ("native", "ragbench")
            and is_ragbench(row)
            and isinstance(row.get("documents"), list)
        ):
            return _ragbench_documents(row), ()
        given = first_of(row, names.documents)
        if given is None and self.format == "trulens":
            given = recorded_contexts(row)
        found, notes = self.documents.read(given, first_of(row, names.document_ids))
        if self.format == "native" and isinstance(first_of(row, names.documents), list) and found:
            found = [
                _with_sentences(made, given) for made, given in zip(found, row["documents"], strict=False)
            ]
        return found, notes

    def _named(self, documents: Any) -> Any:
        """Put a document's text where the night looks for it (source.document_text_fields)."""
        fields = self.limits.document_text_fields
        if "text" in fields or not isinstance(documents, list):
            return documents
        return [
            {fields[0]: item["text"], **{k: v for k, v in item.items() if k != "text"}}
            if isinstance(item, dict) and "text" in item
            else item
            for item in documents
        ]

    def _ground_truth(self, row: Mapping[str, Any], names: Names) -> Any:
        found = first_of(row, (*self.mapped.ground_truth, *names.ground_truth))
        if isinstance(found, list | tuple):
            found = next((item for item in found if isinstance(item, str)), None)
        return found if self.format == "native" else answer_of(found)

    def _time(self, row: Mapping[str, Any], names: Names) -> tuple[datetime, bool]:
        found = first_of(row, (*self.mapped.logged_at, *names.logged_at))
        if is_blank(found) and self.logged_at is not None:
            return self.logged_at, True
        return read_time(found, self.zone), False

    def _id(self, row: Mapping[str, Any], names: Names) -> Any:
        if self.mapped.log_id:
            found = first_of(row, self.mapped.log_id)
            if found is None:
                raise BadInput("missing_log_id", "not where the mapping file says")
            return found
        if is_ragbench(row) and "log_id" not in row:
            parts = (row.get("dataset_name"), row.get("id"), row.get("generation_model_name"))
            return "/".join(str(part) for part in parts if part is not None) or None
        found = first_of(row, names.log_id)
        if isinstance(found, float) and found.is_integer():
            return str(int(found))  # pandas makes whole numbers fractions where one is missing
        return found if found != "" else None

    def _segments(self, row: Mapping[str, Any], names: Names) -> dict[str, str]:
        given = row.get("segments")
        if isinstance(given, str) and looks_written(given):
            try:
                given = read_literal(given)
            except ValueError:
                raise BadInput("segments_not_an_object", "neither JSON nor a Python dict") from None
        labels = row.get("labels")
        found: dict[str, Any] = (
            dict(parse_segments(given)) if self.format == "native" or given is not None else {}
        )
        for name in (*SEGMENTS, *names.segments):
            if (
                name not in found
                and (value := first_of(row, (*names.segments.get(name, ()), *SEGMENTS.get(name, ()))))
                is not None
            ):
                found[name] = value
        if isinstance(labels, Mapping):
            found |= {key: value for key, value in labels.items() if isinstance(value, str | int | float)}
        for name, paths in self.mapped.segments.items():
            if (value := first_of(row, paths)) is not None:
                found[name] = value
        return dict(parse_segments({key: cleaned(value) for key, value in found.items()}))


def _content_id(made: Mapping[str, Any], *, timed: bool) -> str:
    """Return an id that the same content always gets; a ground truth that arrives later keeps it."""
    moment = made["logged_at"].isoformat() if timed else None
    content = [moment, made["question"], made["documents"], made["response"]]
    text = json.dumps(cleaned(content), ensure_ascii=False, sort_keys=True)
    return "content-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _ragbench_documents(row: Mapping[str, Any]) -> list[Any]:
    try:
        return [
            {"text": text, "sentences": [sentence[1] for sentence in sentences]}
            for text, sentences in zip(row["documents"], row["documents_sentences"], strict=True)
        ]
    except (TypeError, KeyError, IndexError, ValueError) as error:
        raise BadInput("document_without_text", f"RAGBench columns: {type(error).__name__}") from None


def _with_sentences(made: Any, given: Any) -> Any:
    sentences = given.get("sentences") if isinstance(given, Mapping) else None
    if not isinstance(made, dict) or not isinstance(sentences, list):
        return made
    return {**made, "sentences": sentences} if all(isinstance(item, str) for item in sentences) else made


def _metadata(row: Mapping[str, Any], names: Names, mapped: Mapped) -> dict[str, Any] | None:
    """Return what is left of a row, made safe to store; None when it is more than a log's metadata may be."""
    parts = mapped.documents if isinstance(mapped.documents, tuple) else mapped.documents.path
    paths = (
        *(names.question + names.documents + names.response + names.ground_truth + names.log_id),
        *(names.logged_at + mapped.question + mapped.response + mapped.ground_truth + parts),
    )
    used = {path.split(".")[0] for path in paths} | _NO_METADATA
    own = row.get("metadata")
    own = at_path({"m": own}, "m") if not isinstance(own, Mapping) else own
    left = {
        key: item
        for key, item in row.items()
        if key not in used and key != "metadata" and item not in (None, "", [], {})
    }
    if isinstance(own, Mapping):
        left |= own
    elif own not in (None, ""):
        left["metadata"] = own
    if weight(left) > _MAX_METADATA:
        return None
    made: dict[str, Any] = cleaned(left)
    return made
