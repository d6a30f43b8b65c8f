"""The drift watch on hand-made nights."""

from __future__ import annotations

from datetime import date, timedelta

from trace_core.drift import CellSums, Night, Verdict, make_detector

FIRST = date(2026, 1, 1)


def cell(n: int, passed: int) -> CellSums:
    histogram = (n - passed, *[0] * 19, passed)
    return CellSums(n, float(passed), float(passed), histogram)


def watch(shares: list[float | None], n: int = 400) -> list[Verdict]:
    """Verdicts over nights whose mean is each share; None is a night without data."""
    detector = make_detector("adherence")
    verdicts = []
    for index, share in enumerate(shares):
        total = CellSums() if share is None else cell(n, round(n * share))
        segments = {} if share is None else {"tenant": {"acme": total}}
        verdicts.append(detector.observe(Night(FIRST + timedelta(index), "f1", total, segments)))
    return verdicts


def test_a_large_drop_pages_once() -> None:
    """A drop of 30 points pages on its first night and stays silent afterwards."""
    level = [0.90, 0.91, 0.89, 0.90, 0.895] * 8
    verdicts = watch([*level, *[0.60] * 10])
    assert [i for i, v in enumerate(verdicts) if v.page] == [40]


def test_a_night_without_data_is_no_verdict() -> None:
    """An empty night is "no_data", never a drop to zero."""
    level: list[float | None] = [0.90, 0.91, 0.89, 0.90, 0.895] * 8
    verdicts = watch([*level, None, 0.90])
    assert verdicts[40].state == "no_data"
    assert not any(v.page for v in verdicts)
