"""Logs: filters, order and paging, and that no list reads more than it must."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import cloned
from tests.sql.pages import site
from tests.sql.test_plans import Plans
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night
from trace_pipeline.database import connect
from trace_pipeline.local.postgres import Server
from trace_pipeline.pages.log_filter import LogFilter, Place
from trace_pipeline.pages.logs import LogList, read_logs

FIRST, LAST = date(2026, 8, 1), date(2026, 10, 30)


def moment(day: date) -> datetime:
    """Return the beginning of a day in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


ALL = LogFilter(scorer_id=1, from_at=moment(FIRST), to_at=moment(LAST + timedelta(days=1)), status="")
NIGHT = replace(ALL, from_at=moment(DAY), to_at=moment(DAY + timedelta(days=1)), status="scored")


@pytest.fixture(scope="module")
def large(server: Server, admin: Engine, template: str) -> Iterator[Engine]:
    """Ninety nights of two hundred evaluations of one scorer; every twentieth skipped. No test changes them."""
    for url in cloned(server, admin, template):
        engine = connect(url, setting="test")
        execute(engine, "select trace.ensure_evaluation_partitions(:first, :last)", first=FIRST, last=LAST)
        execute(engine, "insert into trace.scorer (name, fingerprint, parameters) values ('s', 'f', '{}')")
        execute(
            engine,
            "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, reason,"
            " response_kind, adherence, adherence_probability, completeness, relevance, segments, undefined,"
            " document_ids, document_uses, run_id)"
            " select 1, cast(:first as timestamptz) + n * interval '432 seconds', 'log-' || n, '',"
            " case when n % 20 = 0 then 'skipped' else 'scored' end,"
            " case when n % 20 = 0 then 'empty_response' end, case n % 3 when 0 then 'refusal' else 'answer' end,"
            " case when n % 20 <> 0 then n % 2 end, case when n % 20 <> 0 then (n * 7919 % 1000) / 1000.0 end,"
            " case when n % 20 <> 0 and n % 7 <> 0 then (n % 11) / 10.0 end, (n % 100) / 100.0,"
            " jsonb_build_object('tenant', 't' || n % 50), case when n % 7 = 0 then"
            " '{\"completeness\": \"no_relevant_sentence\"}' else '{}' end::jsonb,"
            " array['d' || n % 400], array[0], 'r' from generate_series(0, 17999) as n",
            first=FIRST,
        )
        execute(
            engine,
            "insert into trace.label (log_id, logged_at, level, verdict, labelled_by, labelled_at, source)"
            " select log_id, logged_at, 'response', 'supported', 'ada', now(), 'ui' from trace.evaluation"
            " where right(log_id, 3) = '123'",
        )
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("vacuum analyze")
        yield engine
        engine.dispose()


def walk(engine: Engine, wanted: LogFilter, most: int = 70) -> list[list[str]]:
    """Return the ids of each page, from the first to the last, and check the way back."""
    pages: list[LogList] = []
    after: Place | None = None
    with engine.connect() as connection:
        while True:
            pages.append(read_logs(connection, wanted, after=after, most=most))
            after = pages[-1].after
            if after is None:
                break
        back, before = [pages[-1]], pages[-1].before
        while before is not None:
            back.insert(0, read_logs(connection, wanted, before=before, most=most))
            before = back[0].before
    ids = [[row.log_id for row in page.rows] for page in pages]
    assert [[row.log_id for row in page.rows] for page in back[-3:]] == ids[-3:] or len(ids) < 3
    assert sorted(row.log_id for page in back for row in page.rows) == sorted(chain.from_iterable(ids))
    return ids


@pytest.mark.parametrize("sort", ["worst", "completeness", "relevance", "time"])
@pytest.mark.parametrize("descending", [False, True])
def test_pages_hold_each_log_once_in_order(large: Engine, sort: str, descending: bool) -> None:
    """Walking to the end and back shows the same logs, each once, ordered by key, time and id."""
    wanted = replace(NIGHT, sort=sort, descending=descending, to_at=moment(DAY + timedelta(days=2)))
    ids = list(chain.from_iterable(walk(large, wanted)))
    assert len(ids) == len(set(ids))
    with large.connect() as connection:
        rows = read_logs(connection, wanted, most=10_000).rows
    places = [(row.place.key, row.place.logged_at, row.place.log_id) for row in rows]
    assert places == sorted(places, reverse=descending)
    assert [row.log_id for row in rows] == ids
    undefined = sum(row.completeness is None for row in rows)
    assert (undefined == 0) == (sort == "completeness" and descending)


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({"status": "skipped"}, lambda row: row.status == "skipped"),
        ({"kind": "refusal"}, lambda row: row.response_kind == "refusal"),
        ({"reason": "empty_response"}, lambda row: row.reason == "empty_response"),
        (
            {"reason": "no_relevant_sentence"},
            lambda row: row.undefined.get("completeness") == "no_relevant_sentence",
        ),
        ({"unsupported": True}, lambda row: row.adherence is not None and row.adherence < 1),
        (
            {"metric": "completeness", "low": 0.2, "high": 0.4},
            lambda row: row.completeness is not None and 0.2 <= row.completeness <= 0.4,
        ),
        ({"dimension": "tenant", "value": "t7"}, lambda row: row.segments["tenant"] == "t7"),
        ({"dimension": "tenant", "value": "(missing)"}, lambda row: "tenant" not in row.segments),
        ({"document": "d12"}, lambda row: int(row.log_id[4:]) % 400 == 12),
        ({"labelled": "yes"}, lambda row: row.labels == 1),
        ({"labelled": "no"}, lambda row: row.labels == 0),
    ],
)
def test_filters_keep_what_they_say(large: Engine, changes: dict[str, Any], holds: Any) -> None:
    """A filter shows exactly the rows that meet it."""
    with large.connect() as connection:
        every = read_logs(connection, ALL, most=100_000).rows
        found = read_logs(connection, replace(ALL, **changes), most=100_000).rows
    assert {row.log_id for row in found} == {row.log_id for row in every if holds(row)}


CHOICES: list[dict[str, Any]] = [
    {},
    {"descending": True},
    {"sort": "completeness"},
    {"sort": "time"},
    {"status": "failed", "sort": "time"},
    {"kind": "refusal"},
    {"dimension": "tenant", "value": "t49"},
    {"metric": "relevance", "low": 0.0, "high": 0.001},
    {"labelled": "yes"},
    {"document": "d12"},
    {"dimension": "tenant", "value": "(missing)"},
]


@pytest.mark.parametrize("changes", CHOICES, ids=str)
def test_a_list_reads_its_months_alone_and_by_an_index(large: Engine, changes: dict[str, Any]) -> None:
    """A night of October is read from October's partition, and no part of it row by row from end to end."""
    with large.connect() as connection:
        explained = Plans(connection)
        read_logs(connection, replace(NIGHT, **changes))
    found = explained.last().split("->  Append")[0]  # what follows looks each shown row up by its key
    assert "evaluation_2026_10" in found
    assert not re.search(r"(?m)^[ ->]*Seq Scan on evaluation_\d{4}", explained.last())
    assert "evaluation_2026_09" not in found


def test_the_worst_of_all_nights_are_read_off_an_index(large: Engine) -> None:
    """Over the whole history the first page comes in order from the months' indexes: nothing is sorted whole."""
    with large.connect() as connection:
        explained = Plans(connection)
        read_logs(connection, replace(ALL, status="scored"))
    assert "Merge Append" in explained.last()
    assert "Seq Scan on evaluation" not in explained.last()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1~2",
        "nan~2026-10-01T00:00:00+00:00~a",
        "1~2026-10-01T00:00:00~a",
        "1~yesterday~a",
        "1~2026-10-01T00:00:00+00:00~\x00",
    ],
)
def test_a_mangled_place_is_the_first_page(text: str) -> None:
    """An address that was cut or edited shows the first page."""
    assert Place.from_text(text) is None


def test_a_place_goes_through_an_address() -> None:
    """Key, time and an id with the separator in it come back as they went."""
    place = Place(0.1 + 0.2, moment(DAY), 'a~b/c %"é')
    assert Place.from_text(place.to_text()) == place


HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script> javascript:alert(3) \"' \u202e"


def test_the_page_shows_hostile_texts_as_text(
    engine: Engine, database: str, make_pipeline: MakePipeline
) -> None:
    """Ids, segments and sentences that hold markup are escaped; each row's link leads to its log."""
    strange = f"a/b c%\"'é&?# {HOSTILE}"
    insert(
        engine,
        a_log(
            strange, response=f"Penguins eat {HOSTILE} bananas.", segments={"tenant": HOSTILE, HOSTILE: "x"}
        ),
        a_log("word", response="w" * 300_000),
    )
    night(make_pipeline())
    with site(database) as client:
        page = client.get("/logs", params={"day": DAY.isoformat(), "nights": 7})
        assert page.status_code == 200
        assert "<img" not in page.text and "<script>alert" not in page.text
        assert "&lt;img src=x onerror=alert(1)&gt;" in page.text
        links = [html.unescape(found) for found in re.findall(r'href="(/log\?[^"]+)"', page.text)]
        assert len(links) == 2
        for link in links:
            found = client.get(link)
            assert found.status_code == 200
            assert "<img" not in found.text and "<script>alert" not in found.text
        assert "2026-10-01T12:00:00+00:00,word,scored" in client.get("/logs", params={"format": "csv"}).text
        for wrong in ({"sort": "x"}, {"low": "x"}, {"high": "101"}, {"order": "x"}, {"document": "\x00"}):
            assert client.get("/logs", params=wrong).status_code == 400


def test_the_tail_of_a_segment_is_explained(
    engine: Engine, database: str, make_pipeline: MakePipeline
) -> None:
    """The value `other` of a trend stands in no log: the list says so, and only there."""
    insert(engine, a_log("one", segments={"tenant": "acme"}))
    night(make_pipeline())
    with site(database) as client:
        tail, known = (
            client.get("/logs", params={"dimension": "tenant", "value": value}).text
            for value in ("other", "acme")
        )
    assert "(setting segment_values)" in tail and "No log of these nights fits." in tail
    assert "segment_values" not in known and "log=one" in known


def test_without_nights_the_page_says_no_data(database: str) -> None:
    """An empty schema is a sentence, not an error."""
    with site(database) as client:
        for page in ("/logs", "/corpus"):
            assert "no data" in client.get(page).text
