"""Every metric has its cards, and they say what the code declares."""

import doctest
from pathlib import Path

import pytest

from trace_core import SPECS
from trace_pipeline.scorers import all_scorer_names

CARDS = Path(__file__).parents[3] / "docs" / "metrics"


@pytest.mark.parametrize("metric", sorted(SPECS))
@pytest.mark.parametrize("prefix", ["", "heuristic_"])
def test_every_metric_has_a_card_with_its_facts(metric: str, prefix: str) -> None:
    """One of its own and one for the scorer with rules of its own."""
    card = (CARDS / f"{prefix}{metric}.md").read_text(encoding="utf-8")
    assert "| range | 0 to 1 |" in card and "| direction | higher is better |" in card
    for heading in ("## Worked example", "## How to read a value", "## Limitations"):
        assert heading in card


def test_every_scorer_is_in_the_index() -> None:
    """By its name."""
    index = (CARDS / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in index for name in all_scorer_names())


@pytest.mark.parametrize("metric", sorted(SPECS))
@pytest.mark.parametrize("prefix", ["", "heuristic_"])
def test_the_worked_example_of_a_card_gives_what_it_says(metric: str, prefix: str) -> None:
    """As it stands there, pasted into Python."""
    card = (CARDS / f"{prefix}{metric}.md").read_text(encoding="utf-8")
    example = card.partition("## Worked example")[2].partition("\n## ")[0]
    test = doctest.DocTestParser().get_doctest(example.replace("```", "\n"), {}, metric, None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
