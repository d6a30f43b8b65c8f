"""The scorers of a run by name: the core's own, and those that need settings, a model or a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trace_core.errors import ConfigurationError
from trace_core.scorers import DEFAULT_SCORER, Scorer, get_scorer, scorer_names

if TYPE_CHECKING:
    from trace_pipeline.context import Pipeline
    from trace_pipeline.settings import Settings

#: Scorers of this package; each splits sentences as the default scorer does.
OWN_SCORERS: Final = ("judge", "hybrid", "nli")
#: Scorers that are not deterministic: their verdicts may change while their fingerprint does not.
VARYING: Final = ("judge", "hybrid")


def all_scorer_names() -> tuple[str, ...]:
    """Return the names that the setting `scorers` may hold."""
    return (*scorer_names(), *OWN_SCORERS)


def make_scorer(name: str, pipeline: Pipeline) -> Scorer:
    """Make a scorer of this package for a run. ConfigurationError for an unknown name or missing setting."""
    if name in ("judge", "hybrid"):
        from trace_pipeline.judges.making import make_judge_scorer

        return make_judge_scorer(name, pipeline)
    if name == "nli":
        return scorer_without_database(name, pipeline.settings)
    raise ConfigurationError(
        f"setting 'scorers': there is no scorer {name!r}; choose from {', '.join(all_scorer_names())}"
    )


def scorer_without_database(name: str, settings: Settings) -> Scorer:
    """Make a scorer that needs no account of costs. ConfigurationError for any other, and as above."""
    if name == "nli":
        from trace_pipeline.nli.making import make_nli_scorer

        return make_nli_scorer(settings.nli)
    return get_scorer(name)


def sentence_scorer(name: str) -> Scorer:
    """Return a scorer that splits sentences as the named one does, whether or not it could score here."""
    return get_scorer(name if name in scorer_names() else DEFAULT_SCORER)
