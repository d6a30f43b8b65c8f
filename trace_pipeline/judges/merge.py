"""The annotation of a log from the answers about its windows."""

from __future__ import annotations

from collections.abc import Sequence

from trace_core.annotation import Annotation, SentenceSupport
from trace_core.keys import tidy
from trace_pipeline.judges.schema import Answer, Support
from trace_pipeline.judges.windows import Sentences, Window


def annotate(
    sentences: Sentences, windows: Sequence[Window], answers: Sequence[Answer], explanations: bool
) -> Annotation:
    """Put answers together; one answer is taken as it was given, pseudo-keys, duplicates and all.

    Of several, what is relevant or used in one is so in the whole; a response sentence is supported when one
    window supports it, because the others do not hold its evidence. Reasons only with `explanations`.
    """
    response = tuple(key for key, _ in sentences.response)
    if len(answers) == 1:
        answer = answers[0]
        support = tuple(_given(entry, explanations) for entry in answer.sentence_support_information)
        relevant, utilized = answer.all_relevant_sentence_keys, answer.all_utilized_sentence_keys
        return Annotation(sentences.counts, response, relevant, utilized, answer.unsupported(), support)
    relevant = _union(windows, [answer.all_relevant_sentence_keys for answer in answers])
    utilized = _union(windows, [answer.all_utilized_sentence_keys for answer in answers])
    refused = [frozenset(map(tidy, answer.unsupported())) for answer in answers]
    unsupported = tuple(key for key in response if all(key in keys for keys in refused))
    support = tuple(
        merged
        for key in response
        if (merged := _merged(key, windows, answers, [key not in keys for keys in refused], explanations))
    )
    return Annotation(sentences.counts, response, relevant, utilized, unsupported, support)


def _given(entry: Support, explanations: bool) -> SentenceSupport:
    return SentenceSupport(
        entry.response_sentence_key,
        entry.fully_supported,
        supporting_keys=entry.supporting_sentence_keys,
        reason=entry.explanation if explanations else "",
    )


def _union(windows: Sequence[Window], given: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the keys in key order; one of another window is none, for the model cannot have read it."""
    found: list[str] = []
    for window, keys in zip(windows, given, strict=True):
        named = frozenset(map(tidy, keys))
        found += [key for key in window.keys if key in named]
    return tuple(found)


def _merged(
    key: str,
    windows: Sequence[Window],
    answers: Sequence[Answer],
    supported: Sequence[bool],
    explanations: bool,
) -> SentenceSupport | None:
    """Return the entry of a response sentence: of the windows that support it, else of all."""
    entries = [
        (window, entry)
        for window, answer, yes in zip(windows, answers, supported, strict=True)
        if yes or not any(supported)
        for entry in answer.sentence_support_information
        if tidy(entry.response_sentence_key) == key
    ]
    if not entries:
        return None
    keys = [
        k for window, entry in entries for k in map(tidy, entry.supporting_sentence_keys) if k in window.keys
    ]
    reason = next((entry.explanation for _, entry in entries if entry.explanation), "")
    return SentenceSupport(
        key, any(supported), supporting_keys=tuple(dict.fromkeys(keys)), reason=reason if explanations else ""
    )
