"""The HTML report: one file, everything escaped, gaps where there is no data."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pandas as pd
import pytest

from trace_pipeline.report.html import render_html

HOSTILE = "<script>alert(1)</script>" + "x" * 10_000
FIRST = date(2026, 10, 1)


def trend(nights: int = 10, empty: int = 4) -> pd.DataFrame:
    """Return a trend of adherence with one night without data."""
    rows = []
    for number in range(nights):
        mean = None if number == empty else 0.9
        values = {"mean": mean, "low": mean and mean - 0.02, "high": mean and mean + 0.02, "expected": mean}
        counts = {"n": 0 if mean is None else 100, "undefined": 0, "unscored": 1}
        named = {"scorer": "heuristic", "fingerprint": "f" if number < 7 else "g", "metric": "adherence"}
        rows.append({"day": FIRST + timedelta(days=number), **named, **values, **counts})
    return pd.DataFrame(rows)


def ledger(nights: int = 10) -> pd.DataFrame:
    """Return a ledger of the same nights."""
    counts = {
        "source_rows": 101,
        "scored": 100,
        "skipped": 0,
        "quarantined": 1,
        "sampled_out": 0,
        "failed": 0,
    }
    return pd.DataFrame([{"day": FIRST + timedelta(days=number), **counts} for number in range(nights)])


def incidents(text: str = "down") -> pd.DataFrame:
    """Return an open incident whose segment is hostile."""
    part = {"dimension": "tenant", "value": HOSTILE, "difference": -0.05}
    row = {"metric": "adherence", "state": "open", "onset_day": FIRST, "closed_day": None, "text": text}
    return pd.DataFrame([{**row, "evidence": {"contributors": [part]}}])


def test_hostile_text_is_shown_as_text_and_bounded() -> None:
    """Neither incident texts nor segment values nor titles can bring markup or flood the page."""
    html = render_html(trend(), ledger(), incidents(HOSTILE), [HOSTILE], title=HOSTILE[:100])
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html
    assert "x" * 1_000 not in html


def test_it_needs_no_other_file_and_no_network() -> None:
    """Plotly's script is inlined once; no address is loaded."""
    html = render_html(trend(), ledger(), incidents(), ["fine"])
    assert html.count("<html") == 1
    ours = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert "http" not in ours
    assert "src=" not in ours
    assert html.count('role="img"') == 4


def test_a_night_without_data_is_a_dash_and_a_gap() -> None:
    """Undefined is not zero: the table has a dash, the words count the night."""
    html = render_html(trend(), ledger(), incidents().iloc[:0], [])
    assert "1 nights without data" in html
    assert "<td>-</td>" in html
    assert " 0.0 %" not in html


def test_no_nights_are_refused() -> None:
    """A report of nothing is an error, not an empty page."""
    with pytest.raises(ValueError, match="no night"):
        render_html(trend().iloc[:0], ledger(), incidents(), [])
