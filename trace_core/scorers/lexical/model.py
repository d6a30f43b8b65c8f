"""The weights of the lexical scorer, read from one JSON file that says where they come from."""

import json
from collections.abc import Mapping
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
    """A logistic regression over named features."""

    coefficients: Floats
    intercept: float

    @classmethod
    def from_json(cls, value: Mapping[str, Any], features: tuple[str, ...]) -> Self:
        """Read it; ValueError when it was trained for other features."""
        if tuple(value["features"]) != features:
            raise ValueError("the weights were trained for other features: run benchmarks/train_lexical.py")
        return cls(np.array(value["coefficients"]), float(value["intercept"]))

    def logits(self, rows: Floats) -> Floats:
        """Log-odds of each row."""
        result: Floats = rows @ self.coefficients + self.intercept
        return result


@dataclass(frozen=True, slots=True)
class LexicalModel:
    """All that was learned.

    support: is a response sentence supported. relevant, utilized, both: of document sentences. response:
    adherence of a whole response from the least and the mean log-odds of its sentences. threshold: a
    response sentence below it is unsupported. completeness: expected completeness, a line over the ratio of
    expected counts.
    """

    background: Mapping[str, float]
    unseen: float
    support: Logistic
    relevant: Logistic
    utilized: Logistic
    both: Logistic
    response_least: float
    response_mean: float
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
            Logistic.from_json(models["support"], SUPPORT_FEATURES),
            Logistic.from_json(models["relevant"], DOCUMENT_FEATURES),
            Logistic.from_json(models["utilized"], DOCUMENT_FEATURES),
            Logistic.from_json(models["both"], DOCUMENT_FEATURES),
            response["least"],
            response["mean"],
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


def probabilities(logits: Floats) -> Floats:
    """Log-odds as probabilities, rounded to a fixed step."""
    exact = 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    result: Floats = np.round(exact / _STEP) * _STEP
    return result
