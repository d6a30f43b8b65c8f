"""What every metric declares about itself, and the value it returns."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Unit = Literal["sentence", "token", "character"]
Convention = Literal["product", "published"]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """Declared facts of a metric.

    subject: whose quality it measures. granularity: the values one log can take.
    """

    name: str
    subject: Literal["retriever", "generator", "answer"]
    granularity: str
    higher_is_better: bool = True
    low: float = 0.0
    high: float = 1.0


class Value(NamedTuple):
    """A number in the metric's range, or None with the reason code of being undefined."""

    value: float | None
    reason: str | None = None


def ratio(numerator: int, denominator: int) -> float:
    """The one division of all metrics; callers name the empty case before they come here."""
    return numerator / denominator
