"""All metrics of one annotation together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from trace_core.annotation import Annotation
from trace_core.metrics.adherence import adherence
from trace_core.metrics.average import average
from trace_core.metrics.completeness import completeness
from trace_core.metrics.counts import Counts, count_annotation
from trace_core.metrics.relevance import relevance
from trace_core.metrics.spec import Convention, Unit, Value
from trace_core.metrics.utilization import utilization


@dataclass(frozen=True, slots=True)
class Scores:
    """The four TRACe metrics and their mean; each in [0, 1] or None with its reason code in `undefined`."""

    relevance: float | None
    utilization: float | None
    adherence: float | None
    completeness: float | None
    average: float | None
    undefined: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, relevance: Value, utilization: Value, adherence: Value, completeness: Value) -> "Scores":
        """Collect four values and take their mean."""
        values = {
            "relevance": relevance,
            "utilization": utilization,
            "adherence": adherence,
            "completeness": completeness,
        }
        mean = average(value.value for value in values.values())
        named = {**values, "average": mean}
        undefined = {name: value.reason for name, value in named.items() if value.reason is not None}
        return cls(
            relevance.value, utilization.value, adherence.value, completeness.value, mean.value, undefined
        )


def score_counts(counts: Counts) -> Scores:
    """The metrics of already counted sums."""
    return Scores.of(relevance(counts), utilization(counts), adherence(counts), completeness(counts))


def score_annotation(
    annotation: Annotation, unit: Unit = "sentence", convention: Convention = "product"
) -> Scores:
    """The metrics of an annotation.

    Args:
        annotation: sentence keys in RAGBench's form.
        unit: what a share is taken of: the number of sentences, their tokens or their characters.
        convention: `product` (distinct existing keys; an empty R leaves completeness undefined) or
            `published` (keys raw; completeness 1.0 for an empty R), which reproduces RAGBench's labels.

    Raises:
        ValueError: an unknown unit or convention.

    >>> a = Annotation((3, 1), ("a", "b"), ("0a", "0b"), ("0b",), ())
    >>> s = score_annotation(a)
    >>> s.relevance, s.utilization, s.completeness, s.adherence, s.average
    (0.5, 0.25, 0.5, 1.0, 0.5625)
    """
    return score_counts(count_annotation(annotation, unit, convention))
