"""Fuzzed rows from the file to the evaluation: each is accounted for, nothing escapes, no data becomes SQL.

`FUZZ_ROWS=10000 FUZZ_SEED=7 python -m pytest tests/sql/test_fuzz.py` runs a large round of its own; CI runs a small one.
"""

from __future__ import annotations

import io
import json
import os
from typing import Any

from sqlalchemy import Engine, event

from tests.sql.fuzzing import NASTY, as_lines, broken_rows, fuzzed_rows
from tests.sql.tools import DAY, MakePipeline, execute, night, noon, rows
from trace_pipeline.importers import FileReader, Imported, ImportOptions, Refused
from trace_pipeline.load import store_logs

SEED = int(os.environ.get("FUZZ_SEED", "1"))
ROWS = int(os.environ.get("FUZZ_ROWS", "400"))


def watch_statements(engine: Engine, into: set[str]) -> None:
    """Collect the text of each statement an engine sends, without its parameters."""
    event.listen(engine, "before_cursor_execute", lambda c, cursor, statement, *rest: into.add(statement))


def test_each_row_of_a_fuzzed_file_is_imported_or_refused_then_scored_or_put_aside(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """File rows = imported + refused; imported = evaluated + quarantined: nothing is lost or raised."""
    made = fuzzed_rows(ROWS, SEED)
    data = b"".join(as_lines(made))
    reader = FileReader("fuzz.jsonl", ImportOptions("native", logged_at=noon()), io.BytesIO(data))
    found = list(reader)
    assert len(found) == ROWS
    refused = [outcome for outcome in found if isinstance(outcome, Refused)]
    assert all(refusal.remedy for refusal in refused)
    imported = [outcome.row for outcome in found if isinstance(outcome, Imported)]
    assert len(imported) > ROWS / 10
    assert len(refused) > ROWS / 10
    stored = list(store_logs(engine, imported))
    unique = {row["log_id"] for row in imported}
    assert sum(part.new for part in stored) == len(unique)
    execute(engine, "update trace.rag_log set logged_at = :at", at=noon())
    night(make_pipeline())
    (counts,) = rows(
        engine,
        "select source_rows, scored + skipped, quarantined, failed from trace.ledger order by scorer_id limit 1",
    )
    assert counts == (len(unique), len(unique), 0, 0)  # what was imported can be read


def test_rows_written_around_the_import_balance_too(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Any JSON in the source's columns: scored + skipped + quarantined = rows, and no statement holds data."""
    pipeline = make_pipeline()
    statements: set[str] = set()
    watch_statements(pipeline.results, statements)
    watch_statements(pipeline.source, statements)
    made = [row if isinstance(row, dict) else {"question": row} for row in fuzzed_rows(ROWS, SEED)]
    insert_raw(engine, made)
    night(pipeline)
    for source_rows, accounted, failed in rows(
        engine, "select source_rows, scored + skipped + quarantined, failed from trace.ledger"
    ):
        assert (source_rows, accounted, failed) == (ROWS, ROWS, 0)
    quarantined = rows(engine, "select count(*) from trace.quarantine")[0][0]
    assert 0 < quarantined < ROWS
    assert len(statements) < 80  # a fixed set, however many rows there are
    for text in NASTY:
        if len(text) > 12:
            assert not any(text in statement for statement in statements)


def test_a_table_of_ones_own_with_broken_texts_balances_for_each_scorer(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """Documents as cut and shuffled JSON texts, other names, labels in columns, small limits, two scorers."""
    made = list(broken_rows(ROWS, SEED))
    with engine.begin() as connection:
        connection.exec_driver_sql(
            'create table public."logs %%" ("key ""x" text, "when" timestamptz, q text, "docs:y" text, a text, "ten ant" text)'
        )
        raw = connection.connection.cursor()
        raw.executemany(
            'insert into public."logs %%" values (%s, %s, %s, %s, %s, %s)',
            [(f"k{number}", noon(), *row) for number, row in enumerate(made)],
        )
    names = {
        "log_id": 'key "x',
        "logged_at": "when",
        "question": "q",
        "documents": "docs:y",
        "response": "a",
        "ground_truth": "",
        "segments": "",
    }
    night(
        make_pipeline(
            scorers=("lexical", "heuristic"),
            segments=("tenant",),
            max_log_bytes=2_000,
            max_documents=3,
            source={
                "table_schema": "public",
                "table": "logs %",
                "columns": names,
                "segment_columns": {"tenant": "ten ant"},
                "document_text_fields": ("body", "text"),
            },
        )
    )
    counts = rows(
        engine,
        "select source_rows, scored + skipped + quarantined, failed, quarantined > 0, scored > 0 from trace.ledger",
    )
    assert counts == [(ROWS, ROWS, 0, True, True)] * 2


def insert_raw(engine: Engine, made: list[dict[str, Any]]) -> None:
    """Write rows as a careless application would: whatever Postgres lets into its columns."""
    with engine.begin() as connection:
        connection.exec_driver_sql("create temporary table raw (n integer, row text) on commit drop")
        parameters = [{"n": number, "row": storable(row)} for number, row in enumerate(made)]
        from sqlalchemy import text

        connection.execute(text("insert into raw values (:n, :row)"), parameters)
        connection.execute(
            text(
                "insert into trace.rag_log (log_id, logged_at, question, documents, response, ground_truth, segments)"
                " select 'f' || n, :at, r ->> 'question', r -> 'documents', r ->> 'response', r ->> 'ground_truth',"
                " coalesce(r -> 'segments', '{}') from (select n, cast(row as jsonb) as r from raw) as t"
            ),
            {"at": noon()},
        )
    assert rows(engine, "select count(*) from trace.rag_log where logged_at::date = :day", day=DAY) == [
        (len(made),)
    ]


def storable(row: Any) -> str:
    """Return JSON that jsonb takes: the rest cannot be in a source at all."""
    from tests.sql.fuzzing import shortened
    from trace_pipeline.importers.values import cleaned

    return json.dumps(cleaned(shortened(row)), allow_nan=False)
