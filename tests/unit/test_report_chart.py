"""The terminal chart, read as text."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pandas as pd
import pytest
from rich.text import Text

from trace_pipeline.report import render_chart

TREND_COLUMNS = ["day", "scorer", "fingerprint", "dimension", "value", "metric"]
TREND_COLUMNS += ["n", "mean", "low", "high", "undefined", "unscored", "state"]


def trend_row(day: int = 0, **changes: Any) -> dict[str, Any]:
    """One row of a trend frame: 391 answers with an adherence of 90 % on the day-th night."""
    values = [date(2026, 11, 1) + timedelta(days=day), "heuristic", "0123456789abcdef", "", "", "adherence"]
    values += [391, 0.9, 0.88, 0.92, 4, 12, "ok"]
    return dict(zip(TREND_COLUMNS, values, strict=True)) | changes


MARKS = set("▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")


def frame_of(means: list[float | None], **changes: Any) -> pd.DataFrame:
    """Nights of adherence in a row; None is a night without data."""
    rows = []
    for day, mean in enumerate(means):
        empty = {"n": 0, "state": "no_data"} if mean is None else {}
        rows.append(trend_row(day, mean=mean) | empty | changes)
    return pd.DataFrame(rows)


def columns_with_marks(chart: str) -> set[int]:
    """The columns of the plotting area that hold a mark."""
    return {at for line in chart.splitlines() for at, character in enumerate(line) if character in MARKS}


@pytest.mark.parametrize("width", [80, 120])
def test_a_chart_keeps_to_its_size_and_is_plain_text(width: int) -> None:
    """Without a terminal there is no colour, and no line is longer than asked."""
    chart = render_chart(frame_of([0.9] * 60), ("adherence",), width, 20)
    lines = chart.splitlines()
    assert max(map(len, lines)) <= width
    assert max(map(len, lines)) > width - 10
    assert len(lines) <= 20
    assert "\x1b" not in chart
    assert "adherence, %" in lines[0]


def test_each_metric_has_a_panel_of_its_own() -> None:
    """Without colour two lines in one panel could not be told apart."""
    frame = pd.concat([frame_of([0.9] * 10), frame_of([0.5] * 10, metric="completeness")])
    chart = render_chart(frame, height=24)
    assert chart.index("adherence, %") < chart.index("completeness, %")
    assert len(chart.splitlines()) <= 24


def test_a_night_without_data_is_a_gap_and_never_a_zero() -> None:
    """The line stops before it and starts again after it; the scale does not reach down to 0."""
    means: list[float | None] = [0.9] * 30
    whole = columns_with_marks(render_chart(frame_of(means), ("adherence",), 80))
    means[14:17] = [None, None, None]
    chart = render_chart(frame_of(means), ("adherence",), 80)
    broken = columns_with_marks(chart)
    assert broken < whole
    assert len(whole - broken) >= 5
    assert "3 nights without data" in chart
    assert "  0.0" not in chart


def test_a_night_that_is_missing_altogether_is_a_gap_too() -> None:
    """No row is no data: neighbours on the calendar are joined, others are not."""
    frame = frame_of([0.9] * 30).drop(index=[14, 15])
    chart = render_chart(frame, ("adherence",), 80)
    assert "2 nights without data" in chart
    assert columns_with_marks(chart) < columns_with_marks(
        render_chart(frame_of([0.9] * 30), ("adherence",), 80)
    )


def test_a_new_scorer_version_is_not_joined_to_the_old_one() -> None:
    """Two fingerprints never share a line, and the first day of the new one is named."""
    frame = frame_of([0.9] * 20)
    frame.loc[10:, "fingerprint"] = "ffff"
    chart = render_chart(frame, ("adherence",), 80)
    assert "other scorer version from 2026-11-11, not joined" in chart


def test_nights_of_an_incident_are_marked() -> None:
    """An x needs no colour; without incidents there is none."""
    frame = frame_of([0.9] * 10 + [0.7] * 3)
    assert "x" not in render_chart(frame, ("adherence",))
    frame.loc[10:, "state"] = "incident"
    chart = render_chart(frame, ("adherence",))
    assert "x = incident" in chart
    assert sum(line.count("x") for line in chart.splitlines()[:-1]) == 3


def test_small_noise_does_not_fill_the_panel() -> None:
    """The scale spans at least ten points and stays within 0 to 100."""
    chart = render_chart(frame_of([0.901, 0.899, 0.9]), ("adherence",))
    assert "95.0" in chart and "85.0" in chart
    assert "100.0" in render_chart(frame_of([1.0, 1.0]), ("adherence",))
    assert "  0.0" in render_chart(frame_of([0.0, 0.01]), ("adherence",))


def test_a_single_night_is_a_point() -> None:
    """One value has no line but a mark and its day."""
    chart = render_chart(frame_of([0.9]), ("adherence",))
    assert columns_with_marks(chart)
    assert "11-01" in chart


def test_nothing_to_draw_is_said() -> None:
    """No rows, and rows without any defined mean, are sentences."""
    assert render_chart(pd.DataFrame(columns=TREND_COLUMNS)) == "No nights to show."
    assert "adherence, %: undefined in every night shown." in render_chart(
        frame_of([None, None]), ("adherence",)
    )


def test_a_size_too_small_to_read_is_raised() -> None:
    """A width of one column is not taken at its word."""
    chart = render_chart(frame_of([0.9] * 5), ("adherence",), width=1, height=1)
    assert columns_with_marks(chart)


def test_colour_is_given_on_request_and_changes_no_size() -> None:
    """Escape sequences come only when asked for; Rich then shows the same lines."""
    frame = frame_of([0.9] * 5)
    plain = render_chart(frame, ("adherence",))
    coloured = render_chart(frame, ("adherence",), colour=True)
    assert "\x1b" not in plain and "\x1b[" in coloured
    shown = [line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines()]
    assert shown == plain.splitlines()


def test_a_frame_of_one_segment_is_drawn_and_of_several_refused() -> None:
    """The caller chooses the series; two of them are never mixed into one line."""
    one = frame_of([0.9] * 5, dimension="tenant", value="acme")
    assert columns_with_marks(render_chart(one, ("adherence",)))
    two = pd.concat([one, frame_of([0.1] * 5, dimension="tenant", value="other")])
    with pytest.raises(ValueError, match="several segments"):
        render_chart(two, ("adherence",))
