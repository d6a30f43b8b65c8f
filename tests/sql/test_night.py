"""A night, from the source's rows to the ledger and the sums."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from sqlalchemy import Engine, text

from tests.conftest import checksum
from trace_pipeline.context import Pipeline
from trace_pipeline.load import load_logs
from trace_pipeline.nightly import run_window
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.window import Window

FIRST = date(2026, 10, 1)


def fill(engine: Engine, nights: int = 3, logs: int = 60) -> None:
    """Write a few nights of sample traffic."""
    settings = SampleSettings(
        first_day=FIRST, nights=nights, logs_per_night=logs, malformed_share=0.1, release_night=None
    )
    for _ in load_logs(engine, generate(settings)):
        pass


def test_running_a_night_twice_changes_nothing(
    engine: Engine, make_pipeline: Callable[..., Pipeline]
) -> None:
    """The second run finds every log known and leaves all rows as they are."""
    fill(engine)
    window = Window(FIRST, FIRST + timedelta(days=2))
    first = run_window(make_pipeline("one"), window, late_days=0)
    before = checksum(engine)
    second = run_window(make_pipeline("two"), window, late_days=7)
    assert first.changed == first.read > 100
    assert second.changed == 0
    assert checksum(engine) == before


def test_batches_of_any_size_give_the_same_rows(
    engine: Engine, make_pipeline: Callable[..., Pipeline]
) -> None:
    """One batch or fifty, forced again over the same rows: the same evaluations, sums and ledger."""
    fill(engine)
    window = Window(FIRST, FIRST + timedelta(days=2))
    run_window(make_pipeline(), window, late_days=0)
    before = checksum(engine)
    run_window(make_pipeline(batch_rows=4, max_batches=50), window, late_days=0, force=True)
    assert checksum(engine) == before


def test_an_empty_night_is_a_row_of_zeros(engine: Engine, make_pipeline: Callable[..., Pipeline]) -> None:
    """No logs: a ledger line of zeros, no mean, the state no_data."""
    run_window(make_pipeline(), Window(FIRST, FIRST), late_days=7)
    with engine.connect() as connection:
        ledger = connection.execute(text("select day, source_rows, scored from trace.ledger")).all()
        trend = connection.execute(text("select metric, mean, state from trace.metric_trend")).all()
    assert [tuple(row) for row in ledger] == [(FIRST, 0, 0)]
    assert len(trend) == 5
    assert {(row.mean, row.state) for row in trend} == {(None, "no_data")}
