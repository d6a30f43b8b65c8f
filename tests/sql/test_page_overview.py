"""Overview: choices, the trend, the headline; and what it costs to read them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from sqlalchemy import Connection, Engine, text

from tests.conftest import cloned
from tests.sql.tools import DAY, a_log, noon
from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local.postgres import Server
from trace_pipeline.nightly import run_window
from trace_pipeline.pages.database import PageDatabase, PageUrls
from trace_pipeline.pages.incidents import IncidentRow
from trace_pipeline.pages.overview import (
    headline_of,
    nights_of,
    read_choices,
    read_ledger,
    read_releases,
    read_trend,
)
from trace_pipeline.settings import load_settings
from trace_pipeline.window import Window

LAST = DAY + timedelta(days=4)
DAYS = (DAY, LAST)
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def url(server: Server, admin: Engine, template: str) -> Iterator[str]:
    """Five nights, the third without logs, the fourth with a new release; a segment value like markup."""
    for found in cloned(server, admin, template):
        engine = connect(found, setting="test")
        logs = [
            a_log(f"{n}-{i}", noon(DAY + timedelta(days=n), minutes=i), segments=segments)
            for n in (0, 1, 3, 4)
            for i, segments in enumerate(
                [
                    {"tenant": "acme", "app_version": "2" if n > 2 else "1"},
                    {"tenant": HOSTILE, "app_version": "1"},
                ]
            )
        ]
        for _ in load_logs(engine, logs):
            pass
        engine.dispose()
        pipeline = open_pipeline(load_settings(), results_url=found)
        run_window(pipeline, Window(DAY, LAST), late_days=0)
        pipeline.close()
        yield found


@pytest.fixture
def pages(url: str) -> Iterator[PageDatabase]:
    """The pages' way to the database."""
    found = PageDatabase(lambda: PageUrls(url, url))
    yield found
    found.close()


@pytest.fixture
def connection(pages: PageDatabase) -> Iterator[Connection]:
    """A reading transaction of the pages."""
    with pages.read() as opened:
        yield opened


def test_pages_read_as_trace_reader_and_cannot_write(connection: Connection) -> None:
    """Whatever the login may do: the role is the reader's, the transaction is read-only and does not last."""
    assert connection.scalar(text("select current_user")) == "trace_reader"
    assert connection.scalar(text("show transaction_read_only")) == "on"
    assert connection.scalar(text("show statement_timeout")) == "5s"


def test_the_choices_are_what_has_results(connection: Connection) -> None:
    """Scorers, the last night, and segment values as they are."""
    found = read_choices(connection, "", "lexical")
    assert (found.scorer, found.last_day) == ("lexical", LAST)
    assert found.segments["tenant"] == (HOSTILE, "acme")


def test_a_scorer_without_results_is_kept_and_has_no_nights(connection: Connection) -> None:
    """So that the page says so instead of showing another one's numbers."""
    found = read_choices(connection, "judge", "lexical")
    assert (found.scorer, found.last_day) == ("judge", None)
    assert "judge" in found.scorers and nights_of(found, 30, None) is None


def test_without_any_results_there_is_nothing_to_choose(database: str) -> None:
    """On a new installation."""
    empty = PageDatabase(lambda: PageUrls(database, database))
    with empty.read() as opened:
        found = read_choices(opened, "", "lexical")
    empty.close()
    assert (found.scorer, found.last_day, dict(found.segments)) == ("lexical", None, {})


def test_the_trend_has_a_row_a_night_and_metric(connection: Connection) -> None:
    """A night without logs is there, without a mean."""
    trend = read_trend(connection, "lexical", "", "", DAYS)
    rows = trend[trend["metric"] == "adherence"]
    assert list(rows["day"]) == [DAY + timedelta(days=n) for n in range(5)]
    assert list(rows["n"]) == [2, 2, 0, 2, 2]
    assert rows["mean"].isna().tolist() == [False, False, True, False, False]


def test_a_segment_has_a_trend_of_its_own(connection: Connection) -> None:
    """Also one whose value looks like markup."""
    trend = read_trend(connection, "lexical", "tenant", HOSTILE, DAYS)
    assert set(trend[trend["metric"] == "adherence"]["n"]) == {1}


def test_a_release_is_first_seen_after_the_first_night(connection: Connection) -> None:
    """One that was always there is not new."""
    assert read_releases(connection, "lexical", "app_version", DAYS) == [("2", DAY + timedelta(days=3))]


def test_the_ledger_balances(connection: Connection) -> None:
    """A line a night, the empty one with zeros."""
    ledger = read_ledger(connection, "lexical", DAYS)
    assert list(ledger["source_rows"]) == [2, 2, 0, 2, 2]


def incident(size: float, state: str = "open", dimension: str = "tenant") -> IncidentRow:
    """Return an incident of adherence."""
    return IncidentRow(
        1, "lexical", "adherence", state, DAY, DAY, None, dimension, "acme" if dimension else "", size,
        None, None, None, None, None, None, 0, "",
    )  # fmt: skip


def test_the_headline_says_what_is_and_how_it_compares(connection: Connection) -> None:
    """Mean over the nights with data, n, and the open incident in words; without one, the watch's state."""
    trend = read_trend(connection, "lexical", "", "", DAYS)
    head = headline_of(trend, "adherence", [incident(-0.291)])
    assert (head.mean, head.n, head.nights) == (1.0, 8, 4)
    assert head.words == f"down 29.1 points in tenant = acme since {DAY}"
    assert headline_of(trend, "adherence", [incident(-0.291, "closed")]).words == "not watched for drift"
    assert "up 5.0 points since" in headline_of(trend, "adherence", [incident(0.05, dimension="")]).words


def test_a_metric_without_data_is_not_zero(connection: Connection) -> None:
    """It has no mean, and says so."""
    head = headline_of(read_trend(connection, "lexical", "tenant", "nobody", DAYS), "adherence", [])
    assert (head.mean, head.low, head.words) == (None, None, "no data")


def test_nights_end_where_asked() -> None:
    """Seven nights until a day hold that day and the six before."""
    from trace_pipeline.pages.overview import Choices

    assert nights_of(Choices("s", ("s",), LAST, {}), 7, date(2026, 3, 1)) == (
        date(2026, 2, 23),
        date(2026, 3, 1),
    )
