"""Foreign text in messages."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_pipeline.alerts.plain_text import one_line


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("acme\r\nFAKE: all is well", "acme FAKE: all is well"),
        ("a\u2028b\u2029c\x0bd\x85e", "a b c d e"),
        ("\x1b[31mred\x07", "［31mred"),
        ("@channel @here", "(at)channel (at)here"),
        ("\uff20everyone", "(at)everyone"),
        ("<!channel> <@U123>", "＜!channel＞ ＜(at)U123＞"),
        ("[log in](https://evil.example)", "［log in］(https: //evil.example)"),
        ("![x](http://evil.example/pixel)", "!［x］(http: //evil.example/pixel)"),
        ("**bold** `code` ~gone~ |cell| # head", "＊＊bold＊＊ ｀code｀ ～gone～ ｜cell｜ ＃ head"),
        ("_slanted_ app_version __init__", "＿slanted＿ app_version ＿＿init＿＿"),
        ("&lt;!here&gt; AT&T", "＆lt;!here＆gt; AT&T"),
        ("invoice\u202egpj.exe\u2066x\u200b\ufeff", "invoicegpj.exex"),
        ("e\u0301\u0301\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301"),
        ("\ud800 alone", "\ufffd alone"),
        ("NUL\x00inside", "NUL inside"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("東京 支店", "東京 支店"),
    ],
)
def test_hostile_characters_lose_their_power(hostile: str, harmless: str) -> None:
    """Line breaks, controls, mentions, markup, links and direction changes are gone; words stay legible."""
    assert one_line(hostile, 100) == harmless


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    """The limit counts characters and includes the ellipsis."""
    assert one_line("x" * 10_000, 10) == "x" * 9 + "…"
    assert one_line("x" * 10, 10) == "x" * 10


def test_a_huge_text_costs_no_more_than_a_line() -> None:
    """Ten million characters are cut before they are cleaned."""
    started = time.perf_counter()
    assert len(one_line("\u202e" * 10_000_000, 60)) <= 60
    assert time.perf_counter() - started < 0.5


def test_a_number_is_shown_as_text() -> None:
    """Anything that prints can stand in a message."""
    assert one_line(12, 10) == "12"


@given(st.text(alphabet=st.characters(), max_size=200), st.integers(1, 80))
def test_any_text_becomes_one_bounded_line_that_stays_the_same(text: str, limit: int) -> None:
    """No character that starts a line, hides or reorders survives, and a second pass changes nothing."""
    line = one_line(text, limit)
    assert len(line) <= limit
    assert not {unicodedata.category(character) for character in line} & {"Cc", "Cs", "Cn", "Zl", "Zp"}
    assert not set(line) & set("@<>[]`*~|\\#\u202e\u2066\u200b")
    line.encode()  # no lone surrogate is left
    assert one_line(line, limit) == line
