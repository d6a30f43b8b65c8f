"""Rows of RAGBench (arXiv:2407.11005) as logs."""

from collections.abc import Mapping
from typing import Any

from trace_core.errors import BadInput
from trace_core.records import Document, Log, parse_log


def is_ragbench(row: Mapping[str, Any]) -> bool:
    """Does this object have RAGBench's columns rather than the native ones?"""
    return "documents_sentences" in row and "response_sentences" in row


def ragbench_log(row: Mapping[str, Any]) -> Log:
    """The log of a RAGBench row, with the row's own sentences.

    `log_id` is dataset_name/id/generation_model_name: `id` alone is not unique. Raises `BadInput`.
    """
    parts = (row.get("dataset_name"), row.get("id"), row.get("generation_model_name"))
    try:
        documents = [
            {"text": text, "sentences": [sentence[1] for sentence in sentences]}
            for text, sentences in zip(row["documents"], row["documents_sentences"], strict=True)
        ]
        response_sentences = [sentence[1] for sentence in row["response_sentences"]]
    except (TypeError, KeyError, IndexError, ValueError) as error:
        raise BadInput("document_without_text", f"RAGBench columns: {type(error).__name__}") from None
    log = parse_log(
        {
            "log_id": "/".join(str(part) for part in parts if part is not None),
            "question": row.get("question"),
            "response": row.get("response"),
            "documents": documents,
            "response_sentences": response_sentences,
        }
    )
    # A document or response whose list of sentences is empty holds none: do not split its text instead.
    return Log(
        log.log_id,
        log.question,
        tuple(Document(d.text, d.id, d.sentences or ()) for d in log.documents),
        log.response,
        response_sentences=log.response_sentences or (),
    )
