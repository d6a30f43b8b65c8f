"""CSV that a spreadsheet opens without harm."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from trace_pipeline.report import to_csv

TREND_COLUMNS = ["day", "scorer", "fingerprint", "dimension", "value", "metric"]
TREND_COLUMNS += ["n", "mean", "low", "high", "undefined", "unscored", "state"]


def trend_row(day: int = 0, **changes: Any) -> dict[str, Any]:
    """One row of a trend frame: 391 answers with an adherence of 90 % on the day-th night."""
    values = [date(2026, 11, 1) + timedelta(days=day), "heuristic", "0123456789abcdef", "", "", "adherence"]
    values += [391, 0.9, 0.88, 0.92, 4, 12, "ok"]
    return dict(zip(TREND_COLUMNS, values, strict=True)) | changes


def read_back(frame: pd.DataFrame) -> list[dict[str, str]]:
    stream = io.StringIO()
    to_csv(frame, stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


def test_days_are_iso_numbers_exact_and_undefined_is_empty() -> None:
    """A mean is read back bit for bit; a missing one is an empty cell, not 0 and not nan."""
    mean = 0.1 + 0.2
    first, second = read_back(pd.DataFrame([trend_row(mean=mean), trend_row(1, mean=None, low=float("nan"))]))
    assert first["day"] == "2026-11-01"
    assert float(first["mean"]) == mean
    assert (second["mean"], second["low"]) == ("", "")
    assert first["n"] == "391"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_text_that_a_spreadsheet_would_run_is_defused(start: str) -> None:
    """Segment values come from logs: a formula becomes a text, a negative number stays a number."""
    (row,) = read_back(pd.DataFrame([trend_row(value=f"{start}HYPERLINK(0)", low=-0.5)]))
    assert row["value"].startswith("'")
    assert row["low"] == "-0.5"


def test_quotes_commas_and_line_breaks_survive() -> None:
    """The value is read back as it was, in any language."""
    value = 'a "b", c\nd 東京'
    (row,) = read_back(pd.DataFrame([trend_row(value=value)]))
    assert row["value"] == value


def test_reasons_are_json_and_the_frame_is_left_alone(tmp_path: Path) -> None:
    """A file path works as well as a stream; the caller's frame does not change."""
    frame = pd.DataFrame([{"scorer": "=1+1", "reasons": {"missing_question": 10, "empty_response": 7}}])
    to_csv(frame, tmp_path / "ledger.csv")
    written = (tmp_path / "ledger.csv").read_text(encoding="utf-8")
    assert '"{""empty_response"": 7, ""missing_question"": 10}"' in written
    assert frame.loc[0, "scorer"] == "=1+1"


def test_a_lone_surrogate_does_not_end_the_export(tmp_path: Path) -> None:
    """What UTF-8 cannot hold becomes a question mark."""
    # As objects: pandas' own text type, on Arrow, does not hold one at all.
    to_csv(pd.DataFrame([trend_row(value="a\ud800b")], dtype=object), tmp_path / "t.csv")
    assert "a?b" in (tmp_path / "t.csv").read_text(encoding="utf-8")


def test_an_empty_frame_is_a_header() -> None:
    """No rows, but the names of the columns."""
    stream = io.StringIO()
    to_csv(pd.DataFrame([trend_row()]).head(0), stream)
    assert stream.getvalue().startswith("day,scorer,fingerprint")
