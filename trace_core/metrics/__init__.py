"""The TRACe metrics as pure functions of an annotation; one metric, one file."""

from trace_core.metrics.adherence import ADHERENCE, adherence
from trace_core.metrics.average import AVERAGE, average
from trace_core.metrics.completeness import COMPLETENESS, completeness
from trace_core.metrics.counts import Counts, count_annotation
from trace_core.metrics.relevance import RELEVANCE, relevance
from trace_core.metrics.scores import Scores, score_annotation, score_counts
from trace_core.metrics.spec import Convention, MetricSpec, Unit, Value
from trace_core.metrics.utilization import UTILIZATION, utilization

#: The declared facts of every metric, by name; documentation, drift and pages read these.
SPECS = {spec.name: spec for spec in (RELEVANCE, UTILIZATION, ADHERENCE, COMPLETENESS, AVERAGE)}

__all__ = [
    "ADHERENCE",
    "AVERAGE",
    "COMPLETENESS",
    "RELEVANCE",
    "SPECS",
    "UTILIZATION",
    "Convention",
    "Counts",
    "MetricSpec",
    "Scores",
    "Unit",
    "Value",
    "adherence",
    "average",
    "completeness",
    "count_annotation",
    "relevance",
    "score_annotation",
    "score_counts",
    "utilization",
]
