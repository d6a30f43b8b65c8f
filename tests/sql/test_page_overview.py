"""Overview: choices, the trend, the headline; and what it costs to read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import Connection, Engine, text

from tests.conftest import cloned
from tests.sql.pages import site
from tests.sql.tools import DAY, a_log, noon
from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local.postgres import Server
from trace_pipeline.nightly import run_window
from trace_pipeline.pages.database import PageDatabase, PageUrls
from trace_pipeline.pages.incidents import IncidentFilter, IncidentRow
from trace_pipeline.pages.overview import (
    headline_of,
    nights_of,
    read_choices,
    read_ledger,
    read_releases,
)
from trace_pipeline.pages.trend import read_trend
from trace_pipeline.pages.worst import worst_of
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


def test_three_answers_show_the_largest_open_drop(connection: Connection) -> None:
    """Of its segment and its latest nights."""
    small = replace(incident(-0.01), value=HOSTILE)
    found = worst_of(connection, [small, incident(-0.2)], DAYS, "UTC")
    assert found is not None and found.incident.value == "acme"
    assert len(found.rows) == 3 and {row.segments["tenant"] for row in found.rows} == {"acme"}
    late = worst_of(connection, [replace(incident(-0.2), onset_day=LAST)], DAYS, "UTC")
    assert late is not None and [row.log_id for row in late.rows] == ["4-0"]


@pytest.mark.parametrize(
    "row",
    [
        incident(-0.2, "closed"),
        incident(0.2),
        replace(incident(-0.2), metric="refusal_rate"),
        replace(incident(-0.2), onset_day=LAST + timedelta(days=1)),
        replace(incident(-0.2), scorer="nobody"),
    ],
    ids=["closed", "a rise", "a rate", "later than shown", "a scorer without versions"],
)
def test_what_has_no_worst_answers_shows_none(connection: Connection, row: IncidentRow) -> None:
    """Neither does a page without incidents."""
    assert worst_of(connection, [row], DAYS, "UTC") is None
    assert worst_of(connection, [], DAYS, "UTC") is None


def test_the_page_leads_to_the_worst_answers_and_shows_texts_as_texts(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Incidents are asked for the chosen segment alone; a value like markup stays text."""
    asked: list[IncidentFilter] = []

    def listed(_connection: Connection, wanted: IncidentFilter) -> list[IncidentRow]:
        asked.append(wanted)
        return [replace(incident(-0.2), value=HOSTILE)]

    monkeypatch.setattr("rag_quality.routes.overview.list_incidents", listed)
    with site(url) as client:
        page = client.get("/?" + urlencode({"dimension": "tenant", "value": HOSTILE}))
    assert page.status_code == 200 and (asked[0].dimension, asked[0].value) == ("tenant", HOSTILE)
    assert "Worst answers by adherence" in page.text and 'href="/log?' in page.text
    assert HOSTILE not in page.text and "&lt;img src=x" in page.text


def test_a_tab_on_another_dag_says_what_the_pages_are_about(url: str) -> None:
    """Airflow shows a plugin's tab on every DAG."""
    words = "Airflow shows this tab on every DAG"
    with site(url) as client:
        assert words in client.get("/?dag_id=invoices").text
        assert words not in client.get("/?dag_id=trace_watch_drift").text
        assert words not in client.get("/").text


@pytest.mark.parametrize("page", ["", "logs", "corpus", "runs"])
def test_a_scorer_without_nights_leads_to_those_that_have_some(url: str, page: str) -> None:
    """Links keep the state of a view, so a wrong name would otherwise be kept for good."""
    with site(url) as client:
        text = client.get(f"/{page}", params={"scorer": HOSTILE, "nights": "90"}).text
        assert "no data" in text.lower() and "Scorers with results" in text and HOSTILE not in text
        assert client.get(f"/{page}?scorer=lexical&nights=90").status_code == 200
        assert f'href="/{page}?scorer=lexical&amp;nights=90"' in text


def test_the_unscored_stand_with_their_share_of_the_logs(url: str) -> None:
    """A night's unscored logs are held against all of its logs."""
    with site(url) as client:
        page = client.get("/").text
    assert '<span class="small">0.0 % of ' in page


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
