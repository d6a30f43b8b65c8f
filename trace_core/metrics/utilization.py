"""Utilization: how much of what was retrieved the response made use of."""

from trace_core.metrics.counts import Counts
from trace_core.metrics.relevance import empty_reason
from trace_core.metrics.spec import MetricSpec, Value, ratio

UTILIZATION = MetricSpec("utilization", "generator", "a share of the document sentences")


def utilization(counts: Counts) -> Value:
    """The share of document sentences that the response used: len(U) / N.

    Args:
        counts: the sums of one annotation.

    Returns:
        A value in [0, 1] (`published` may exceed 1 where U lists a key twice), or undefined with
        `no_documents`, `no_document_sentence` or `sizes_unknown`.

    Source: RAGBench, arXiv:2407.11005.

    >>> counts = Counts(documents=2, total=10, relevant=3, utilized=2, both=2, response=1, unsupported=0)
    >>> utilization(counts).value
    0.2
    """
    if reason := empty_reason(counts):
        return Value(None, reason)
    return Value(ratio(counts.utilized, counts.total))
