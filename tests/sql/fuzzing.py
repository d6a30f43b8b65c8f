"""Rows as an enemy or a broken exporter would write them, from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

NASTY = (
    "",
    " ",
    "\x00",
    "\ud800",
    "'); drop table trace.rag_log; --",
    "$$; select pg_sleep(10); $$",
    "%s %(x)s {0} :name \\N \\. \\",
    "\\.\n",
    "\t\r\n\v\f\u2028",
    "NaN",
    "null",
    "\u202eabc\u200d\ufeff",
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "한국어 문장입니다. عربي؟ 日本語。",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a" * 3_000,
    "." * 500,
    "Error code: 429 - {'error': 'x'}",
    "['a', 'b'",
)
_TEXTS = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=60), st.just("The warranty lasts two years. Returns are free.")
)
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS, st.just(10**4000), st.just(-(2**63))
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_TEXTS, inner, max_size=4)),
    max_leaves=8,
)
_DOCUMENT = st.one_of(
    _TEXTS, st.fixed_dictionaries({"text": _TEXTS}, optional={"id": _SCALARS, "sentences": _VALUES})
)
_GOOD: Any = {
    "question": st.one_of(_TEXTS, st.just("How long is the warranty?")),
    "documents": st.one_of(st.lists(_DOCUMENT, max_size=4), _VALUES),
    "response": st.one_of(_TEXTS, st.just("Two years.")),
}
_ODD: Any = {
    "ground_truth": _VALUES,
    "segments": _VALUES,
    "metadata": _VALUES,
    "logged_at": _VALUES,
    "log_id": _VALUES,
    "error": _VALUES,
}
_CLEAN: Any = {
    "question": st.sampled_from(["How long is the warranty?", *NASTY]),
    "documents": st.lists(_TEXTS, max_size=3),
    "response": _TEXTS,
}
ROWS = st.one_of(
    st.fixed_dictionaries(_CLEAN),
    st.fixed_dictionaries(_CLEAN),
    st.fixed_dictionaries(_CLEAN, optional={"segments": _VALUES, "metadata": _VALUES}),
    st.fixed_dictionaries(_GOOD),
    st.fixed_dictionaries(_GOOD, optional=_ODD),
    st.fixed_dictionaries({**_GOOD, "question": _VALUES, "response": _VALUES}, optional=_ODD),
    _VALUES,
)


@cache
def fuzzed_rows(count: int, seeded: int = 1) -> list[Any]:
    """Return `count` rows, always the same for a seed."""
    found: list[Any] = []

    @seed(seeded)
    @settings(
        max_examples=count // 20 + 50,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(ROWS, min_size=20, max_size=20))
    def collect(rows: list[Any]) -> None:
        found.extend(rows)

    collect()
    assert len(found) >= count
    return found[:count]


def broken_rows(count: int, seeded: int) -> Iterator[tuple[str | None, str | None, str | None, str | None]]:
    """Yield question, documents, answer and a label as texts; documents are JSON that was cut, joined or shuffled."""
    chance = random.Random(seeded)
    words = [
        text.replace("\x00", " ") for text in NASTY if text.isprintable() or "\x00" in text or "\n" in text
    ]
    words = [text.encode("utf-8", "ignore").decode() for text in words]

    def text() -> str:
        return " ".join(chance.choice(words) for _ in range(chance.randrange(4)))

    def documents() -> str | None:
        shape = chance.randrange(6)
        items: list[Any] = [
            chance.choice(
                [text(), {"body": text()}, {"text": text(), "id": chance.choice([1, "a", None])}, 7]
            )
            for _ in range(chance.randrange(5))
        ]
        written = json.dumps(items)
        if shape == 0:
            return written[: chance.randrange(len(written) + 1)]
        if shape == 1:
            return "".join(chance.sample(written, len(written)))
        return chance.choice([None, text(), "null", "{}", "[[[" * 400]) if shape == 2 else written

    for _ in range(count):
        yield (
            chance.choice([text(), "What is the price?", None]),
            documents(),
            chance.choice([text(), "It is two years.", None, ""]),
            chance.choice([text(), "acme", None]),
        )


def as_lines(rows: list[Any]) -> Iterator[bytes]:
    """Write rows as JSON lines; a number too long for Python's writer becomes a text."""
    for row in rows:
        try:
            yield json.dumps(row).encode() + b"\n"
        except ValueError:
            yield json.dumps(shortened(row)).encode() + b"\n"


def shortened(value: Any) -> Any:
    """Return a value whose endless integers are texts."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 10_000:
        return "9" * 5_000
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    return [shortened(item) for item in value] if isinstance(value, list) else value
