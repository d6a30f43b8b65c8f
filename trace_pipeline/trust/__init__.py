"""How far scores can be trusted: people's labels, agreement, corrected rates, what to label next."""

from trace_pipeline.trust.agreement import GroupAgreement, ScorerAgreement, agreements
from trace_pipeline.trust.corrected import HEADLINE_NIGHTS, Correction, corrected_nights, corrected_range
from trace_pipeline.trust.labels import LabelledAnswer, Labels, read_labels
from trace_pipeline.trust.queue import QueuedLog, find_in_queue, label_queue

__all__ = [
    "HEADLINE_NIGHTS",
    "Correction",
    "GroupAgreement",
    "LabelledAnswer",
    "Labels",
    "QueuedLog",
    "ScorerAgreement",
    "agreements",
    "corrected_nights",
    "corrected_range",
    "find_in_queue",
    "label_queue",
    "read_labels",
]
