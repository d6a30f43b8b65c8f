"""The adapter of Presidio over an analyzer that behaves as Presidio's does; Presidio is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from trace_core.errors import ConfigurationError
from trace_pipeline.redaction import PatternRedaction, RedactionFailed, make_redaction
from trace_pipeline.redaction.presidio import PresidioHook
from trace_pipeline.settings import load_settings


@dataclass(frozen=True)
class Result:
    """Presidio's RecognizerResult, as far as it is read."""

    entity_type: str
    start: int
    end: int
    score: float


@dataclass
class Analyzer:
    """Presidio's AnalyzerEngine: finds given names of given entities."""

    names: dict[str, str]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def analyze(
        self, text: str, language: str, entities: Sequence[str], score_threshold: float
    ) -> Iterator[Result]:
        self.asked.append((language, text))
        if "boom" in text:
            raise ValueError(text)
        for name, entity in self.names.items():
            for match in re.finditer(re.escape(name), text):
                if entity in entities and score_threshold <= 0.85:
                    yield Result(entity, match.start(), match.end(), 0.85)


def redaction(hook: PresidioHook) -> PatternRedaction:
    """Return a redaction without patterns."""
    return PatternRedaction((), (), "", ("our:find", hook))


def test_what_presidio_finds_goes_wherever_it_occurs() -> None:
    """Also where Presidio itself did not see it; by its entity's name; a text is read once a language."""
    analyzer = Analyzer({"Ada Byron": "PERSON", "Turin": "LOCATION", "C-17": "ID"})
    hook = PresidioHook({"en": "m1", "it": "m2"}, analyzer=analyzer)
    texts = ["Ada Byron of Turin, C-17.", "", " ", "Ada Byron of Turin, C-17.", "So says Ada", " Byron."]
    assert redaction(hook).redact(texts) == [
        *("[PERSON_1] of [LOCATION_1], C-17.", "", " ", "[PERSON_1] of [LOCATION_1], C-17."),
        *("So says [PERSON_1]", "[PERSON_1]."),
    ]
    assert len(analyzer.asked) == 6
    assert redaction(PresidioHook(least_score=0.9, analyzer=analyzer)).redact(texts[:1]) == texts[:1]


def test_a_failure_of_presidio_keeps_the_log_back() -> None:
    """Without a word of the text."""
    with pytest.raises(RedactionFailed) as caught:
        redaction(PresidioHook(analyzer=Analyzer({}))).redact(["boom, says Ada"])
    assert "Ada" not in str(caught.value)


def test_models_and_entities_are_part_of_the_fingerprint() -> None:
    """Another model finds other names, so answers are asked for anew."""
    rules = [
        str(redaction(hook).rules["hook"])
        for hook in (
            PresidioHook(),
            PresidioHook({"en": "en_core_web_sm"}),
            PresidioHook(entities=("PERSON",)),
        )
    ]
    assert len({*rules}) == 3 and all(rule.startswith("our:find ") for rule in rules)
    assert rules[0] == redaction(PresidioHook()).rules["hook"]


def test_nothing_is_downloaded_and_what_is_missing_is_named_at_the_start() -> None:
    """Presidio would fetch a model that is not there, and a list for addresses; both are refused."""
    with pytest.raises(ConfigurationError, match=r"judge\.redaction_hook.*is not installed"):
        make_redaction(load_settings(judge={"redaction_hook": "trace_pipeline.redaction.presidio:find"}))
    with pytest.raises(ConfigurationError, match=r"no_such_model is not installed|presidio_analyzer is not"):
        PresidioHook({"en": "no_such_model"})(["text"])
    with pytest.raises(ConfigurationError, match="EMAIL_ADDRESS"):
        PresidioHook(entities=("PERSON", "EMAIL_ADDRESS"))
