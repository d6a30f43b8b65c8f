"""The figures: what Plotly takes, what JSON holds, and gaps where there is no data."""

from __future__ import annotations

import json
from datetime import timedelta

import pandas as pd
import plotly.graph_objects as go
import pytest

from tests.unit.test_report_html import FIRST, incidents, ledger, trend
from trace_pipeline.report.figures import Figure, trend_figure, volume_figure


def with_band(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a trend whose expected band is known from the third night on, and reaches above 100 %."""
    known = rows["day"] >= FIRST + timedelta(days=2)
    return rows.assign(expected_low=rows["low"].where(known), expected_high=(rows["high"] + 0.2).where(known))


def accepted(figure: Figure) -> go.Figure:
    """Return the figure as Plotly's own object, which refuses what its script does not know."""
    json.dumps(figure, allow_nan=False)
    return go.Figure(figure)


def test_plotly_accepts_every_part_of_the_figures() -> None:
    """Plain data skips Plotly's checks where pages are served; here they are made, and JSON holds it all."""
    releases = [FIRST + timedelta(days=3)]
    trends = accepted(trend_figure(with_band(trend()), "adherence", incidents(), releases=releases))
    volume = accepted(volume_figure(ledger()))
    names = {one.name for one in trends.data}
    assert names == {"95 % interval", "adherence", "expected band", "expected"}
    assert len(trends.layout.shapes) == 3  # an incident, a release, a change of the scorer
    assert [one.name for one in volume.data] == ["scored", "unscored", "unscored share"]


def test_a_night_without_data_is_a_gap_in_line_and_interval() -> None:
    """No value is drawn for it, and the interval ends before and begins behind it."""
    figure = trend_figure(trend(empty=4), "adherence", incidents())
    line = next(one for one in figure["data"] if one["name"] == "adherence")
    assert line["y"][4] is None and line["y"][3] == 90.0
    assert line["customdata"][4] == [0, 0, 1]
    bands = [one for one in figure["data"] if one["name"] == "95 % interval"]
    assert [len(one["x"]) for one in bands] == [8, 10]
    assert [one["showlegend"] for one in bands] == [True, False]


def test_the_expected_band_stays_between_0_and_100() -> None:
    """A share cannot be above 100 %, so its band is not either."""
    figure = trend_figure(with_band(trend()), "adherence", incidents())
    band = next(one for one in figure["data"] if one["name"] == "expected band")
    assert max(band["y"]) == 100.0
    assert str(FIRST) not in band["x"]


def test_a_night_without_logs_has_no_unscored_share() -> None:
    """0 of 0 is not 0 %."""
    rows = ledger(2)
    rows.loc[0, ["source_rows", "scored", "quarantined"]] = 0
    _, bars, share = volume_figure(rows)["data"]
    assert bars["y"] == [0, 1]
    assert share["y"] == [None, pytest.approx(100 / 101)]


def test_a_trend_without_nights_gives_an_empty_figure() -> None:
    """A metric that no night has still gives a figure that Plotly takes."""
    accepted(trend_figure(trend(), "relevance", incidents()))


def test_what_sampling_left_out_is_not_unscored() -> None:
    """It has a bar of its own, and the unscored share is of what failed, was skipped or unreadable."""
    rows = ledger(2).assign(sampled_out=[50, 0])
    rows.loc[0, "scored"] -= 50
    volume = volume_figure(rows)
    accepted(volume)
    assert [one["name"] for one in volume["data"]] == [
        "scored",
        "unscored",
        "left out by sampling",
        "unscored share",
    ]
    assert volume["data"][1]["y"] == [1, 1] and volume["data"][2]["y"] == [50, 0]
    assert volume["data"][3]["y"] == [pytest.approx(100 / 101)] * 2
