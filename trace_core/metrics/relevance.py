"""Relevance: how much of what was retrieved bears on the question."""

from trace_core.metrics.counts import Counts
from trace_core.metrics.spec import MetricSpec, Value, ratio

RELEVANCE = MetricSpec("relevance", "retriever", "a share of the document sentences")


def relevance(counts: Counts) -> Value:
    """The share of document sentences that are relevant to the question: len(R) / N.

    Args:
        counts: the sums of one annotation.

    Returns:
        A value in [0, 1] (`published` may exceed 1 where R lists a key twice), or undefined with
        `no_documents`, `no_document_sentence` or `sizes_unknown`.

    Source: RAGBench, arXiv:2407.11005.

    >>> counts = Counts(documents=2, total=10, relevant=3, utilized=0, both=0, response=1, unsupported=0)
    >>> relevance(counts).value
    0.3
    """
    if reason := empty_reason(counts):
        return Value(None, reason)
    return Value(ratio(counts.relevant, counts.total))


def empty_reason(counts: Counts) -> str | None:
    """Why a share of the document sentences cannot be taken, or None when it can."""
    if not counts.documents:
        return "no_documents"
    if not counts.sizes_known:
        return "sizes_unknown"
    return None if counts.total else "no_document_sentence"
