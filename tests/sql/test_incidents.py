"""Incidents: what a replay stores, moves, closes and withdraws."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine

from tests.sql.tools import MakePipeline, rows
from tests.sql.watching import Script, day, follow, publish
from trace_pipeline.steps.detect_drift import detect_drift

INCIDENTS = (
    "select incident_id, state, onset_day, opened_day, closed_day from trace.incident where metric = 'adherence'"
    " order by 1"
)


@pytest.fixture
def script(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Twenty published nights, and a script that the watch follows; it is still empty."""
    publish(engine, range(20))
    script = Script({})
    follow(monkeypatch, script)
    return script


def test_an_incident_opens_and_closes(engine: Engine, make_pipeline: MakePipeline, script: Script) -> None:
    """One row from the opening on; its nights point to it, also the one that ends it."""
    script.events = {5: "opened", 9: "recovered"}
    detect_drift(make_pipeline(watch_metrics="adherence"))
    assert rows(engine, INCIDENTS) == [(1, "closed", day(4), day(5), day(9))]
    assert rows(
        engine, "select array_agg(day order by day) from trace.drift_check where incident_id = 1"
    ) == [([day(number) for number in range(5, 10)],)]


def test_a_restated_night_moves_an_incident(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """Opened a night later, or with another onset, it is still the same incident."""
    script.events = {5: "opened"}
    detect_drift(make_pipeline(watch_metrics="adherence"))
    script.events, script.onset_shift = {6: "opened"}, 3
    detect_drift(make_pipeline(watch_metrics="adherence"))
    assert rows(engine, INCIDENTS) == [(1, "open", day(2), day(6), None)]


def test_an_incident_that_restated_nights_no_longer_show_is_withdrawn(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """It stays in the table, out of the view, and its nights no longer point to it."""
    script.events = {5: "opened"}
    detect_drift(make_pipeline(watch_metrics="adherence"))
    script.events = {}
    detect_drift(make_pipeline(watch_metrics="adherence"))
    assert [row[1] for row in rows(engine, INCIDENTS)] == ["withdrawn"]
    assert rows(engine, "select * from trace.incident_history") == []
    assert (
        rows(engine, "select * from trace.drift_check where incident_id is not null or event is not null")
        == []
    )
    detect_drift(make_pipeline(watch_metrics="adherence"))
    assert len(rows(engine, INCIDENTS)) == 1


def test_an_incident_that_comes_back_is_the_same(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """Late logs hide a change for a night: when it shows again, it is the incident that people were told of."""
    for events in ({5: "opened"}, {}, {6: "opened"}):
        script.events = events
        detect_drift(make_pipeline(watch_metrics="adherence"))
    assert rows(engine, INCIDENTS) == [(1, "open", day(5), day(6), None)]


def test_two_incidents_stay_two(engine: Engine, make_pipeline: MakePipeline, script: Script) -> None:
    """A later one never takes the place of an earlier one, however often they are told."""
    script.events = {3: "opened", 6: "recovered", 12: "opened", 15: "rebaselined"}
    for _ in range(3):
        detect_drift(make_pipeline(watch_metrics="adherence"))
    assert rows(engine, INCIDENTS) == [
        (1, "closed", day(2), day(3), day(6)),
        (2, "closed", day(11), day(12), day(15)),
    ]


def test_a_new_scorer_ends_an_open_incident(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """What was measured before can no longer be followed."""
    script.events = {3: "opened", 8: "scorer_changed"}
    detect_drift(make_pipeline(watch_metrics="adherence"))
    assert [row[1] for row in rows(engine, INCIDENTS)] == ["closed"]


def test_metrics_have_incidents_of_their_own(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """The same change in two metrics is two incidents, and one metric's replay leaves the other's alone."""
    script.events = {3: "opened"}
    detect_drift(make_pipeline(watch_metrics=["adherence", "completeness"]))
    detect_drift(make_pipeline(watch_metrics="completeness"))
    assert rows(engine, "select metric, state from trace.incident order by 1") == [
        ("adherence", "open"),
        ("completeness", "open"),
    ]


def test_an_incident_older_than_the_replay_stays(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """Nights beyond watch_history_days are not replayed, so what they opened is not withdrawn."""
    script.events = {3: "opened", 6: "recovered"}
    detect_drift(make_pipeline(watch_metrics="adherence"))
    publish(engine, range(60, 80))
    detect_drift(make_pipeline(watch_metrics="adherence", watch_history_days=60))
    assert [row[1] for row in rows(engine, INCIDENTS)] == ["closed"]
    assert rows(engine, "select min(day) from trace.drift_check") == [(day(0),)]


def test_watches_at_the_same_time_open_one_incident(
    engine: Engine, make_pipeline: MakePipeline, script: Script
) -> None:
    """Two runs of the watch wait for each other."""
    script.events = {3: "opened"}
    pipelines = [make_pipeline(watch_metrics="adherence") for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(detect_drift, pipelines))
    assert len(rows(engine, INCIDENTS)) == 1
