"""detect_drift on stored nights: what it reads, and what it writes once."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine

from tests.sql.tools import DAY, MakePipeline, night, rows
from tests.sql.watching import SCORER, Script, day, follow, publish
from trace_pipeline.steps.detect_drift import detect_drift, load_nights

WRITTEN = (
    "select 'check', xmin::text, d.metric || d.day || d.measure || d.dimension || d.value from trace.drift_check d"
    " union all select 'incident', xmin::text, incident_id::text from trace.incident order by 1, 3"
)
STATES = (
    "select day, state, event from trace.drift_check where metric = 'adherence' and measure = '' order by day"
)


def test_no_nights_at_all(engine: Engine, make_pipeline: MakePipeline) -> None:
    """A watch before the first night says and writes nothing."""
    assert detect_drift(make_pipeline()) == []
    assert rows(engine, WRITTEN) == []


def test_a_real_drop_opens_one_incident(engine: Engine, make_pipeline: MakePipeline) -> None:
    """Sixty quiet nights, then ten points down: one incident a metric, on the nights after the drop, in the view."""
    publish(engine, {number: 90 - (number % 3) for number in range(60)})
    publish(engine, {number: 70 - (number % 3) for number in range(60, 64)})
    sentences = detect_drift(make_pipeline())
    assert len(sentences) == 3 and "adherence" in sentences[0]
    found = rows(
        engine,
        "select metric, state, onset_day >= :drop, abs(size) > 0.1 from trace.incident_history order by 1",
        drop=day(59),
    )
    assert found == [("adherence", "open", True, True), ("completeness", "open", True, True)]
    assert rows(
        engine,
        "select distinct state from trace.metric_trend where day = :day and metric = 'adherence'",
        day=day(63),
    ) == [("incident",)]


def test_watching_twice_writes_nothing_new(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The same nights give the same verdicts, and no row is written again."""
    publish(engine, {number: 90 - (number % 3) if number < 40 else 60 for number in range(44)})
    detect_drift(make_pipeline())
    before = rows(engine, WRITTEN)
    assert {"check", "incident"} == {row[0] for row in before}
    detect_drift(make_pipeline())
    assert rows(engine, WRITTEN) == before


def test_a_night_that_is_missing_has_no_data(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day without a ledger line and a day without logs are both no_data, never a day of zero."""
    follow(monkeypatch, Script({}))
    publish(engine, [0, 1, 4])
    night(make_pipeline(), day(5))
    detect_drift(make_pipeline())
    assert [row[1] for row in rows(engine, STATES)] == ["ok", "ok", "no_data", "no_data", "ok", "no_data"]
    assert rows(engine, "select observed from trace.drift_check where state = 'no_data'") == [(None,)] * 7


def test_history_is_bounded(engine: Engine) -> None:
    """Of many nights the last history_days are read."""
    publish(engine, [0, 10, 20, 30])
    with engine.connect() as connection:
        nights = list(load_nights(connection, SCORER, "adherence", 15))
    assert [seen.day for seen in nights][::10] == [day(20), day(30)]


def test_other_scorers_and_metrics_are_not_read(engine: Engine) -> None:
    """A night is of the watched scorer and metric alone."""
    publish(engine, [0])
    with engine.connect() as connection:
        assert list(load_nights(connection, "another", "adherence", 400)) == []
        assert list(load_nights(connection, SCORER, "relevance", 400)) == []


def test_segments_add_up_to_the_night(engine: Engine, make_pipeline: MakePipeline) -> None:
    """What the detector sees of a dimension sums to the total, quarantined rows left out."""
    from tests.sql.tools import a_log, insert

    insert(
        engine,
        *(
            a_log(f"{n}", segments={"tenant": str(n % 4)}, question=(n % 5 and "Why?") or None)
            for n in range(40)
        ),
    )
    night(make_pipeline(segment_values=2))
    with engine.connect() as connection:
        (seen,) = load_nights(connection, SCORER, "adherence", 400)
    assert seen.day == DAY
    for cells in seen.segments.values():
        assert sum(cell.n for cell in cells.values()) == seen.total.n == 32
        assert sum(cell.total for cell in cells.values()) == pytest.approx(seen.total.total)


def test_days_are_dates(engine: Engine) -> None:
    """A night's day is a plain date, as the detector's order of days needs."""
    publish(engine, [0])
    with engine.connect() as connection:
        (seen,) = load_nights(connection, SCORER, "adherence", 400)
    assert type(seen.day) is date
