"""Plans of the pages: no query of a page reads the whole of `evaluation`, and none can be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.conftest import cloned
from tests.sql.test_plans import DAY, FIRST, LAST, fill
from tests.sql.test_sql_files import used_parameters
from trace_pipeline.database import connect
from trace_pipeline.local.postgres import Server
from trace_pipeline.pages.log_filter import FIRST as FIRST_PLACE
from trace_pipeline.pages.log_filter import LAST as LAST_PLACE
from trace_pipeline.pages.log_filter import LogFilter
from trace_pipeline.sqlfiles import names, query, statement_of
from trace_pipeline.window import day_bounds

PAGES = [
    name
    for name in names("queries")
    if name.startswith(("page_", "strata_", "queue_")) or name in ("label_scorers", "label_verdicts")
]
# The lists of logs look each shown row up by its key at last, for which no month is named in the plan:
# tests/sql/test_page_logs.py holds what they search.
OF_NIGHTS = [
    name
    for name in PAGES
    if "to_at" in used_parameters(statement_of(f"queries/{name}.sql")) and not name.startswith("page_logs_")
]
MONTHS = 3  # of evaluations in the database of the test
START, END = day_bounds(DAY, "UTC")[0], day_bounds(DAY + timedelta(days=6), "UTC")[1]

#: What a page asks typically; a parameter that is new needs a value here.
TYPICAL: dict[str, Any] = {
    "after": 0,
    "before_at": None,
    "before_day": None,
    "before_id": None,
    "chosen_order": "never",
    "day": DAY,
    "dimension": "",
    "document": "",
    "fingerprint": "f",
    "first_day": DAY,
    "from_at": START,
    "from_day": DAY,
    "incident_id": 1,
    "last_day": DAY + timedelta(days=6),
    "log_id": "log-26000",
    "logged_at": START,
    "measure": "mean",
    "metric": "adherence",
    "metrics": ["adherence", "completeness"],
    "most": 50,
    "reason": "",
    "role": "trace_reader",
    "scorer": "s",
    "scorer_id": 1,
    "missing": "",
    "salt": "labels",
    "sure_bad": 0.6,
    "sure_good": 0.9,
    "zone": "UTC",
    "segment": "",
    "states": ["open", "closed"],
    "to_at": END,
    "to_day": DAY + timedelta(days=6),
    "value": "",
}


@pytest.fixture(scope="module")
def year(server: Server, admin: Engine, template: str) -> Iterator[Engine]:
    """Fifty thousand evaluations over three months, analysed; no test changes them."""
    for url in cloned(server, admin, template):
        engine = connect(url, setting="test")
        fill(engine)
        yield engine
        engine.dispose()


def plan_of(engine: Engine, name: str, **changes: Any) -> str:
    """Return the plan of a page's query with its typical parameters."""
    statement = statement_of(f"queries/{name}.sql")
    known = {**TYPICAL, **changes}
    if name.startswith("page_logs_"):
        known |= LogFilter(1, START, END).parameters(
            LAST_PLACE if name.endswith("before") else FIRST_PLACE, 50
        )
    place = {one: known[one] for one in used_parameters(statement)}
    compiled = query(name)
    with engine.connect() as connection:
        explained = connection.execute(text(f"explain {compiled.text}"), place)
        return "\n".join(row[0] for row in explained)


def months_scanned(plan: str) -> set[str]:
    """Return the months of evaluations that a plan reads from end to end."""
    return set(re.findall(r"Seq Scan on (evaluation_\d{4}_\d{2})", plan))


def months_read(plan: str) -> set[str]:
    """Return the months of evaluations that a plan touches at all."""
    return set(re.findall(r" on (evaluation_\d{4}_\d{2})", plan))


@pytest.mark.parametrize("name", PAGES)
def test_no_page_reads_every_evaluation(year: Engine, name: str) -> None:
    """Whatever a page asks, at most a month is read from end to end, never all of them."""
    assert (LAST - FIRST).days > 28 * (MONTHS - 1)
    plan = plan_of(year, name)
    assert len(months_scanned(plan)) < 2, plan


@pytest.mark.parametrize("name", OF_NIGHTS)
def test_a_page_about_nights_reads_their_month_alone(year: Engine, name: str) -> None:
    """A week in September is read from September's partition."""
    plan = plan_of(year, name)
    assert months_read(plan) <= {"evaluation_2026_09"}, plan


@pytest.mark.parametrize("metric", ["adherence", "completeness", "unscored_share", "refusal_rate"])
def test_the_evidence_of_an_incident_is_read_from_its_nights(year: Engine, metric: str) -> None:
    """By the key's time, whichever metric and segment the incident is about."""
    plan = plan_of(year, "page_incident_logs", metric=metric, segment='{"tenant": "acme"}')
    assert months_read(plan) == {"evaluation_2026_09"}
    assert not months_scanned(plan), plan


@pytest.mark.parametrize(
    ("wanted", "nights"),
    [
        ({}, 366),
        ({"kind": "refusal"}, 366),
        ({"dimension": "tenant", "value": "acme"}, 366),
        ({"dimension": "tenant", "value": "acme", "kind": "refusal"}, 31),
        ({"sort": "completeness"}, 31),
        ({"document": "d"}, 3),
    ],
)
def test_a_filter_that_reads_rows_searches_fewer_nights(wanted: dict[str, str], nights: int) -> None:
    """What no index answers is bounded in time; the page says so."""
    assert LogFilter(1, START, END, **wanted).most_nights == nights  # type: ignore[arg-type]
