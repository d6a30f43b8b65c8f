"""A change of the scorer, bridged: the watch goes on, and the change is not taken for a drop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text

from tests.fakes import FakeScorer, use_scorers
from trace_core.errors import ConfigurationError
from trace_core.records import Log
from trace_pipeline.context import Pipeline
from trace_pipeline.load import load_logs
from trace_pipeline.nightly import run_window
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.measure_bridge import measure_bridge
from trace_pipeline.window import Window

START = datetime(2026, 9, 1, 12, tzinfo=UTC)
NIGHTS, LOGS = 40, 60
MakePipeline = Callable[..., Pipeline]


def rows() -> Iterator[dict[str, object]]:
    """Yield logs whose id says how good they are."""
    for night in range(NIGHTS):
        for number in range(LOGS):
            yield {
                "log_id": f"{night:02d}-{number:02d}-{(number * 7 + night * 3) % 10}",
                "logged_at": START + timedelta(days=night, seconds=number),
                "question": "q?",
                "documents": ["d"],
                "response": "r",
                "segments": {"tenant": "a" if number % 2 else "b"},
            }


def old(log: Log) -> float:
    """Score nine of ten logs 1."""
    return float(log.log_id[-1] != "0")


def new(log: Log) -> float:
    """A stricter scorer: it also refuses two more of ten."""
    return float(log.log_id[-1] not in "012")


@pytest.fixture
def changed(engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    """All nights scored by the old fingerprint but the last three, which the new one scored; ten nights by both."""
    for _ in load_logs(engine, rows()):
        pass
    first = START.date()
    use_scorers(monkeypatch, FakeScorer("fake", "old", old))
    run_window(make_pipeline(scorers="fake"), Window(first, first + timedelta(days=NIGHTS - 4)), late_days=0)
    use_scorers(monkeypatch, FakeScorer("fake", "new", new))
    pipeline = make_pipeline(scorers="fake")
    window = Window(first + timedelta(days=NIGHTS - 13), first + timedelta(days=NIGHTS - 1))
    run_window(pipeline, window, late_days=0)
    return pipeline


def overlap() -> Window:
    """The nights that both have scored."""
    return Window(START.date() + timedelta(days=NIGHTS - 13), START.date() + timedelta(days=NIGHTS - 1))


def states(engine: Engine) -> list[tuple[str, str | None]]:
    """State and event of each night of adherence."""
    with engine.connect() as connection:
        found = connection.execute(
            text(
                "select state, event from trace.drift_check where metric = 'adherence' and measure = '' order by day"
            )
        )
        return [(row.state, row.event) for row in found]


def test_without_a_bridge_the_watch_learns_again(changed: Pipeline, engine: Engine) -> None:
    """A new fingerprint is said once; its nights are not compared with those before."""
    detect_drift(changed)
    found = states(engine)
    assert [event for _, event in found if event] == ["scorer_changed"]
    assert found[-1][0] == "learning"


def test_with_a_bridge_the_watch_goes_on(changed: Pipeline, engine: Engine) -> None:
    """The shift is stored with its interval, no night is learning again and nothing is taken for a drop."""
    sentences = measure_bridge(changed, overlap())
    assert any("adherence" in sentence and "-20.00 points" in sentence for sentence in sentences)
    detect_drift(changed)
    found = states(engine)
    assert found[-1] == ("ok", None)
    assert not [event for _, event in found if event]
    with engine.connect() as connection:
        trend = connection.execute(
            text(
                "select mean, spliced_mean from trace.metric_trend where metric = 'adherence' and dimension = ''"
                " and fingerprint = 'old' order by day"
            )
        ).all()
        (shift,) = connection.execute(
            text("select shift, low, high, n from trace.scorer_bridge where metric = 'adherence'")
        ).all()
    assert all(row.spliced_mean == pytest.approx(row.mean - 0.2) for row in trend)
    assert shift.low < -0.2 < shift.high
    assert shift.n == 10 * LOGS


def test_a_drop_behind_a_bridge_is_still_found(
    changed: Pipeline, engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quality that falls with the new scorer, beyond its shift, opens an incident."""
    measure_bridge(changed, overlap())
    use_scorers(monkeypatch, FakeScorer("fake", "new", lambda log: float(log.log_id[-1] in "34")))
    last = START.date() + timedelta(days=NIGHTS - 1)
    run_window(make_pipeline(scorers="fake"), Window(last - timedelta(days=1), last), late_days=0, force=True)
    detect_drift(changed)
    assert "opened" in [event for _, event in states(engine)]


def test_measuring_twice_changes_nothing(changed: Pipeline, engine: Engine) -> None:
    """A bridge measured again on the same logs is the same."""
    measure_bridge(changed, overlap())
    query = "select metric, n, shift, low, high, cells::text from trace.scorer_bridge order by metric"
    with engine.connect() as connection:
        before = connection.execute(text(query.replace("::text", ""))).all()
    measure_bridge(changed, overlap())
    with engine.connect() as connection:
        assert connection.execute(text(query.replace("::text", ""))).all() == before


def test_a_bridge_needs_an_overlap(changed: Pipeline) -> None:
    """Days that the earlier version has not scored, or too few logs, are refused in a sentence."""
    last = START.date() + timedelta(days=NIGHTS - 1)
    with pytest.raises(ConfigurationError, match="no earlier fingerprint"):
        measure_bridge(changed, Window(last, last))
    few = START.date() + timedelta(days=NIGHTS - 13)
    with pytest.raises(ConfigurationError, match="fewer than 200"):
        measure_bridge(changed, Window(few, few))
