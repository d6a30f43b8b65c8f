"""RAGBench's published annotations through the judge: the published scores come out, bit for bit."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import MemoryAccount, WordRedaction
from tests.judge_stub import Asked, Reply, judge_stub
from trace_core import Annotation, ragbench_log, score_annotation
from trace_pipeline.judges.endpoint import make_judge
from trace_pipeline.judges.merge import annotate
from trace_pipeline.judges.schema import KnownKeys, read_answer
from trace_pipeline.judges.windows import Sentences, Window
from trace_pipeline.settings import load_settings

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "ragbench"
WHEN = datetime(2026, 1, 5, 12, tzinfo=UTC)
LABELS = {
    "relevance": "relevance_score",
    "utilization": "utilization_score",
    "completeness": "completeness_score",
    "adherence": "adherence_score",
}
#: Every so many rows one goes over HTTP, for the time of the tests; with 1 all do, in some 30 seconds.
EACH = 15

needs_rows = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"RAGBench rows are not at {FOLDER}")


@lru_cache(maxsize=1)
def rows() -> list[dict[str, Any]]:
    """All rows at hand."""
    files = sorted(FOLDER.glob("*.jsonl.gz"))
    return [json.loads(line) for file in files for line in gzip.open(file, "rt", encoding="utf-8")]


def published_answer(row: Mapping[str, Any]) -> str:
    """The row's annotation as a model would write it."""
    return json.dumps(
        {
            "all_relevant_sentence_keys": row["all_relevant_sentence_keys"],
            "all_utilized_sentence_keys": row["all_utilized_sentence_keys"],
            "sentence_support_information": [
                {
                    "response_sentence_key": entry["response_sentence_key"],
                    "explanation": entry["explanation"] or "",
                    "supporting_sentence_keys": list(entry["supporting_sentence_keys"] or ()),
                    "fully_supported": bool(entry["fully_supported"]),
                }
                for entry in row["sentence_support_information"]
            ],
            "unsupported_response_sentence_keys": row["unsupported_response_sentence_keys"],
            "overall_supported": bool(row["adherence_score"]),
            "overall_supported_explanation": row.get("overall_supported_explanation") or "",
        }
    )


def differences(row: Mapping[str, Any], annotation: Annotation) -> Iterator[str]:
    """Metrics whose value is not the published one."""
    scores = score_annotation(annotation, convention="published")
    for metric, column in LABELS.items():
        if getattr(scores, metric) != float(row[column]):
            yield f"{metric} of {row['dataset_name']}/{row['id']}"


@needs_rows
def test_every_published_annotation_reads_back_to_the_published_scores() -> None:
    """All rows: an answer in RAGBench's names gives the four label columns, raw keys counted as published."""
    wrong = []
    for row in rows():
        sentences = Sentences.of(ragbench_log(row))
        keys = tuple(key for document in sentences.documents for key, _ in document)
        known = KnownKeys(frozenset(keys), frozenset(key for key, _ in sentences.response))
        answer = read_answer(published_answer(row), known)
        assert answer is not None
        wrong += differences(row, annotate(sentences, [Window(keys, whole=True)], [answer], True))
    assert wrong == []
    assert len(rows()) > 2_900


@needs_rows
def test_published_annotations_over_http_give_the_published_scores() -> None:
    """Each fifteenth row over real HTTP, from several threads; without it, above, all rows."""
    chosen = {ragbench_log(row).log_id: row for row in rows()[::EACH]}
    wrong: list[str] = []
    # Two rows have the same texts and other annotations: the second would be answered by what is kept.
    twins: dict[str, list[str]] = {}
    for log_id, row in chosen.items():
        twins.setdefault(Sentences.of(ragbench_log(row)).content_hash(), []).append(log_id)
    while twins:
        wrong += over_http([chosen[log_ids.pop()] for log_ids in twins.values()])
        twins = {texts: log_ids for texts, log_ids in twins.items() if log_ids}
    assert wrong == []


def over_http(chosen: Sequence[Mapping[str, Any]]) -> list[str]:
    """Judge rows of different texts; return the differences to the published scores."""
    logs = [ragbench_log(row) for row in chosen]
    answers = {
        as_sent(Sentences.of(log)): published_answer(row) for log, row in zip(logs, chosen, strict=True)
    }

    def published(asked: Asked) -> Reply:
        return Reply(answers[asked.body["messages"][-1]["content"]])

    account = MemoryAccount()
    with judge_stub(published) as stub, ThreadPoolExecutor(4) as threads:
        settings = load_settings(
            judge={"endpoint": stub.url, "model": "m", "context_tokens": 2_000_000, "timeout_seconds": 30}
        )
        judge = make_judge(settings, account, WordRedaction(), "", "")
        results = list(threads.map(lambda log: judge.judge(log, WHEN), logs))
    assert len(account.calls) == len(logs)
    wrong: list[str] = []
    for row, judged in zip(chosen, results, strict=True):
        assert judged.annotation is not None, judged.reason
        wrong += differences(row, judged.annotation)
    return wrong


def as_sent(sentences: Sentences) -> str:
    """The data message of a log in one window."""
    keys = tuple(key for document in sentences.documents for key, _ in document)
    return Window(keys, whole=True).message(sentences)
