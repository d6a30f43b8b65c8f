"""What `trace-pipeline explain` says of a log: marks, sources and reasons in plain words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from trace_core import DEFAULT_SCORER, Log
from trace_core.records import Document
from trace_pipeline.cli.explain import show_log

Show = Callable[..., str]
HUB = Document("One Hub serves up to 40 devices within about 60 metres. Updates are installed at night.")


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Show:
    """Return what is printed of a log, with single spaces."""
    monkeypatch.setenv("COLUMNS", "120")

    def shown(response: str, documents: tuple[Document, ...] = (HUB,), scorer: str = DEFAULT_SCORER) -> str:
        log = Log("log-1", "How far does a Hub reach?", documents, response, segments={"tenant": "acme"})
        show_log(datetime(2026, 10, 1, 12, tzinfo=UTC), log, scorer)
        return " ".join(capsys.readouterr().out.split())

    return shown


@pytest.mark.parametrize("scorer", ["lexical", "heuristic"])
def test_sources_and_missing_words_are_named(show: Show, scorer: str) -> None:
    """A supported sentence names its source, an unsupported one is marked and names what is nowhere."""
    text = show(
        "One Hub serves up to 40 devices within about 60 metres. Zebras adore purple marzipan.", scorer=scorer
    )
    assert f"tenant=acme, scorer {scorer} " in text
    assert "U 0a One Hub serves" in text
    assert "Supported by 0a" in text
    assert "! b Zebras adore purple marzipan. Not supported" in text
    assert "missing: zebras, adore, purple, marzipan." in text
    assert text.count("Evaluation log") == 1
    assert text.count("marzipan.") == 2, "the reason is not said twice"


def test_a_refusal_is_no_claim(show: Show) -> None:
    """Sentences that decline are explained as that, not by the words they lack."""
    text = show("The provided documents do not mention this.")
    assert "Response (declines to answer)" in text
    assert "it claims nothing that the documents would have to support" in text
    assert "missing" not in text


def test_nothing_to_show_is_said(show: Show) -> None:
    """An empty response and an empty retrieval have their sentence."""
    text = show(" ", ())
    assert "No document was retrieved." in text
    assert "Response (empty)" in text
    assert "skipped" in text
