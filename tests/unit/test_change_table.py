"""The change report as a table: what is shown adds up."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_pipeline.pages.change_table import PARTS, adding_up, change_table

SCORES = st.floats(-1, 1, allow_nan=False)


def change(segments: int = 2, scorer: float = 0.0, rest: float = 0.0) -> dict[str, Any]:
    """Return a stored change report; `rest` is what segments that are not stored did within themselves."""
    parts = [
        {
            "value": f"v{at}",
            "before": 0.9,
            "after": None,
            "mix": -0.00333,
            "within": -0.01777,
            "noise": 0.00111,
        }
        for at in range(segments)
    ]
    sums = {name: math.fsum(part[name] for part in parts) for name in ("mix", "within", "noise")}
    sums["within"] += rest
    total = math.fsum(sums.values()) + scorer
    return {"dimension": "tenant", "segments": parts, "scorer": scorer, "total": total, **sums}


@given(st.lists(SCORES, min_size=1, max_size=12))
def test_rounded_parts_add_up_to_their_rounded_sum(parts: list[float]) -> None:
    """Whatever the parts, the figures shown sum exactly, and none is off by a hundredth or more."""
    shown = adding_up(parts)
    assert round(sum(shown), 2) == round(math.fsum(parts) * 10_000) / 100
    assert all(abs(figure - 100 * part) < 0.01 + 1e-9 for figure, part in zip(shown, parts, strict=True))


@given(st.lists(st.tuples(SCORES, SCORES, SCORES), max_size=8), SCORES, SCORES)
def test_every_table_adds_up_by_row_and_column(
    cells: list[tuple[float, float, float]], scorer: float, rest: float
) -> None:
    """Columns sum to the last row, rows to the last column, and both corners agree."""
    parts = [
        {"value": str(at), "before": 0.5, "after": 0.5, "mix": a, "within": b, "noise": c}
        for at, (a, b, c) in enumerate(cells)
    ]
    sums = {name: math.fsum(part[name] for part in parts) for name in ("mix", "within", "noise")}  # type: ignore[misc]
    table = change_table({"segments": parts, **sums, "mix": sums["mix"] + rest, "scorer": scorer})
    assert table is not None
    for part in (*PARTS, "total"):
        shown = round(sum(getattr(row, part) for row in table.rows), 2)
        assert shown == getattr(table.sum, part), part


def test_values_that_are_not_stored_are_one_row() -> None:
    """Ten values are stored; the rest of a column is shown as what all others did."""
    table = change_table(change(rest=-0.02))
    assert table is not None
    assert [row.value for row in table.rows] == ["v0", "v1", "all other values"]
    assert table.rows[-1].within == pytest.approx(-2.0, abs=0.02)
    assert table.rows[-1].before is None


def test_a_new_scorer_has_a_row_of_its_own() -> None:
    """What a new version did to the scores is no segment's change."""
    table = change_table(change(scorer=-0.0123))
    assert table is not None
    assert (table.rows[-1].value, table.rows[-1].scorer) == ("new scorer version", -1.23)


@pytest.mark.parametrize("stored", [{}, {"mix": 0.1}, {"mix": None, "within": 0, "scorer": 0, "noise": 0}])
def test_without_a_report_there_is_no_table(stored: dict[str, Any]) -> None:
    """A period without logs cannot be compared: nothing is shown rather than zeros."""
    assert change_table(stored) is None
