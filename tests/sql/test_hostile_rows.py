"""Hostile rows: each is scored or quarantined with its reason, and none stops a batch."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.fakes import FakeScorer, use_scorers
from tests.sql.tools import (
    ANSWER,
    DAY,
    DOCUMENT,
    LEDGER,
    MakePipeline,
    a_log,
    execute,
    insert,
    night,
    noon,
    outcomes,
    rows,
)
from trace_pipeline.sample import SampleSettings, generate

HUGE = "9" * 5_000


def insert_json(engine: Engine, log_id: str, **columns: str) -> None:
    """Insert a log whose documents or segments are the given JSON texts."""
    fields = {"documents": json.dumps([DOCUMENT]), "segments": "{}", **columns}
    execute(
        engine,
        "insert into trace.rag_log (log_id, logged_at, question, documents, response, segments)"
        " values (:id, :at, 'How long?', cast(:documents as jsonb), :answer, cast(:segments as jsonb))",
        id=log_id,
        at=noon(),
        answer=ANSWER,
        **fields,
    )


def test_every_malformed_sample_row_is_quarantined_with_its_reason(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """Each row that the sample broke is in the quarantine under the code it was broken for, and no other row is."""
    settings = SampleSettings(
        first_day=DAY, nights=8, logs_per_night=30, malformed_share=0.25, release_night=None
    )
    broken = {}
    by_day: Counter[Any] = Counter()

    def watched() -> Any:
        for row in generate(settings):
            code = row["metadata"].get("sample", {}).get("malformed")
            if code:
                broken[row["log_id"]] = code
            by_day[row["logged_at"].date()] += 1
            yield row

    insert(engine, *watched())
    night(make_pipeline(), nights=8)
    assert dict(rows(engine, "select log_id, reason from trace.quarantine")) == broken
    assert len(set(broken.values())) >= 6
    ledger = rows(
        engine, "select day, source_rows, scored + skipped + quarantined from trace.ledger order by day"
    )
    assert ledger == [(day, count, count) for day, count in sorted(by_day.items())]


def test_values_of_the_wrong_kind_in_json(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Numbers for texts, nested lists, endless digits, null and scalars in a jsonb column."""
    cases = {
        "number": ("[42]", "document_without_text"),
        "digits": (f'["{DOCUMENT}", {HUGE}]', "documents_not_a_list"),
        "digits_inside": (f'[{{"text": "{DOCUMENT}", "score": {HUGE}}}]', "documents_not_a_list"),
        "fraction": ('[{"text": "One.", "score": 0.' + "1" * 5_000 + "}]", "scored"),
        "exponent": ('[{"text": "One.", "score": 1e3000}]', "scored"),
        "nested": ('[[["One."]]]', "document_without_text"),
        "null": ("null", "documents_missing"),
        "scalar": ('"One."', "documents_not_a_list"),
        "true": ("true", "documents_not_a_list"),
        "object": ("{}", "documents_not_a_list"),
        "empty": ("[]", "scored"),
        "blank": ('["", " "]', "scored"),
        "json_in_text": (json.dumps(json.dumps([DOCUMENT])), "scored"),
        "deep": ("[" * 900 + "]" * 900, "document_without_text"),
        "nan": ('["NaN", "Infinity", "-0"]', "scored"),
    }
    for log_id, (documents, _) in cases.items():
        insert_json(engine, log_id, documents=documents)
    night(make_pipeline())
    found = outcomes(engine)
    assert found == {log_id: expected for log_id, (_, expected) in cases.items()} | {
        "scalar": found["scalar"]
    }
    assert night(make_pipeline(), late_days=1).changed == 0


def test_segments_of_every_kind(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Numbers, nested values, a megabyte, empty names and null become short labels; a list is quarantined."""
    insert_json(
        engine, "kinds", segments='{"tenant": 7, "model": true, "plan": null, "x": {"a": [1]}, "": "y"}'
    )
    insert_json(engine, "long", segments=json.dumps({"tenant": "x" * 1_000_000, "k" * 1_000: "v"}))
    insert_json(engine, "digits", segments=f'{{"tenant": {HUGE}}}')
    insert_json(engine, "list", segments='["acme"]')
    insert_json(engine, "text", segments='"acme"')
    night(make_pipeline())
    found = outcomes(engine)
    assert found == {
        "kinds": "scored",
        "long": "scored",
        "digits": "segments_not_an_object",
        "list": "segments_not_an_object",
        "text": "segments_not_an_object",
    }
    assert dict(rows(engine, "select log_id, segments from trace.evaluation")) == {
        "kinds": {"tenant": "7", "model": "true", "x": '{"a":[1]}', "": "y"},
        "long": {"tenant": "x" * 200, "k" * 200: "v"},
    }


def test_a_quarantined_log_is_counted_in_its_segment(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Its labels are those that a readable log with the same segments has."""
    segments = '{"tenant": true, "model": 1.50, "language": "xx"}'
    insert_json(engine, "bad", documents="{}", segments=segments)
    insert_json(engine, "good", segments=segments)
    night(make_pipeline())
    found = rows(
        engine,
        "select dimension, value, n, unscored from trace.daily_metric where metric = 'adherence' and dimension <> ''"
        " order by dimension",
    )
    assert found == [
        ("app_version", "(missing)", 1, 1),
        ("language", "xx", 1, 1),
        ("model", "1.5", 1, 1),
        ("tenant", "true", 1, 1),
    ]


def test_a_scorer_that_gives_no_number_breaks_no_batch(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NaN, infinity and values outside of 0 to 1 are the scorer's error on that log alone."""
    wrong = {
        "nan": float("nan"),
        "inf": float("inf"),
        "more": 1.0000001,
        "less": -1e-9,
        "one": 1.0,
        "zero": -0.0,
    }
    use_scorers(monkeypatch, FakeScorer(give=lambda log: wrong[log.log_id]))
    insert(engine, *(a_log(name) for name in wrong))
    night(make_pipeline(scorers="fake"))
    assert rows(engine, LEDGER) == [(DAY, 6, 2, 0, 0, 4)]
    assert rows(engine, "select distinct reason from trace.evaluation where status = 'failed'") == [
        ("scorer_error",)
    ]


def test_large_logs(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Five megabytes are quarantined unread by default, and read when the limit allows."""
    insert(engine, a_log("large", documents=[DOCUMENT, "word " * 1_000_000]), a_log("small"))
    night(make_pipeline())
    assert outcomes(engine) == {"large": "text_too_large", "small": "scored"}
    night(make_pipeline(max_log_bytes=6_000_000))
    assert outcomes(engine) == {"large": "scored", "small": "scored"}
    night(make_pipeline())
    assert outcomes(engine) == {"large": "text_too_large", "small": "scored"}


def test_too_many_documents_for_a_while(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A log refused for a limit is read again once the limit is another, without force."""
    insert(engine, a_log("many", documents=["One."] * 20))
    night(make_pipeline(max_documents=10))
    assert outcomes(engine) == {"many": "too_many_documents"}
    assert night(make_pipeline(max_documents=10)).changed == 0
    night(make_pipeline(max_documents=20))
    assert outcomes(engine) == {"many": "scored"}
