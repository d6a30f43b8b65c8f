"""Names of persons and places by Microsoft Presidio, for the setting `judge.redaction_hook`.

Presidio and a spaCy model are installed by the user. Nothing is downloaded, though Presidio itself would.
`trace_pipeline.redaction.presidio:find` finds English names; for other languages make a hook of your own:

    find = PresidioHook(models={"de": "de_core_news_lg"})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

from trace_core.digests import digest
from trace_core.errors import ConfigurationError

_SETTING: Final = "setting 'judge.redaction_hook'"
#: What the patterns of `judge.redact` cannot know. E-mail addresses and numbers are theirs.
ENTITIES: Final = ("PERSON", "LOCATION", "NRP")
#: Presidio's finder of addresses fetches the list of domain endings from the web.
_FETCHING: Final = ("EMAIL_ADDRESS",)


class PresidioHook:
    """A redaction hook over Presidio's analyzer; safe in threads, one of which analyzes at a time.

    models: language code -> name of an installed spaCy model; each text is read in every language.
    entities: Presidio's names of what is found; they become the placeholders' names. Raising `least_score`,
    in [0, 1], finds less. analyzer: takes the place of the one that is made at the first call.
    """

    def __init__(
        self,
        models: Mapping[str, str] | None = None,
        entities: Sequence[str] = ENTITIES,
        least_score: float = 0.5,
        analyzer: Any = None,
    ) -> None:
        self._models = dict(models or {"en": "en_core_web_lg"})
        self._entities = sorted(entities)
        self._least_score = least_score
        self._analyzer = analyzer
        self._lock = Lock()
        #: Becomes part of the judge's fingerprint.
        self.version = digest("presidio", self._models, self._entities, least_score)
        for entity in _FETCHING:
            if entity in entities:
                raise ConfigurationError(
                    f"{_SETTING}: Presidio's {entity} fetches a list from the web; judge.redact finds them"
                )

    def check(self) -> None:
        """Raise ConfigurationError unless Presidio and the models are installed."""
        if self._analyzer is not None:
            return
        for package in ("presidio_analyzer", "spacy", *self._models.values()):
            if find_spec(package) is None:
                raise ConfigurationError(
                    f"{_SETTING}: the package {package} is not installed here; see docs/how-to/privacy.md"
                )

    def __call__(self, texts: Sequence[str]) -> list[tuple[str, str]]:
        """Return (entity, string) for what is found in the texts of one log."""
        found: dict[tuple[str, str], None] = {}
        with self._lock:
            analyzer = self._ready()
            for text in dict.fromkeys(filter(str.strip, texts)):
                for language in self._models:
                    for one in analyzer.analyze(
                        text=text,
                        language=language,
                        entities=self._entities,
                        score_threshold=self._least_score,
                    ):
                        found[one.entity_type, text[one.start : one.end]] = None
        return list(found)

    def _ready(self) -> Any:
        if self._analyzer is None:
            self.check()  # Presidio would download a model that is missing
            from presidio_analyzer import AnalyzerEngine
            from presidio_analyzer.nlp_engine import NlpEngineProvider

            models = [{"lang_code": code, "model_name": name} for code, name in self._models.items()]
            provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
            self._analyzer = AnalyzerEngine(
                nlp_engine=provider.create_engine(), supported_languages=list(self._models)
            )
        return self._analyzer


find = PresidioHook()
