"""Tables of nights and of the ledger, read as text."""

from __future__ import annotations

import io
from datetime import date, timedelta
from typing import Any

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table

from trace_pipeline.report import render_ledger_table, render_nights_table

FIRST = date(2026, 11, 1)
TREND_COLUMNS = ["day", "scorer", "fingerprint", "dimension", "value", "metric"]
TREND_COLUMNS += ["n", "mean", "low", "high", "undefined", "unscored", "state"]


def trend_row(day: int = 0, metric: str = "adherence", **changes: Any) -> dict[str, Any]:
    """One row of a trend frame: 391 answers with a mean of 90 % on the day-th night."""
    values = [FIRST + timedelta(days=day), "heuristic", "0123456789abcdef", "", "", metric]
    values += [391, 0.9, 0.88, 0.92, 4, 12, "ok"]
    return dict(zip(TREND_COLUMNS, values, strict=True)) | changes


def ledger_row(**changes: Any) -> dict[str, Any]:
    """One ledger entry that balances."""
    row: dict[str, Any] = {
        "day": FIRST,
        "scorer": "heuristic",
        "source_rows": 12_407,
        "scored": 12_390,
        "skipped": 7,
        "quarantined": 10,
        "sampled_out": 0,
        "failed": 0,
        "reasons": {"empty_response": 7, "missing_question": 10},
    }
    return row | changes


def as_text(table: Table, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=False).print(table)
    return stream.getvalue()


def test_a_night_is_a_row_with_counts_means_and_state() -> None:
    """Logs are scored and unscored ones; means are per cent with one decimal."""
    rows = [
        trend_row(),
        trend_row(metric="completeness", mean=0.7),
        trend_row(metric="relevance", mean=0.253),
    ]
    text = as_text(render_nights_table(pd.DataFrame([*rows, trend_row(metric="utilization", mean=0.2)])))
    line = next(line for line in text.splitlines() if "2026-11-01" in line)
    assert line.split() == ["2026-11-01", "407", "395", "12", "90.0", "70.0", "25.3", "20.0", "ok"]
    assert "heuristic 01234567" in " ".join(text.split())


@pytest.mark.parametrize("mean", [None, float("nan"), 0.0])
def test_an_undefined_mean_is_a_dash_and_never_zero(mean: float | None) -> None:
    """Whatever stands in the mean of a night with n = 0, it is not shown."""
    text = as_text(
        render_nights_table(
            pd.DataFrame([trend_row(n=0, mean=mean, undefined=0, unscored=0, state="no_data")])
        )
    )
    line = next(line for line in text.splitlines() if "2026-11-01" in line)
    assert line.split() == ["2026-11-01", "0", "0", "0", "-", "-", "-", "-", "no", "data"]


def test_a_measured_zero_is_shown_as_zero() -> None:
    """A night on which every answer failed is 0.0 and not a dash."""
    assert " 0.0 " in as_text(render_nights_table(pd.DataFrame([trend_row(mean=0.0)])))


def test_answers_with_an_undefined_metric_count_as_scored() -> None:
    """The metric with the most defined and undefined answers tells how many were scored."""
    frame = pd.DataFrame(
        [trend_row(n=100, undefined=0), trend_row(metric="completeness", n=60, undefined=40)]
    )
    assert "112    100       12" in as_text(render_nights_table(frame))


def test_an_incident_is_marked_at_its_metric_without_colour() -> None:
    """The night's state is the gravest; the mark tells which metric it is about."""
    frame = pd.DataFrame([trend_row(state="incident"), trend_row(metric="completeness", mean=0.7)])
    text = as_text(render_nights_table(frame))
    assert "90.0!" in text and "70.0!" not in text and "incident" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        (("ok", "no_data"), "ok"),
        (("learning", "not_watched"), "learning"),
        (("not_watched",) * 2, "not watched"),
    ],
)
def test_a_night_takes_the_state_of_what_was_measured(states: tuple[str, str], shown: str) -> None:
    """One metric that is undefined or not watched does not speak for the night."""
    metrics = zip(("adherence", "completeness"), states, strict=True)
    frame = pd.DataFrame([trend_row(metric=metric, state=state) for metric, state in metrics])
    line = next(line for line in as_text(render_nights_table(frame)).splitlines() if "2026-11-01" in line)
    assert line.rstrip().endswith(f" {shown}")


def test_intervals_are_shown_on_request() -> None:
    """Half of the interval, in points; a question mark where it is not known."""
    text = as_text(render_nights_table(pd.DataFrame([trend_row()]), intervals=True), 120)
    assert "90.0 ± 2.0" in text
    unknown = pd.DataFrame([trend_row(low=None)])
    assert "90.0 ±   ?" in as_text(render_nights_table(unknown, intervals=True), 120)


def test_segments_are_left_out_and_scorer_versions_kept_apart() -> None:
    """A night is a row for each scorer version, over all traffic."""
    rows = [
        trend_row(),
        trend_row(dimension="tenant", value="acme", mean=0.1),
        trend_row(fingerprint="ffff0000"),
    ]
    text = as_text(render_nights_table(pd.DataFrame(rows)), 100)
    assert text.count("2026-11-01") == 2
    assert "10.0" not in text
    assert "heuristic 01234567" in text and "heuristic ffff0000" in text


@pytest.mark.parametrize("width", [80, 120])
def test_the_tables_fit_their_width(width: int) -> None:
    """At 80 columns nothing is broken within a number, also with 200,000 logs a night."""
    rows = [trend_row(day, metric, n=199_000) for day in range(3) for metric in ("adherence", "completeness")]
    nights = as_text(render_nights_table(pd.DataFrame(rows)), width)
    big = ledger_row(source_rows=200_017, scored=200_000)
    ledger = as_text(render_ledger_table(pd.DataFrame([big])), width)
    assert "199,016" in nights and "199,004" in nights
    assert "200,017" in ledger and "200,000" in ledger
    assert all(len(line) <= width for line in (nights + ledger).splitlines())


def test_no_nights_and_no_entries_are_said() -> None:
    """An empty frame is a sentence, not an error."""
    assert "No nights to show." in as_text(render_nights_table(pd.DataFrame(columns=TREND_COLUMNS)))
    assert "No ledger entries to show." in as_text(
        render_ledger_table(pd.DataFrame(columns=list(ledger_row())))
    )


def test_the_ledger_shows_where_every_row_went() -> None:
    """Counts in the order of the equation, reasons with the most frequent first."""
    text = as_text(render_ledger_table(pd.DataFrame([ledger_row()])), 120)
    line = next(line for line in text.splitlines() if "2026-11-01" in line)
    assert line.split()[:7] == ["2026-11-01", "12,407", "12,390", "7", "10", "0", "0"]
    assert "missing_question 10, empty_response 7" in line
    assert "Scorer heuristic." in text and "BALANCE" not in text


def test_an_entry_that_does_not_balance_is_marked() -> None:
    """The difference is named with its sign."""
    assert "DOES NOT BALANCE: +3" in as_text(
        render_ledger_table(pd.DataFrame([ledger_row(scored=12_387)])), 120
    )


@pytest.mark.parametrize("reasons", [None, float("nan"), {}, "{}"])
def test_an_entry_without_reasons_has_an_empty_cell(reasons: object) -> None:
    """Nulls of the database are no reasons."""
    text = as_text(render_ledger_table(pd.DataFrame([ledger_row(reasons=reasons)])), 120)
    line = next(line for line in text.splitlines() if "2026-11-01" in line)
    assert line.split()[-1] == "0"


def test_reasons_may_be_json_and_are_bounded() -> None:
    """JSON text of the database reads the same; the rest is counted."""
    reasons = '{"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}'
    assert "a 5, b 4, c 3, and 2 more" in as_text(
        render_ledger_table(pd.DataFrame([ledger_row(reasons=reasons)])), 120
    )


def test_several_scorers_get_a_column() -> None:
    """One scorer stands in the caption, two in the rows."""
    text = as_text(render_ledger_table(pd.DataFrame([ledger_row(), ledger_row(scorer="lexical")])), 120)
    assert "lexical" in text and "Scorer" not in text


def test_hostile_names_are_shown_as_plain_text() -> None:
    """No markup of the console, no escape sequence and no line break comes through."""
    hostile = "[bold red]x[/]\x1b]0;title\x07\n\u202ey"
    nights = as_text(
        render_nights_table(pd.DataFrame([trend_row(scorer=hostile), trend_row(state=hostile)])), 120
    )
    ledger = as_text(
        render_ledger_table(pd.DataFrame([ledger_row(scorer=hostile, reasons={hostile: 1})])), 120
    )
    for bad in ("\x1b", "\x07", "\u202e"):
        assert bad not in nights + ledger
    assert "［bold red］x" in nights and "［bold red］x" in ledger


def test_rows_left_out_by_sampling_have_a_column_where_there_are_any() -> None:
    """They are logs, and neither scored nor unscored; a scorer that samples nothing has no such column."""
    frame = pd.DataFrame([trend_row(sampled_out=1_600), trend_row(1, sampled_out=0)])
    text = as_text(render_nights_table(frame), 100)
    assert "left out" in text and "2,007" in text and "1,600" in text
    assert "left out" not in as_text(render_nights_table(pd.DataFrame([trend_row()])))
