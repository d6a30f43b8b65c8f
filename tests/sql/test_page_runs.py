"""Runs: ledger, quarantine by reason and page by page, evaluation log."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, Engine

from tests.conftest import cloned
from tests.sql.pages import Client, site
from tests.sql.tools import DAY, a_log, noon
from trace_core.evaluation_log import HEADER
from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local.postgres import Server
from trace_pipeline.nightly import run_window
from trace_pipeline.pages.database import PageDatabase, PageUrls
from trace_pipeline.pages.overview import read_ledger
from trace_pipeline.pages.runs import ledger_table, read_evaluation_log, read_quarantined, read_reasons
from trace_pipeline.settings import load_settings
from trace_pipeline.window import Window

DAYS = (DAY, DAY + timedelta(days=1))


@pytest.fixture(scope="module")
def url(server: Server, admin: Engine, template: str) -> Iterator[str]:
    """A night with two good answers, one bad, one empty, and three that cannot be read; then a night without logs."""
    for url in cloned(server, admin, template):
        engine = connect(url, setting="test")
        logs = [
            a_log("good-1"),
            a_log("good-2", noon(minutes=1)),
            a_log("bad", noon(minutes=2), response="Unicorns graze on the moon."),
            a_log("empty", noon(minutes=3), response=""),
            *(a_log(f"unread-{i}", noon(minutes=4 + i), question=None) for i in range(2)),
            a_log("listless", noon(minutes=9), documents={"a": 1}),
        ]
        for _ in load_logs(engine, logs):
            pass
        engine.dispose()
        pipeline = open_pipeline(load_settings(), results_url=url)
        run_window(pipeline, Window(*DAYS), late_days=0)
        pipeline.close()
        yield url


@pytest.fixture
def connection(url: str) -> Iterator[Connection]:
    """A reading transaction of the pages."""
    pages = PageDatabase(partial(PageUrls, url, url))
    with pages.read() as opened:
        yield opened
    pages.close()


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    """A browser on the pages."""
    with site(url) as found:
        yield found


def test_the_ledger_is_the_latest_night_first_and_says_that_it_balances(connection: Connection) -> None:
    """With its reasons, the most frequent first."""
    empty, full = ledger_table(read_ledger(connection, "lexical", DAYS))
    assert (empty["source_rows"], empty["balanced"], empty["reasons"]) == (0, True, [])
    assert (full["source_rows"], full["scored"], full["quarantined"], full["skipped"]) == (7, 3, 3, 1)
    assert full["balanced"] and full["reasons"][0] == ("missing_question", 2)


def test_each_line_names_the_run_that_wrote_it(url: str, client: Client) -> None:
    """In the view, on the page and in the download, so that a night leads to its run in Airflow."""
    pipeline = open_pipeline(load_settings(), results_url=url, run_id="scheduled__<night>")
    run_window(pipeline, Window(*DAYS), late_days=0)
    pipeline.close()
    page = client.get("/runs?nights=7").text
    assert "scheduled__&lt;night&gt;" in page and "scheduled__<night>" not in page
    rows = list(csv.DictReader(client.get("/runs?nights=7&format=csv").text.splitlines()))
    assert {row["run_id"] for row in rows} == {"scheduled__<night>"}


def test_reasons_are_counted_and_explained(connection: Connection) -> None:
    """Each with its sentence."""
    reasons = read_reasons(connection, DAYS, "UTC")
    assert [(row.reason, row.logs) for row in reasons] == [
        ("missing_question", 2),
        ("documents_not_a_list", 1),
    ]
    assert all(row.sentence.endswith(".") for row in reasons)


def test_quarantined_logs_come_page_by_page(connection: Connection) -> None:
    """The latest first, none twice, none left out."""
    first = read_quarantined(connection, DAYS, "UTC", most=2)
    last = first[-1]
    rest = read_quarantined(connection, DAYS, "UTC", before=(last.logged_at, last.log_id), most=2)
    assert [row.log_id for row in (*first, *rest)] == ["listless", "unread-1", "unread-0"]
    assert [row.log_id for row in read_quarantined(connection, DAYS, "UTC", reason="missing_question")] == [
        "unread-1",
        "unread-0",
    ]


def test_the_evaluation_log_has_its_header_once(connection: Connection) -> None:
    """And the worst answer first."""
    found = read_evaluation_log(connection, "lexical", DAY, "UTC")
    assert found is not None
    lines = found.splitlines()
    assert lines.count(HEADER) == 1 and lines[0] == HEADER
    assert lines[1].startswith("bad:")


def test_a_night_without_answers_has_no_evaluation_log(connection: Connection) -> None:
    """Nor one that was never scored."""
    assert read_evaluation_log(connection, "lexical", DAYS[1], "UTC") is None
    assert read_evaluation_log(connection, "nobody", DAY, "UTC") is None


def test_the_page_shows_the_evaluation_log_of_the_chosen_night(client: Client) -> None:
    """Its header once; of the last night unless another one is chosen."""
    chosen = client.get(f"/runs?night={DAY}").text
    assert chosen.count(HEADER) == 1 and f"Worst answers of {DAY}" in chosen and "bad:" in chosen
    last = client.get("/runs").text
    assert f"Worst answers of {DAYS[1]}" in last and "No answer was scored on that night" in last
    assert client.get("/runs?night=yesterday").status_code == 400


@pytest.mark.parametrize(
    ("address", "rows"),
    [
        ("/runs?format=csv", 2),
        ("/runs?format=csv&table=reasons", 2),
        ("/quarantine?format=csv", 3),
        ("/quarantine?format=csv&reason=missing_question", 2),
        ("/quarantine?format=csv&reason=unheard_of", 0),
    ],
)
def test_each_table_is_a_download_of_all_its_rows(client: Client, address: str, rows: int) -> None:
    """With a header row, also when it is empty."""
    got = client.get(address)
    assert got.headers["content-type"].startswith("text/csv")
    assert len(list(csv.DictReader(got.text.lstrip("\ufeff").splitlines()))) == rows


def test_a_download_is_not_cut_at_a_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page shows some and links to older ones; the download holds them all."""
    monkeypatch.setattr("rag_quality.routes.runs.PAGE_ROWS", 1)
    assert "Older logs" in client.get("/quarantine").text
    assert client.get("/quarantine?format=csv").text.count("\n") == 4
