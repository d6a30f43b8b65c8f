"""The address holds the whole state of a view, and nothing that is not one."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_quality.view_state import METRICS, NIGHTS, ViewState
from trace_pipeline.pages.errors import BadRequest

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)
STATES = st.builds(
    ViewState,
    base=st.just("/rag-quality"),
    scorer=TEXT,
    metric=st.sampled_from(METRICS),
    dimension=TEXT.filter(bool),
    value=TEXT.filter(bool),
    nights=st.sampled_from(NIGHTS),
    until=st.none() | st.dates(date(2000, 1, 1), date(2100, 1, 1)),
)


@given(STATES, TEXT)
def test_a_link_opens_the_same_view(state: ViewState, page: str) -> None:
    """Whatever texts a state holds, its address gives them back, and stays on this site."""
    parts = urlsplit(state.url(page))
    assert ViewState.from_query(dict(parse_qsl(parts.query, keep_blank_values=True)), "/rag-quality") == state
    assert parts.path.startswith("/rag-quality/") and not parts.netloc and not parts.scheme


def test_an_empty_address_is_the_default_view() -> None:
    """Thirty nights of all traffic, the primary scorer's adherence."""
    assert ViewState.from_query({}) == ViewState("", "", "adherence", "", "", 30, None)
    assert ViewState("/p").url() == "/p/"


def test_changes_replace_what_they_name() -> None:
    """Own parameters of a page come along; None leaves one out."""
    state = ViewState("/p", metric="completeness", nights=90)
    assert state.url("logs", nights=7, day=date(2026, 11, 30), sort=None) == (
        "/p/logs?metric=completeness&nights=7&day=2026-11-30"
    )


def test_a_choice_sends_its_segment_as_a_pair() -> None:
    """As a form sends one value for both."""
    state = ViewState.from_query({"segment": '["tenant", "a=b&c"]'})
    assert (state.dimension, state.value) == ("tenant", "a=b&c")


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"metric": "<script>"}, "metric"),
        ({"nights": "31"}, "nights"),
        ({"nights": "-7"}, "nights"),
        ({"nights": "\u0663\u0660"}, "nights"),
        ({"nights": "9" * 40}, "nights"),
        ({"until": "yesterday"}, "until"),
        ({"until": "2026-02-30"}, "until"),
        ({"until": "20261130"}, "until"),
        ({"until": "0001-01-01"}, "until"),
        ({"until": "9999-12-31"}, "until"),
        ({"scorer": "x" * 501}, "scorer"),
        ({"scorer": "a\x00b"}, "scorer"),
        ({"dimension": "t", "value": "\ud800"}, "value"),
        ({"segment": "[" * 400}, "segment"),
        ({"segment": '["a"]'}, "segment"),
        ({"segment": '["a", 1]'}, "segment"),
    ],
)
def test_what_cannot_be_is_named(query: dict[str, str], named: str) -> None:
    """In one sentence, never a traceback."""
    with pytest.raises(BadRequest, match=named):
        ViewState.from_query(query)
