"""Completeness: how much of the relevant information reached the response."""

from trace_core.metrics.counts import Counts
from trace_core.metrics.relevance import empty_reason
from trace_core.metrics.spec import MetricSpec, Value, ratio

COMPLETENESS = MetricSpec("completeness", "generator", "a share of the relevant sentences")


def completeness(counts: Counts) -> Value:
    """The share of relevant document sentences that the response used: len(R and U) / len(R).

    Args:
        counts: the sums of one annotation.

    Returns:
        A value in [0, 1], or undefined with `no_documents`, `no_document_sentence`, `sizes_unknown` or
        `no_relevant_sentence`. RAGBench publishes 1.0 for an empty R and so does the `published` convention;
        "nothing relevant was retrieved" is not a complete answer, so `product` leaves it undefined.

    Source: RAGBench, arXiv:2407.11005.

    >>> counts = Counts(documents=2, total=10, relevant=4, utilized=2, both=1, response=1, unsupported=0)
    >>> completeness(counts).value
    0.25
    """
    if reason := empty_reason(counts):
        return Value(None, reason)
    if not counts.relevant:
        return Value(1.0) if counts.convention == "published" else Value(None, "no_relevant_sentence")
    return Value(ratio(counts.both, counts.relevant))
