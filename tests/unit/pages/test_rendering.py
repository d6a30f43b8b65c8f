"""What templates do with numbers and with texts of logs."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from rag_quality import rendering
from rag_quality.view_state import ViewState


def test_an_undefined_share_is_no_data() -> None:
    """Never 0, and NaN is undefined too."""
    assert [rendering.percent(value) for value in (None, float("nan"), 0.0, 0.912)] == [
        "no data",
        "no data",
        "0.0 %",
        "91.2 %",
    ]


def test_points_have_their_sign() -> None:
    """With a real minus."""
    assert [rendering.points(value) for value in (0.031, -0.031, 0.0, None)] == [
        "+3.1 points",
        "\u22123.1 points",
        "0.0 points",
        "not known",
    ]


def test_an_interval_comes_with_its_n() -> None:
    """Either may be missing."""
    assert rendering.interval(0.901, 0.923, 4120) == "90.1 to 92.3 %, n 4,120"
    assert rendering.interval(None, None, 3) == "n 3"
    assert rendering.interval(0.5, 0.6, None) == "50.0 to 60.0 %"


def test_days_and_moments_are_written_one_way() -> None:
    """And their absence is a dash."""
    assert rendering.day(date(2026, 11, 30)) == "2026-11-30"
    assert rendering.moment(datetime(2026, 11, 30, 14, 5, tzinfo=UTC)) == "2026-11-30 14:05 UTC"
    assert rendering.day(None) == rendering.moment(None) == "\u2013"


@pytest.mark.parametrize(
    "hostile", ["<img src=x onerror=alert(1)>", "</script>", "\" onload='x'", "\u202eabc"]
)
def test_macros_show_a_text_as_text(hostile: str) -> None:
    """In an element of its own direction, escaped."""
    template = rendering.TEMPLATES.from_string(
        '{% from "macros.html.j2" import text, segment, chart %}'
        '{{ text(x) }}{{ segment(x, x) }}{{ chart("c", x, x) }}'
    )
    html = template.render(x=hostile, state=ViewState(), base="")
    assert '<bdi dir="auto">' in html
    for mark in ("<img", "</script", "onload='x'"):
        assert mark not in html


def test_a_figure_cannot_leave_its_attribute() -> None:
    """Its JSON is escaped like any text."""
    figure = {"data": ["</script><img src=x>", '"quoted"'], "layout": {}}
    html = rendering.TEMPLATES.from_string('<div data-figure="{{ f }}"></div>').render(
        f=rendering.figure_json(figure)
    )
    assert html.count("<") == 2 and html.count('"') == 2


def test_a_day_stays_in_one_piece_and_a_text_stays_a_text() -> None:
    """Days are wrapped, markup around them is escaped."""
    html = rendering.whole_days("<b> since 2026-11-30")
    assert html == '&lt;b&gt; since <span class="day">2026-11-30</span>'
