"""The sentences a scorer shows are the ones its keys count, whatever the language and form of the log."""

from __future__ import annotations

from datetime import date

import pytest

from trace_core import BadInput, Document, Log, get_scorer, parse_log, scorer_names
from trace_core.keys import response_keys
from trace_pipeline.sample import SampleSettings, generate

NAMELESS = [
    Log(
        "de",
        "Was kostet es?",
        (Document("Das kostet z. B. 9 Euro. Mehr dazu bzgl. Tarif."),),
        "Es kostet z. B. 9 Euro.",
    ),
    Log("ja", "いつですか。", (Document("会議は三時です。場所は東京です。"),), "三時です。東京です。"),
    Log(
        "given",
        "Why?",
        (Document("A. B.", sentences=("A. B.",)),),
        "Yes. No.",
        response_sentences=("Yes. No.",),
    ),
    Log("table", "Which?", (Document("| a | b |\n|---|---|\n| 1 | 2 |\n\n- One\n- Two"),), "# Head\nOne."),
]


@pytest.mark.parametrize("name", scorer_names())
def test_keys_and_sentences_agree(name: str) -> None:
    """As many sentences as the annotation counts, with and without a language, given or split."""
    scorer = get_scorer(name)
    logs = list(NAMELESS)
    for row in generate(SampleSettings(first_day=date(2026, 10, 1), nights=1, logs_per_night=150)):
        try:
            logs.append(parse_log(row))
        except BadInput:
            continue
    for log in logs:
        annotation = scorer.score(log).annotation
        if annotation is None:
            continue
        documents, response = scorer.sentences(log)
        assert tuple(map(len, documents)) == annotation.document_sentence_counts, log.log_id
        assert response_keys(len(response)) == annotation.response_sentence_keys, log.log_id
