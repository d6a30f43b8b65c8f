"""erase: what is named is gone everywhere, and what is left is as if it had never been."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine
from typer.testing import CliRunner

from tests.conftest import checksum
from tests.sql.tools import DAY, MakePipeline, a_log, execute, noon, rows
from trace_core.errors import ConfigurationError
from trace_pipeline.cli.main import app
from trace_pipeline.erasure import erase
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.account import PostgresAccount
from trace_pipeline.judges.contracts import LogPlace, Request, Usage
from trace_pipeline.load import load_logs
from trace_pipeline.nightly import run_window
from trace_pipeline.window import Window

DAYS = Window(DAY, DAY + timedelta(days=2))
TEXT_COLUMNS = """
    select c.table_name, c.column_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'trace' and t.table_type = 'BASE TABLE' and c.table_name <> 'rag_log'
      and c.data_type in ('text', 'jsonb', 'character varying', 'ARRAY')"""


def logs(tenants: tuple[str, ...]) -> list[dict[str, object]]:
    """Three nights of answers a tenant, one of which cannot be read."""
    return [
        a_log(
            f"{tenant}-{night}-{i}",
            noon(DAY + timedelta(days=night), minutes=i),
            segments={"tenant": tenant},
            **({"question": None} if i == 2 else {}),
        )
        for tenant in tenants
        for night in range(3)
        for i in range(3)
    ]


def scored(engine: Engine, make_pipeline: MakePipeline, tenants: tuple[str, ...]) -> None:
    """Load and score the tenants' logs."""
    for _ in load_logs(engine, logs(tenants)):
        pass
    run_window(make_pipeline(), DAYS, late_days=0)


def mentions(engine: Engine, word: str) -> list[str]:
    """Return table.column of everything but the source that still holds a word."""
    return [
        f"{table}.{column}"
        for table, column in rows(engine, TEXT_COLUMNS)
        if rows(
            engine,
            f'select 1 from trace."{table}" where cast("{column}" as text) like :word limit 1',
            word=f"%{word}%",
        )
    ]


def label(engine: Engine, log_id: str) -> None:
    """Let a person have judged a log."""
    execute(
        engine,
        "insert into trace.label (log_id, logged_at, level, verdict, labelled_by, labelled_at, source)"
        " select log_id, logged_at, 'response', 'unsupported', 'ann', now(), 'ui' from trace.rag_log where log_id = :id",
        id=log_id,
    )


def test_a_log_is_gone_and_its_day_restated(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Results without it are those of a source that never had it."""
    scored(engine, make_pipeline, ("acme", "other"))
    label(engine, "acme-1-0")
    done = erase(make_pipeline(), log_ids=["acme-1-0", "acme-1-2"])
    assert (done.rows["source"], done.rows["labels"], done.days) == (2, 1, (DAY + timedelta(days=1),))
    assert mentions(engine, "acme-1-0") == mentions(engine, "acme-1-2") == []
    assert mentions(engine, "acme-1-1")
    after = checksum(engine)
    run_window(make_pipeline(), DAYS, late_days=0, force=True)
    assert checksum(engine) == after


def test_a_tenant_is_gone_everywhere(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Its logs, its trend, its verdicts, and its name in the evidence of others; the rest stays."""
    scored(engine, make_pipeline, ("acme", "other"))
    execute(
        engine,
        "insert into trace.incident (scorer, metric, opened_day, onset_day, state, dimension, value, size, text, evidence)"
        " values ('lexical', 'adherence', :day, :day, 'open', 'tenant', 'acme', -0.1, 'Down in acme.', '{}'),"
        " ('lexical', 'adherence', :day, :day, 'open', '', '', -0.1, 'Down in acme.',"
        ' \'{"contributors": [{"dimension": "tenant", "value": "acme"}]}\')',
        day=DAY,
    )
    done = erase(make_pipeline(), segment=("tenant", "acme"))
    assert done.rows["source"] == 9 and len(done.days) == 3
    assert mentions(engine, "acme") == []
    assert rows(engine, "select count(*) as n from trace.rag_log")[0][0] == 9
    ledger = rows(engine, "select distinct source_rows, quarantined from trace.ledger")
    assert ledger == [(3, 1)]
    assert rows(engine, "select count(*) as n from trace.incident")[0][0] == 2


def test_a_dry_run_says_what_would_go_and_changes_nothing(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """Neither results nor source."""
    scored(engine, make_pipeline, ("acme",))
    before = checksum(engine)
    done = erase(make_pipeline(), segment=("tenant", "acme"), dry_run=True)
    assert done.rows["source"] == 9 and done.rows["quarantine"] == 3
    assert checksum(engine) == before
    assert rows(engine, "select count(*) as n from trace.rag_log")[0][0] == 9


def test_the_source_can_be_kept(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Then the results lose the log, and the source does not."""
    scored(engine, make_pipeline, ("acme",))
    erase(make_pipeline(), log_ids=["acme-0-0"], keep_source=True)
    assert mentions(engine, "acme-0-0") == []
    assert rows(engine, "select 1 as x from trace.rag_log where log_id = 'acme-0-0'")


def test_a_source_that_may_not_be_changed_is_said(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Before anything else was touched."""
    scored(engine, make_pipeline, ("acme",))
    execute(
        engine, "create view trace.shown as select * from trace.rag_log union all select * from trace.rag_log"
    )
    before = checksum(engine)
    with pytest.raises(ConfigurationError, match="--keep-source"):
        erase(make_pipeline(source={"table": "shown"}), log_ids=["acme-0-0"])
    assert checksum(engine) == before


def test_nothing_named_is_refused(make_pipeline: MakePipeline) -> None:
    """Erasing everything is never meant."""
    with pytest.raises(ConfigurationError, match="Name what to erase"):
        erase(make_pipeline())


def test_the_command_asks_first(engine: Engine, database: str, make_pipeline: MakePipeline) -> None:
    """No is no; --yes does not ask; a segment without a value is refused."""
    scored(engine, make_pipeline, ("acme",))
    url = ["--database-url", database]
    refused = CliRunner().invoke(app, ["erase", "--log-id", "acme-0-0", *url], input="n\n")
    assert refused.exit_code == 1 and mentions(engine, "acme-0-0")
    done = CliRunner().invoke(app, ["erase", "--segment", "tenant=acme", "--yes", *url])
    assert done.exit_code == 0 and "rows gone from source" in done.output, done.output
    assert isinstance(
        CliRunner().invoke(app, ["erase", "--segment", "acme", *url]).exception, ConfigurationError
    )


def judged(engine: Engine, log_id: str, content_hash: str) -> None:
    """Let a judge have been asked about a log in two parts, one of them now under way, and let it be an anchor too."""
    execute(
        engine,
        "insert into trace.judge_budget (night, calls, tokens) values (:day, 2, 20) on conflict do nothing",
        day=DAY,
    )
    for part, outcome in ((content_hash, "answered"), (f"{content_hash}-2", "under_way")):
        execute(
            engine,
            "insert into trace.judge_call (night, fingerprint, content_hash, log_id, logged_at, attempt, outcome,"
            " input_tokens, output_tokens, money, run_id, settled_at)"
            " select :day, 'f', :part, log_id, logged_at, 1, :outcome, 5, 5, 0, 'r', case :outcome when 'answered' then now() end"
            " from trace.rag_log where log_id = :id",
            day=DAY,
            part=part,
            outcome=outcome,
            id=log_id,
        )
        execute(
            engine,
            "insert into trace.annotation_cache (fingerprint, content_hash, answer, log_id, logged_at)"
            " select 'f', :part, '{}', log_id, logged_at from trace.rag_log where log_id = :id",
            part=part,
            id=log_id,
        )
    execute(
        engine,
        "update trace.evaluation set content_hash = :hash where log_id = :id",
        hash=content_hash,
        id=log_id,
    )
    execute(
        engine,
        "insert into trace.anchor_log (anchor_id, question, documents, response) values (:id, 'q', '[]', 'r')",
        id=log_id,
    )
    execute(
        engine,
        "insert into trace.anchor_verdict (scorer_id, night, anchor_id, status, run_id)"
        " select scorer_id, :day, :id, 'scored', 'r' from trace.scorer limit 1",
        day=DAY,
        id=log_id,
    )
    execute(
        engine,
        "insert into trace.anchor_check (scorer, fingerprint, night, metric, n, nights, changed, state, text,"
        " changed_anchors) values (:hash, 'f', :day, 'adherence', 1, 1, 2, 'shifted', '',"
        " jsonb_build_array(cast(:id as text) || ':', 'kept:1'))",
        day=DAY,
        id=log_id,
        hash=f"judge of {content_hash[-3:]}",
    )
    # The anchor is asked about at another time than the log's.
    execute(
        engine,
        "insert into trace.judge_call (night, fingerprint, content_hash, log_id, logged_at, attempt, input_tokens,"
        " output_tokens, money, run_id) values (:day, 'f', :hash, :id, now(), 1, 5, 5, 0, 'r')",
        day=DAY,
        hash=content_hash,
        id=log_id,
    )


@pytest.mark.parametrize("by_segment", [False, True])
def test_what_a_judge_said_of_a_log_is_gone(
    engine: Engine, make_pipeline: MakePipeline, by_segment: bool
) -> None:
    """Calls, kept answers, the anchor and the verdicts on it; what the night cost stays, and so do others'."""
    scored(engine, make_pipeline, ("acme", "other"))
    judged(engine, "acme-0-0", "hash-acme")
    judged(engine, "other-0-0", "hash-other")
    named: dict[str, object] = {"segment": ("tenant", "acme")} if by_segment else {"log_ids": ["acme-0-0"]}
    before = rows(engine, "select * from trace.judge_budget")
    done = erase(make_pipeline(), **named)  # type: ignore[arg-type]
    assert {name: done.rows[name] for name in ("judge_calls", "kept_answers", "anchors")} == {
        "judge_calls": 3,
        "kept_answers": 2,
        "anchors": 1,
    }
    assert mentions(engine, "acme-0-0") == mentions(engine, "hash-acme") == []
    assert len(mentions(engine, "other-0-0")) == 7
    assert rows(engine, "select * from trace.judge_budget") == before


def test_an_answer_kept_for_another_log_of_the_same_text_is_gone(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """It is about the erased text, whoever it was asked for."""
    scored(engine, make_pipeline, ("acme", "other"))
    judged(engine, "other-0-0", "hash-same")
    execute(engine, "update trace.evaluation set content_hash = 'hash-same' where log_id = 'acme-0-0'")
    assert erase(make_pipeline(), log_ids=["acme-0-0"]).rows["kept_answers"] == 1


def test_an_answer_that_comes_after_the_erasure_is_not_kept(
    engine: Engine, make_pipeline: MakePipeline
) -> None:
    """A call under way while its log is erased ends without a trace, but counts as paid."""
    scored(engine, make_pipeline, ("acme",))
    account = PostgresAccount(engine, JudgeSettings(), DAY, "f", "run")
    request = Request("hash", LogPlace("acme-0-0", noon()), 100, 20)
    call_id = account.reserve(request, 1)
    assert call_id is not None
    assert erase(make_pipeline(), log_ids=["acme-0-0"]).rows["judge_calls"] == 1
    account.settle(call_id, request, "answered", Usage(10, 10), {"overall_supported": True})
    assert account.kept("hash") is None and mentions(engine, "acme-0-0") == []
    assert rows(engine, "select calls, tokens from trace.judge_budget") == [(1, 120)]
