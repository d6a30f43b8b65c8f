"""What became of retrieved documents: counted, restated, forgotten, and never guessed."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night, noon, rows
from trace_core.document_use import document_name
from trace_core.records import Document
from trace_pipeline.steps.maintain import apply_retention

SCORERS = ("heuristic",)
NEXT = DAY + timedelta(days=1)
COUNTS = (
    "select day, document_id, retrieved, relevant, utilized, beside_unsupported"
    " from trace.document_use order by day, document_id"
)
WARRANTY = {"id": "w", "text": "The warranty lasts two years."}
RETURNS = {"id": "r", "text": "Penguins waddle over antarctic ice."}


def two_documents(log_id: str, **fields: Any) -> dict[str, Any]:
    """Return a log whose answer comes from one of its two documents."""
    return a_log(log_id, documents=[WARRANTY, RETURNS], **fields)


def test_counts_are_of_answers(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Each answer counts once a document: retrieved, relevant, utilized, beside an unsupported sentence."""
    insert(
        engine,
        two_documents("a"),
        two_documents("b", response="The warranty lasts two years. Bananas cost seven zlotys today."),
        a_log("c", documents=[WARRANTY, WARRANTY]),
        a_log("empty", documents=[WARRANTY], response=""),
        a_log("unread", documents=[WARRANTY], question=None),
    )
    night(make_pipeline(scorers=SCORERS))
    assert rows(engine, COUNTS) == [(DAY, "r", 2, 0, 0, 1), (DAY, "w", 3, 3, 3, 1)]


def test_a_document_without_an_id_is_named_by_its_text(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The same text has the same name in every log; ids that no index could hold are named by their hash."""
    text, long = "The warranty lasts two years.", "x" * 5_000
    insert(engine, a_log("a", documents=[text]), a_log("b", documents=[{"text": text}]))
    insert(engine, a_log("c", documents=[{"id": long, "text": text}]))
    night(make_pipeline(scorers=SCORERS))
    assert [(row[1], row[2]) for row in rows(engine, COUNTS)] == [
        (document_name(Document("", long)), 1),
        (document_name(Document(text)), 2),
    ]


@pytest.mark.parametrize(
    "name",
    [
        'a"b',
        "a\\b",
        "{a,b}",
        "a,b",
        "NULL",
        "a\tb\nc",
        "<img src=x onerror=alert(1)>",
        "\u202eevil",
        "' or 1",
    ],
)
def test_ids_are_kept_as_they_are(engine: Engine, make_pipeline: MakePipeline, name: str) -> None:
    """Quotes, backslashes, braces, commas and line breaks of an id survive the way into the table."""
    insert(engine, a_log("a", documents=[{"id": name, "text": "The warranty lasts two years."}]))
    night(make_pipeline(scorers=SCORERS))
    assert [row[1] for row in rows(engine, COUNTS)] == [name]


def test_a_changed_log_restates_its_day(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A document that no log of the day retrieves any more has no row; an unchanged day changes nothing."""
    insert(engine, two_documents("a"), two_documents("b", logged_at=noon(NEXT)))
    night(make_pipeline(scorers=SCORERS), nights=2)
    before = checksum(engine)
    night(make_pipeline(scorers=SCORERS), nights=2, force=True)
    assert checksum(engine) == before
    insert(engine, a_log("a", documents=[WARRANTY]))
    night(make_pipeline(scorers=SCORERS), NEXT, late_days=1)
    assert [row[:3] for row in rows(engine, COUNTS)] == [(DAY, "w", 1), (NEXT, "r", 1), (NEXT, "w", 1)]


def test_evaluations_of_before_are_no_data(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A day with an answer whose documents were not kept has no counts at all, until it is scored again."""
    insert(engine, two_documents("a"), two_documents("b"))
    night(make_pipeline(scorers=SCORERS))
    execute(
        engine, "update trace.evaluation set document_ids = null, document_uses = null where log_id = 'a'"
    )
    night(make_pipeline(scorers=SCORERS))
    assert rows(engine, COUNTS) == []
    night(make_pipeline(scorers=SCORERS), force=True)
    assert len(rows(engine, COUNTS)) == 2


def test_counts_do_not_need_stored_annotations(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Without store_annotations the documents are counted all the same."""
    insert(engine, two_documents("a"))
    night(make_pipeline(scorers=SCORERS, store_annotations=False))
    assert rows(engine, COUNTS) == [(DAY, "r", 1, 0, 0, 0), (DAY, "w", 1, 1, 1, 0)]


def test_retention_takes_counts_and_labels(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Document counts and labels go with the evaluations of their month."""
    for month in (8, 10):
        day = date(2026, month, 30)
        insert(engine, two_documents(f"log{month}", logged_at=noon(day)))
        night(make_pipeline(scorers=SCORERS), day)
        execute(
            engine,
            "insert into trace.label (log_id, logged_at, level, verdict, labelled_by, labelled_at, source)"
            " values (:log_id, :at, 'response', 'supported', 'ada', now(), 'ui')",
            log_id=f"log{month}",
            at=noon(day),
        )
    apply_retention(make_pipeline(scorers=SCORERS, retention_days=30), date(2026, 11, 1))
    assert {row[0] for row in rows(engine, COUNTS)} == {date(2026, 10, 30)}
    assert rows(engine, "select log_id from trace.log_label") == [("log10",)]
