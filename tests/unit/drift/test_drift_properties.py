"""Properties that hold for any nights."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from made_nights import FIRST, add_up, make_nights, passed, watch

from trace_core.drift import Night

cell = st.tuples(st.sampled_from([0, 1, 2, 40, 3_000]), st.floats(0, 1)).map(
    lambda x: passed(x[0], round(x[0] * x[1]))
)
cells = st.dictionaries(st.sampled_from(["a", "b", "other", "(missing)"]), cell, min_size=1)


@settings(max_examples=25, deadline=None)
@given(
    strange=st.lists(st.tuples(cells, st.sampled_from(["f1", "f1", "f1", "f2"])), min_size=1, max_size=12),
    metric=st.sampled_from(["adherence", "completeness"]),
)
def test_strange_nights_are_judged_in_finite_numbers(
    strange: list[tuple[dict[str, object], str]], metric: str
) -> None:
    """After 25 ordinary nights anything may come: verdicts stay JSON without NaN, states and pages agree."""
    nights = make_nights(25, lambda *_: 0.9, {"a": 40.0, "b": 60.0})
    for i, (segments, fingerprint) in enumerate(strange):
        total = add_up(segments.values())  # type: ignore[arg-type]
        nights.append(Night(FIRST + timedelta(25 + i), fingerprint, total, {"tenant": segments}))  # type: ignore[dict-item]
    for night, verdict in zip(nights, watch(nights, metric), strict=True):
        json.dumps([dataclasses.asdict(check) for check in verdict.checks], allow_nan=False)
        assert (verdict.state == "no_data") == (night.total.n == 0)
        assert verdict.page == (verdict.event in ("opened", "worsened"))
        assert verdict.text
        if verdict.page:
            assert verdict.incident is not None
            assert verdict.incident.onset <= verdict.incident.opened <= verdict.day


@settings(max_examples=10, deadline=None)
@given(cut=st.integers(1, 49))
def test_the_verdict_knows_nothing_of_later_nights(cut: int) -> None:
    """The first verdicts of a long history are those of a short one."""
    nights = make_nights(50, lambda t, _: 0.6 if t >= 40 else 0.9, {"a": 100.0, "b": 200.0})
    assert watch(nights[:cut]) == watch(nights)[:cut]


@settings(max_examples=10, deadline=None)
@given(order=st.permutations(["a", "b", "c", "d"]))
def test_the_order_of_segments_does_not_matter(order: list[str]) -> None:
    """The same cells in another order: the same pages, incidents and totals."""
    volumes = {"a": 30.0, "b": 60.0, "c": 90.0, "d": 120.0}
    nights = make_nights(45, lambda t, s: 0.5 if t >= 40 and s == "b" else 0.9, volumes)
    shuffled = [
        Night(n.day, n.fingerprint, n.total, {"tenant": {k: n.segments["tenant"][k] for k in order}})
        for n in nights
    ]
    for one, other in zip(watch(nights), watch(shuffled), strict=True):
        assert (one.state, one.page, one.event) == (other.state, other.page, other.event)
        if one.incident and other.incident:
            assert one.incident.value == other.incident.value
            assert abs(one.incident.difference - other.incident.difference) < 1e-9
