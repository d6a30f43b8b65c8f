"""The weights of the lexical scorer, read from one JSON file that says where they come from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Self

import numpy as np

from trace_core.digests import digest
from trace_core.scorers.lexical.features import DOCUMENT_FEATURES, SUPPORT_FEATURES
from trace_core.scorers.lexical.vocabulary import Floats

_FILE: Final = "weights.json"
#: Probabilities are multiples of this: exact sums in any order, and no trace of the processor's last bits.
_STEP: Final = 2.0**-20


@dataclass(frozen=True, slots=True)
class Logistic:
    """Logistic regressions over the same named features, a column each."""

    coefficients: Floats
    intercepts: Floats

    @classmethod
    def from_json(cls, values: Sequence[Mapping[str, Any]], features: tuple[str, ...]) -> Self:
        """Read them; ValueError when one was trained for other features."""
        if any(tuple(value["features"]) != features for value in values):
            raise ValueError("the weights were trained for other features: run benchmarks/train_lexical.py")
        columns = [value["coefficients"] for value in values]
        return cls(np.array(columns).T.copy(), np.array([value["intercept"] for value in values]))

    def probabilities(self, rows: Floats) -> Floats:
        """Of each row and regression, rounded to a fixed step."""
        logits = np.clip(rows @ self.coefficients + self.intercepts, -30.0, 30.0)
        result: Floats = np.round(1.0 / (1.0 + np.exp(-logits)) / _STEP) * _STEP
        return result


@dataclass(frozen=True, slots=True)
class LexicalModel:
    """All that was learned.

    support: is a response sentence supported. documents: is a document sentence relevant, utilized, and both:
    three regressions over the same features, a column of coefficients each. response_slope and
    response_intercept: the log-odds that a whole response is supported, over the sum of the
    log-probabilities of its sentences divided by the root of their number. threshold: a response sentence
    below it is unsupported. completeness: expected completeness, a line over the ratio of expected counts.
    """

    background: Mapping[str, float]
    unseen: float
    support: Logistic
    documents: Logistic
    response_slope: float
    response_intercept: float
    threshold: float
    completeness_intercept: float
    completeness_slope: float
    digest: str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read the whole file's content. ValueError when it does not fit this code."""
        models, response = value["models"], value["response"]
        return cls(
            {stem: weight / 256 for stem, weight in value["background"].items()},
            value["unseen"] / 256,
            Logistic.from_json([models["support"]], SUPPORT_FEATURES),
            Logistic.from_json(
                [models[name] for name in ("relevant", "utilized", "both")], DOCUMENT_FEATURES
            ),
            response["slope"],
            response["intercept"],
            value["threshold"],
            value["completeness"]["intercept"],
            value["completeness"]["slope"],
            digest({name: part for name, part in value.items() if name != "provenance"}),
        )


@lru_cache(maxsize=1)
def packaged_model() -> LexicalModel:
    """The model that ships with the package."""
    text = files("trace_core.scorers.lexical").joinpath(_FILE).read_text(encoding="utf-8")
    return LexicalModel.from_json(json.loads(text))
