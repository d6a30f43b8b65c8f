"""Keys: ids that are none, and rows that share one."""

from __future__ import annotations

import json

from sqlalchemy import Engine

from tests.sql.tools import ANSWER, DAY, DOCUMENT, LEDGER, MakePipeline, execute, night, noon, rows


def test_ids_that_cannot_be_keys(engine: Engine, make_pipeline: MakePipeline) -> None:
    """NULL, empty, blank and endless ids, several at one moment: each row is in the ledger, batches of any size."""
    execute(engine, "create table public.logs (like trace.rag_log)")
    execute(engine, "alter table public.logs alter log_id drop not null")
    for log_id in (None, None, "", " ", "x" * 2_000_000, "x" * 2_000_000, "y" * 501, "z" * 500, "\t"):
        execute(
            engine,
            "insert into public.logs values (:id, :at, 'How long?', cast(:documents as jsonb), :answer, null, '{}', '{}')",
            id=log_id,
            at=noon(),
            documents=json.dumps([DOCUMENT]),
            answer=ANSWER,
        )
    source = {"table_schema": "public", "table": "logs"}
    night(make_pipeline(source=source))
    assert rows(engine, LEDGER) == [(DAY, 9, 1, 0, 8, 0)]
    assert rows(engine, "select reason, count(*) from trace.quarantine group by 1 order by 1") == [
        ("duplicate_log_id", 1),
        ("missing_log_id", 7),
    ]
    assert night(make_pipeline(source=source, batch_rows=1), late_days=1).changed == 0


def test_duplicates_at_one_moment_and_at_several(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Of rows that share id and time one is scored, always the same; at other times the id is another log."""
    execute(engine, "create table public.logs as select * from trace.rag_log")
    statement = "insert into public.logs values ('twin', :at, 'How long?', cast(:documents as jsonb), :answer, null, '{}', '{}')"
    for answer in ("One.", "Two.", "Three."):
        execute(engine, statement, at=noon(), documents=json.dumps([answer]), answer=answer)
    execute(engine, statement, at=noon(hours=1), documents=json.dumps([DOCUMENT]), answer=ANSWER)
    source = {"table_schema": "public", "table": "logs"}
    night(make_pipeline(source=source))
    assert rows(engine, LEDGER) == [(DAY, 4, 2, 0, 2, 0)]
    hashes = rows(engine, "select input_hash, adherence from trace.evaluation order by 1")
    execute(engine, "create table public.shuffled as select * from public.logs order by response")
    execute(engine, "drop table public.logs")
    execute(engine, "alter table public.shuffled rename to logs")
    assert night(make_pipeline(source=source, batch_rows=1)).changed == 0
    night(make_pipeline(source=source), force=True)
    assert rows(engine, "select input_hash, adherence from trace.evaluation order by 1") == hashes
