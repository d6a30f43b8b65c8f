"""Sources of every shape seen in the wild: types of the columns, and what hides in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.tools import ANSWER, DAY, DOCUMENT, LEDGER, MakePipeline, execute, night, noon, outcomes, rows
from trace_pipeline.database import connect

COLUMNS = {
    "log_id": "text",
    "logged_at": "timestamptz",
    "question": "text",
    "documents": "jsonb",
    "response": "text",
    "ground_truth": "text",
    "segments": "jsonb",
}
SOURCE = {"table_schema": "public", "table": "logs"}


def make_table(engine: Engine, **types: str) -> None:
    """Create public.logs with rag_log's columns, some of them of other types."""
    columns = ", ".join(f"{name} {type_}" for name, type_ in {**COLUMNS, **types}.items())
    execute(engine, f"create table public.logs ({columns})")


def add(engine: Engine, log_id: object, documents: object, at: object = None, **values: Any) -> None:
    """Insert a log with the given documents, as a literal of the column's type."""
    row = {"log_id": log_id, "logged_at": at or noon(), "question": "How long?", "response": ANSWER, **values}
    row["documents"] = documents
    names = ", ".join(row)
    execute(
        engine, f"insert into public.logs ({names}) values ({', '.join(f':{name}' for name in row)})", **row
    )


@pytest.mark.parametrize(
    ("type_", "documents"),
    [
        ("jsonb", json.dumps([DOCUMENT])),
        (
            "jsonb",
            json.dumps([{"text": DOCUMENT, "id": 7}, {"content": DOCUMENT}, {"page_content": DOCUMENT}]),
        ),
        ("json", json.dumps([DOCUMENT])),
        ("text", json.dumps([{"text": DOCUMENT}])),
        ("varchar(4000)", json.dumps([DOCUMENT])),
        ("text[]", [DOCUMENT]),
        ("varchar[]", [DOCUMENT]),
    ],
)
def test_documents_of_each_column_type_are_read(
    engine: Engine, make_pipeline: MakePipeline, type_: str, documents: object
) -> None:
    """Arrays of strings, arrays of objects and JSON in text give the same grounded answer."""
    make_table(engine, documents=type_)
    add(engine, "a", documents)
    night(make_pipeline(source=SOURCE))
    assert rows(engine, "select status, adherence, utilization > 0 from trace.evaluation") == [
        ("scored", 1.0, True)
    ]


def test_json_that_no_text_can_hold_is_quarantined(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A column of type json takes NUL and lone surrogates; each such row has a reason, the others are scored."""
    make_table(engine, documents="json", segments="json")
    add(engine, "nul", r'["ends \u0000 here"]')
    add(engine, "surrogate", r'["half \ud83d"]')
    add(engine, "id", r'[{"text": "x.", "id": "\udc00"}]')
    add(engine, "segment", json.dumps([DOCUMENT]), segments=r'{"tenant": "\u0000"}')
    add(engine, "name", json.dumps([DOCUMENT]), segments=r'{"\ud800": "x"}')
    add(engine, "digits", json.dumps([DOCUMENT])[:-1] + ", " + "9" * 5_000 + "]")
    add(engine, "deep", "[" * 3_000 + "]" * 3_000)
    add(engine, "twice", '[{"text": "one.", "text": "two."}]')
    add(engine, "good", json.dumps([DOCUMENT]), segments='{"tenant": "acme", "tenant": "b"}')
    night(make_pipeline(source=SOURCE))
    found = outcomes(engine)
    # How deep is too deep for the JSON reader differs between versions of Python.
    assert found.pop("deep") in ("documents_not_a_list", "document_without_text")
    assert found == {
        "nul": "invalid_encoding",
        "surrogate": "invalid_encoding",
        "id": "invalid_encoding",
        "segment": "invalid_encoding",
        "name": "invalid_encoding",
        "digits": "documents_not_a_list",
        "twice": "scored",
        "good": "scored",
    }
    assert night(make_pipeline(source=SOURCE)).changed == 0


def test_arrays_with_holes_are_quarantined(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A NULL in a text[], and an array of arrays, have no text; an empty array has no documents."""
    make_table(engine, documents="text[]")
    add(engine, "null", [DOCUMENT, None])
    add(engine, "nested", [[DOCUMENT], [DOCUMENT]])
    add(engine, "empty", [])
    add(engine, "missing", None)
    night(make_pipeline(source=SOURCE))
    assert outcomes(engine) == {
        "null": "document_without_text",
        "nested": "document_without_text",
        "empty": "scored",
        "missing": "documents_missing",
    }
    assert rows(
        engine, "select relevance, adherence is null, undefined ->> 'relevance' from trace.evaluation"
    ) == [(None, False, "no_documents")]


@pytest.mark.parametrize(
    ("type_", "ids"),
    [
        ("bigint", [10, 9, 9_000_000_000_000_000_000]),
        ("uuid", ["00000000-0000-0000-0000-00000000000b", "00000000-0000-0000-0000-00000000000a"]),
        ("numeric", [1, 2, 10**30]),
        ("char(8)", ["a", "b"]),
    ],
)
def test_ids_of_each_type_part_batches_cleanly(
    engine: Engine, make_pipeline: MakePipeline, type_: str, ids: list[object]
) -> None:
    """One log a batch, all at the same moment: each is scored once under its text, and stays when run again."""
    make_table(engine, log_id=type_)
    for log_id in ids:
        add(engine, log_id, json.dumps([DOCUMENT]))
    pipeline = make_pipeline(source=SOURCE, batch_rows=1, max_batches=50)
    night(pipeline)
    assert set(outcomes(engine)) == {str(log_id) for log_id in ids}
    assert night(pipeline, late_days=7).changed == 0
    assert rows(engine, LEDGER) == [(DAY, len(ids), len(ids), 0, 0, 0)]


def test_domains_and_enumerations_of_text_are_text(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A column whose type is a domain over text is read as text."""
    execute(engine, "create domain public.words as text check (value <> 'never')")
    make_table(engine, question="public.words")
    add(engine, "a", json.dumps([DOCUMENT]))
    night(make_pipeline(source=SOURCE))
    assert outcomes(engine) == {"a": "scored"}


def test_a_view_is_a_source(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A view over the user's own tables is read like a table, without advice about indexes."""
    execute(
        engine,
        "create view public.logs as select 'a' as log_id, cast('2026-10-01 09:00+00' as timestamptz) as logged_at,"
        " 'How long?' as question, jsonb_build_array('Two years.') as documents, 'Two years.' as response",
    )
    columns = {"ground_truth": None, "segments": None}
    report = night(make_pipeline(source={**SOURCE, "columns": columns}))
    assert outcomes(engine) == {"a": "scored"}
    assert report.notes == []


def test_a_source_on_another_database_is_read(
    engine: Engine, make_pipeline: MakePipeline, empty_database: str
) -> None:
    """Logs and results need not share a server; the results' own rag_log is not looked at."""
    other = connect(empty_database, setting="test")
    make_table(other)
    add(other, "far", json.dumps([DOCUMENT]))
    night(make_pipeline(source_url=empty_database, source=SOURCE))
    other.dispose()
    assert outcomes(engine) == {"far": "scored"}
