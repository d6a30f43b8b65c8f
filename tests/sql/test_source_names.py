"""Any name of a table or column works: names are quoted, never pasted."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import Engine

from tests.sql.tools import ANSWER, DAY, DOCUMENT, LEDGER, MakePipeline, execute, night, noon, outcomes, rows

WEIRD = 'we"ird; drop table x'
NAMES = {
    "log_id": "Log Id",
    "logged_at": "logged:at",
    "question": "100%s of %(q)s",
    "documents": 'do"cs"',
    "response": "RESPONSE",
    "ground_truth": "ground.truth",
    "segments": "select",
}


def quoted(name: str) -> str:
    """Return a quoted identifier whose colons and percent signs stand for themselves."""
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture
def weird(engine: Engine) -> dict[str, object]:
    """A table and columns with hostile names and one log; returns the settings of the source."""
    with engine.begin() as connection:
        cursor = connection.connection.cursor()
        cursor.execute('create schema "Sch:ema %"')
        cursor.execute("create table public.x (a integer)")
        types = {"logged_at": "timestamptz", "documents": "jsonb", "segments": "jsonb"}
        columns = ", ".join(f"{quoted(name)} {types.get(field, 'text')}" for field, name in NAMES.items())
        extra = f"{quoted('ten ant%')} text, {quoted('Plan:x')} numeric"
        cursor.execute(f'create table "Sch:ema %".{quoted(WEIRD)} ({columns}, {extra})')
        cursor.execute(f'create index "i%i" on "Sch:ema %".{quoted(WEIRD)} ({quoted("logged:at")})')
        cursor.execute(f'create unique index "u:u" on "Sch:ema %".{quoted(WEIRD)} ({quoted("Log Id")})')
        cursor.execute(
            f'insert into "Sch:ema %%".{quoted(WEIRD)} values (%s, %s, %s, %s, %s, %s, %s, %s, %s)',
            ("a", noon(), "How?", json.dumps([DOCUMENT]), ANSWER, None, '{"x": 1}', 'ac"me; %s', 1.50),
        )
        cursor.close()
    return {
        "table_schema": "Sch:ema %",
        "table": WEIRD,
        "columns": NAMES,
        "segment_columns": {"tenant": "ten ant%", 'pl"an %': "Plan:x"},
    }


def test_hostile_names_of_table_and_columns_work(
    engine: Engine, make_pipeline: MakePipeline, weird: dict[str, object]
) -> None:
    """Quotes, semicolons, percent signs, colons, spaces and key words in names: a night runs, twice, quietly."""
    pipeline = make_pipeline(source=weird, segments=["tenant", 'pl"an %'], batch_rows=1)
    assert night(pipeline).notes == []
    assert outcomes(engine) == {"a": "scored"}
    assert rows(engine, LEDGER) == [(DAY, 1, 1, 0, 0, 0)]
    assert rows(engine, "select segments from trace.evaluation") == [
        ({"x": "1", "tenant": 'ac"me; %s', 'pl"an %': "1.5"},)
    ]
    assert rows(
        engine, "select distinct dimension, value from trace.daily_metric where dimension <> '' order by 1"
    ) == [
        ('pl"an %', "1.5"),
        ("tenant", 'ac"me; %s'),
    ]
    assert night(pipeline, late_days=7).changed == 0
    assert rows(engine, "select count(*) from public.x") == [(0,)]


def test_segment_columns_of_each_type_become_labels(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Booleans, numbers, times and bytes are labelled as Postgres writes them; NULL is no label."""
    execute(
        engine,
        "create view public.logs as select *, true as yes, 1.50 as price, date '2026-01-02' as since,"
        " cast('\\xff' as bytea) as raw, cast('{\"a\": 1}' as jsonb) as nested, cast(null as text) as nothing,"
        " repeat('x', 2000000) as endless from trace.rag_log",
    )
    execute(
        engine,
        "insert into trace.rag_log (log_id, logged_at, question, documents, response)"
        " values ('a', :at, 'q', '[\"d\"]', 'r')",
        at=noon(),
    )
    names = {name: name for name in ("yes", "price", "since", "raw", "nested", "nothing", "endless")}
    source = {"table_schema": "public", "table": "logs", "segment_columns": names}
    night(make_pipeline(source=source, segments=list(names)))
    assert rows(engine, "select segments from trace.evaluation") == [
        (
            {
                "yes": "true",
                "price": "1.50",
                "since": "2026-01-02",
                "raw": "\\xff",
                "nested": '{"a": 1}',
                "endless": "x" * 200,
            },
        )
    ]


def test_a_segment_column_lies_over_the_segments_object(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Where both name a segment the column of its own wins."""
    execute(
        engine,
        "insert into trace.rag_log (log_id, logged_at, question, documents, response, ground_truth, segments)"
        " values ('a', :at, 'q', '[\"d\"]', 'r', 'truth', '{\"tenant\": \"old\", \"model\": \"m\"}')",
        at=noon(),
    )
    night(make_pipeline(source={"segment_columns": {"tenant": "ground_truth"}}))
    assert rows(engine, "select segments from trace.evaluation") == [({"tenant": "truth", "model": "m"},)]
