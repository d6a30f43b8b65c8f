"""The shared metric core: TRACe metrics of RAG answers. Pure: no I/O, clock, environment or logging.

>>> import trace_core
>>> trace_core.evaluate("Who wrote it?", "Ada Byron wrote it.", ["The notes: Ada Byron wrote it."]).adherence
1.0
"""

from trace_core.aggregates import METRICS, Sums
from trace_core.annotation import Annotation, SentenceSizes, SentenceSupport
from trace_core.errors import BadInput, ConfigurationError, TemporaryFault, TraceError
from trace_core.evaluating import evaluate
from trace_core.evaluation_log import EvaluationLog
from trace_core.metrics import SPECS, Scores, score_annotation
from trace_core.ragbench import ragbench_log
from trace_core.reasons import REASONS, describe
from trace_core.records import Document, Limits, Log, parse_log, parse_log_line, parse_logged_at
from trace_core.scorers import DEFAULT_SCORER, Evaluation, Scorer, get_scorer, scorer_names

__all__ = [
    "DEFAULT_SCORER",
    "METRICS",
    "REASONS",
    "SPECS",
    "Annotation",
    "BadInput",
    "ConfigurationError",
    "Document",
    "Evaluation",
    "EvaluationLog",
    "Limits",
    "Log",
    "Scorer",
    "Scores",
    "SentenceSizes",
    "SentenceSupport",
    "Sums",
    "TemporaryFault",
    "TraceError",
    "describe",
    "evaluate",
    "get_scorer",
    "parse_log",
    "parse_log_line",
    "parse_logged_at",
    "ragbench_log",
    "score_annotation",
    "scorer_names",
]
