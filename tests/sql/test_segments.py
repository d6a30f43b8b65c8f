"""Segments: values beyond the most frequent ones, missing ones, hostile names."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from tests.fakes import FakeScorer, use_scorers
from tests.sql.tools import MakePipeline, a_log, insert, night, rows

CELLS = (
    "select dimension, value, n, unscored from trace.daily_metric where metric = 'adherence' and dimension <> ''"
    ' order by dimension, value collate "C"'
)


@pytest.fixture
def run(make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch) -> MakePipeline:
    """Return a function that makes a pipeline with a scorer that always says 1."""
    use_scorers(monkeypatch, FakeScorer())
    return lambda **settings: make_pipeline(scorers="fake", **settings)


def test_the_tail_of_a_segment_is_other(engine: Engine, run: MakePipeline) -> None:
    """The most frequent values are kept, equal ones by name; the rest adds up to other, a value of that name too."""
    tenants = ["c"] * 3 + ["b"] * 2 + ["a"] * 2 + ["z", "y", "other"]
    insert(engine, *(a_log(f"{n}", segments={"tenant": tenant}) for n, tenant in enumerate(tenants)))
    night(run(segments="tenant", segment_values=2))
    assert rows(engine, CELLS) == [("tenant", "a", 2, 0), ("tenant", "c", 3, 0), ("tenant", "other", 5, 0)]


def test_empty_and_absent_values_are_missing(engine: Engine, run: MakePipeline) -> None:
    """An empty text, null, no name and no segments at all are one value: (missing)."""
    segments = [{"tenant": ""}, {"tenant": None}, {}, None, {"tenant": "(missing)"}, {"tenant": "a"}]
    insert(engine, *(a_log(f"{n}", segments=one) for n, one in enumerate(segments)))
    night(run(segments="tenant"))
    assert rows(engine, CELLS) == [("tenant", "(missing)", 5, 0), ("tenant", "a", 1, 0)]


def test_hostile_names_of_dimensions_and_values(engine: Engine, run: MakePipeline) -> None:
    """Quotes, percent signs, colons, braces, backslashes, commas and line breaks stand for themselves."""
    names = [
        'ten"ant',
        "o'ne %s",
        "a:b",
        "{x}",
        "back\\slash",
        "line\nbreak",
        "'; drop table trace.ledger; --",
    ]
    insert(engine, a_log("a", segments={name: name for name in names}))
    night(run(segments=names))
    assert rows(engine, CELLS) == sorted((name, name, 1, 0) for name in names)


def test_every_dimension_adds_up_to_the_day(engine: Engine, run: MakePipeline) -> None:
    """Quarantined rows count in their values as well, so each dimension accounts for each row."""
    insert(
        engine,
        *(a_log(f"{n}", segments={"tenant": str(n % 7), "model": str(n % 3)}) for n in range(30)),
        *(a_log(f"bad{n}", question=None, segments={"tenant": str(n)}) for n in range(5)),
    )
    night(run(segments="tenant,model", segment_values=3))
    sums = rows(
        engine,
        "select dimension, sum(n), sum(unscored) from trace.daily_metric where metric = 'average' group by 1 order by 1",
    )
    assert sums == [("", 30, 5), ("model", 30, 5), ("tenant", 30, 5)]


def test_a_value_that_is_gone_keeps_what_was_published(engine: Engine, run: MakePipeline) -> None:
    """Its row stays with n = 0; a value that came later was published as nothing."""
    insert(engine, a_log("a", segments={"tenant": "old"}))
    night(run(segments="tenant"))
    insert(engine, a_log("a", segments={"tenant": "new"}))
    night(run(segments="tenant"))
    found = rows(
        engine,
        "select value, n, published_n, published_total from trace.daily_metric"
        " where metric = 'average' and dimension = 'tenant' order by 1",
    )
    assert found == [("new", 1, 0, 0), ("old", 0, 1, 1)]


def test_no_dimensions_at_all(engine: Engine, run: MakePipeline) -> None:
    """segments = [] keeps the totals alone."""
    insert(engine, a_log("a"))
    night(run(segments=""))
    assert rows(engine, "select distinct dimension from trace.daily_metric") == [("",)]
