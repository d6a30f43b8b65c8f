"""Where the known formats keep a log's fields. A path is dotted; the first one with a value wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

_NONE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})

IDS: Final = ("log_id", "id", "record_id", "trace_id", "traceId", "run_id", "request_id")
TIMES: Final = (
    "logged_at",
    "timestamp",
    "created_at",
    "createdAt",
    "start_time",
    "startTime",
    "time",
    "date",
    "ts",
    "created",
)

#: Segments and where they usually are. Ids of people are no segment by default: a trend for each person says
#: nothing and keeps personal data; a mapping file can name them.
SEGMENTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "app_version": (
            "app_version",
            "release",
            "version",
            "metadata.app_version",
            "metadata.release",
            "metadata.version",
        ),
        "model": ("model", "model_name", "generation_model_name", "metadata.model", "metadata.ls_model_name"),
        "prompt_version": ("prompt_version", "promptVersion", "metadata.prompt_version"),
        "tenant": ("tenant", "tenant_id", "metadata.tenant", "metadata.tenant_id"),
        "language": ("language", "lang", "locale", "metadata.language", "metadata.lang", "metadata.locale"),
        "environment": ("environment", "env", "metadata.environment", "metadata.env"),
    }
)


@dataclass(frozen=True)
class Names:
    """The paths of one format."""

    question: tuple[str, ...]
    documents: tuple[str, ...]
    response: tuple[str, ...]
    ground_truth: tuple[str, ...] = ()
    log_id: tuple[str, ...] = IDS
    logged_at: tuple[str, ...] = TIMES
    document_ids: tuple[str, ...] = ()
    segments: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NONE)


FLAT: Final[Mapping[str, Names]] = MappingProxyType(
    {
        "native": Names(("question",), ("documents",), ("response",), ("ground_truth",)),
        "ragbench": Names(("question",), ("documents",), ("response",), (), ("log_id",)),
        "ragas": Names(
            ("user_input", "question"),
            ("retrieved_contexts", "contexts", "context"),
            ("response", "answer"),
            ("reference", "ground_truth", "ground_truths.0", "ground_truths"),
            document_ids=("retrieved_context_ids",),
        ),
        "deepeval": Names(
            ("input",),
            ("retrieval_context", "retrievalContext"),
            ("actual_output", "actualOutput"),
            ("expected_output", "expectedOutput"),
            segments={"app_version": ("additional_metadata.app_version", "additionalMetadata.app_version")},
        ),
        "trulens": Names(
            ("ai.observability.record_root.input", "input", "main_input"),
            ("ai.observability.retrieval.retrieved_contexts", "contexts", "retrieved_contexts"),
            ("ai.observability.record_root.output", "output", "main_output"),
            ("ai.observability.record_root.ground_truth_output", "ground_truth"),
            ("ai.observability.record_id", *IDS),
            segments={"app_version": ("ai.observability.app_version", "app_version")},
        ),
        "ragchecker": Names(
            ("query",), ("retrieved_context",), ("response",), ("gt_answer",), ("query_id", *IDS)
        ),
    }
)

#: Fields of spans; the joined trace has them under these keys (see spans.py).
TRACES: Final = ("openinference", "otel", "langfuse", "langsmith")
FORMATS: Final = ("auto", *FLAT, *TRACES)

_EXTRA: Final = (
    "inputs outputs attributes trace_id run_type observations name type context span_id"
    " record_attributes record_json"
)


def _known() -> frozenset[str]:
    """The first parts of every known path, as they are written."""
    found = {"input", "output", *_EXTRA.split(), *IDS, *TIMES}
    for names in FLAT.values():
        for group in (names.question, names.documents, names.response, names.ground_truth):
            found.update(path.split(".")[0] for path in group)
    return frozenset(found)


EXACT_NAMES: Final = _known()
#: The same in lower case: how the first line of a CSV file is known to be a header.
KNOWN_NAMES: Final = frozenset(name.lower() for name in EXACT_NAMES)
