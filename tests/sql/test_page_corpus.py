"""Corpus: what became of documents over nights, paged, with some text from one log."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import Engine

from tests.sql.pages import site
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night, noon
from trace_pipeline.pages.corpus import Corpus, read_corpus

HOSTILE = "a/b c%\"'é&?# <img src=x onerror=alert(1)></script> \u202e"
USED = {"id": "used", "text": "The warranty lasts two years."}
UNUSED = {"id": HOSTILE, "text": "Penguins waddle over <b>antarctic</b> ice."}


@pytest.fixture
def counted(engine: Engine, make_pipeline: MakePipeline) -> Engine:
    """Three nights: a used document in each, an unused one in two, an invented sentence in one."""
    insert(
        engine,
        a_log("a", documents=[USED, UNUSED]),
        a_log("b", noon(days=1), documents=[USED, UNUSED], response="Bananas cost seven zlotys today."),
        a_log("c", noon(days=2), documents=[USED]),
    )
    night(make_pipeline(scorers=("lexical",)), nights=3)
    return engine


def read(
    engine: Engine, order: str, first: date = DAY, last: date = DAY + timedelta(days=2), **more: int
) -> Corpus:
    """Return a page of the corpus of the only scorer."""
    with engine.connect() as connection:
        return read_corpus(connection, scorer_id=1, first_day=first, last_day=last, order=order, **more)


def test_counts_add_up_over_nights(counted: Engine) -> None:
    """Each choice has its documents in order; the whole is told beside them."""
    never = read(counted, "never")
    assert [(row.document_id, row.retrieved) for row in never.rows] == [(HOSTILE, 2)]
    assert (never.documents, never.never_utilized, never.scored_nights, never.counted_nights) == (2, 1, 3, 3)
    assert [(row.document_id, row.retrieved) for row in read(counted, "utilized").rows] == [("used", 3)]
    assert {row.beside_unsupported for row in read(counted, "beside").rows} == {1}
    assert never.share_beside == pytest.approx(2 / 5)
    assert read(counted, "retrieved", last=DAY).documents == 2


def test_pages_hold_each_document_once(counted: Engine) -> None:
    """The next page begins where the page before ended; the last one says that it is the last."""
    first = read(counted, "retrieved", most=1)
    second = read(counted, "retrieved", most=1, after=first.after or 0)
    assert [row.document_id for row in first.rows + second.rows] == ["used", HOSTILE]
    assert (first.after, second.after) == (1, None)


def test_nights_without_counts_are_no_data(counted: Engine) -> None:
    """A night whose documents were not kept is missing from the count, not a zero in it."""
    execute(counted, "delete from trace.daily_document where day = :day", day=DAY)
    found = read(counted, "retrieved")
    assert (found.scored_nights, found.counted_nights) == (3, 2)
    execute(counted, "delete from trace.daily_document")
    found = read(counted, "never")
    assert (found.rows, found.documents, found.share_beside, found.counted_nights) == ((), 0, None, 0)


def test_the_page_shows_hostile_ids_as_text(counted: Engine, database: str) -> None:
    """Ids are escaped, their links work, the excerpt is text, and the link to logs finds the log."""
    with site(database) as client:
        page = client.get("/corpus")
        assert page.status_code == 200 and "<img" not in page.text and "&lt;img" in page.text
        one = client.get("/corpus", params={"order": "retrieved", "document": HOSTILE})
        assert "<b>antarctic" not in one.text and "&lt;b&gt;antarctic" in one.text
        logs = client.get("/logs", params={"day": (DAY + timedelta(days=1)).isoformat(), "document": HOSTILE})
        assert "Only logs that retrieved" in logs.text and "log=b&amp;" in logs.text
        assert HOSTILE.split()[0] in client.get("/corpus", params={"format": "csv"}).text
        for wrong in ({"order": "x"}, {"after": "-1"}, {"document": "x" * 501}):
            assert client.get("/corpus", params=wrong).status_code == 400
        execute(counted, "delete from trace.rag_log")
        gone = client.get("/corpus", params={"order": "retrieved", "document": HOSTILE})
        assert "no longer in the source" in gone.text
