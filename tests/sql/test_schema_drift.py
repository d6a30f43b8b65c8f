"""The source changes between two nights: one sentence says which table, which column, what is there now, and the setting."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.sql.test_source_shapes import SOURCE, add, make_table
from tests.sql.tools import DAY, DOCUMENT, LEDGER, MakePipeline, execute, night, outcomes, rows
from trace_core.errors import ConfigurationError

TENANT = {**SOURCE, "segment_columns": {"tenant": "customer"}}


@pytest.fixture
def scored(engine: Engine, make_pipeline: MakePipeline) -> Engine:
    """A source of one's own whose first night is scored."""
    make_table(engine, customer="text")
    add(engine, "7", json.dumps([DOCUMENT]), customer="acme")
    add(engine, "8", json.dumps([DOCUMENT]), customer="acme")
    night(make_pipeline(source=TENANT))
    return engine


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            "alter table public.logs drop column response",
            "Setting source.columns.response: 'logs' has no column 'response'; it has customer, documents,",
        ),
        (
            "alter table public.logs rename column question to prompt",
            "Setting source.columns.question: 'logs' has no column 'question'; it has customer, .*, prompt, ",
        ),
        (
            "alter table public.logs drop column customer",
            "Setting source.segment_columns.tenant: 'logs' has no column 'customer'; it has documents, ",
        ),
        (
            "alter table public.logs rename to answers",
            "source.table_schema and source.table: there is no table or view 'logs' in schema 'public'",
        ),
        (
            "alter table public.logs alter question type jsonb using to_jsonb(question)",
            "Setting source.columns.question: column 'question' of 'logs' has type jsonb; use a view that casts it to text",
        ),
        (
            "alter table public.logs alter logged_at type text",
            "Setting source.columns.logged_at: column 'logged_at' of 'logs' has type text; use a view that casts it to",
        ),
        (
            "alter table public.logs alter logged_at type date",
            "Setting source.columns.logged_at: column 'logged_at' of 'logs' has type date; use a view",
        ),
        (
            "alter table public.logs alter documents type bytea using convert_to(cast(documents as text), 'UTF8')",
            "Setting source.columns.documents: column 'documents' of 'logs' has type bytea; use a view",
        ),
        (
            "alter table public.logs alter log_id type bytea using convert_to(log_id, 'UTF8')",
            "Setting source.columns.log_id: column 'log_id' of 'logs' has type bytea; use a view that casts it to text",
        ),
    ],
)
def test_a_column_that_has_changed_is_told_in_a_sentence(
    scored: Engine, make_pipeline: MakePipeline, change: str, sentence: str
) -> None:
    """The night stops before it reads a log; what is stored stays as it is."""
    before = checksum(scored)
    execute(scored, change)
    with pytest.raises(ConfigurationError, match=sentence):
        night(make_pipeline(source=TENANT))
    assert checksum(scored) == before


@pytest.mark.parametrize(
    "change",
    [
        "alter table public.logs alter log_id type bigint using cast(log_id as bigint)",
        "alter table public.logs alter response type varchar(4000)",
        "alter table public.logs alter documents type json",
        "alter table public.logs alter logged_at type timestamp using logged_at at time zone 'UTC'",
        "alter table public.logs add column more text",
    ],
)
def test_a_change_that_means_the_same_changes_no_result(
    scored: Engine, make_pipeline: MakePipeline, change: str
) -> None:
    """Logs keep their ids, times and hashes, so nothing is scored again."""
    before = checksum(scored)
    execute(scored, change)
    assert night(make_pipeline(source=TENANT)).changed == 0
    assert checksum(scored) == before


def test_texts_that_are_documents_now_are_scored_again(scored: Engine, make_pipeline: MakePipeline) -> None:
    """jsonb to text with another content: the logs of the window are scored anew, under their ids."""
    execute(
        scored, "alter table public.logs alter documents type text using '[\"' || 'Other words.' || '\"]'"
    )
    assert night(make_pipeline(source=TENANT)).changed == 2
    assert outcomes(scored) == {"7": "scored", "8": "scored"}
    assert rows(scored, LEDGER) == [(DAY, 2, 2, 0, 0, 0)]
