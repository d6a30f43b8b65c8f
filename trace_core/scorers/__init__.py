"""Scorers by name."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from trace_core.errors import ConfigurationError
from trace_core.scorers.base import BaseScorer, Evaluation, Scorer
from trace_core.scorers.heuristic import HeuristicScorer

#: The scorer used where none is named.
DEFAULT_SCORER: Final = "lexical"


def _lexical() -> Scorer:
    # Imported when asked for: it loads numpy and the weights, which the word rules do not need.
    from trace_core.scorers.lexical import LexicalScorer

    return LexicalScorer()


_FACTORIES: Final[Mapping[str, Callable[[], Scorer]]] = {"lexical": _lexical, "heuristic": HeuristicScorer}

__all__ = [
    "DEFAULT_SCORER",
    "BaseScorer",
    "Evaluation",
    "HeuristicScorer",
    "Scorer",
    "get_scorer",
    "scorer_names",
]


def scorer_names() -> tuple[str, ...]:
    """The names `get_scorer` knows."""
    return tuple(_FACTORIES)


@lru_cache(maxsize=16)
def get_scorer(name: str) -> Scorer:
    """The scorer of a name, built once a process. ConfigurationError for an unknown name."""
    if name not in _FACTORIES:
        raise ConfigurationError(
            f"setting 'scorers': there is no scorer {name!r}; choose from {', '.join(_FACTORIES)}"
        )
    return _FACTORIES[name]()
