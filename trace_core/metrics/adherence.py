"""Adherence: is everything the response says supported by the documents."""

from trace_core.metrics.counts import Counts
from trace_core.metrics.spec import MetricSpec, Value

ADHERENCE = MetricSpec("adherence", "generator", "Boolean: 1.0 or 0.0")


def adherence(counts: Counts) -> Value:
    """1.0 when every response sentence is supported, else 0.0; never a fraction.

    Args:
        counts: the sums of one annotation.

    Returns:
        0.0 or 1.0, or undefined with `no_response_sentence`. With no documents a response that claims
        anything is unsupported and scores 0.0: that is the scorer's decision, in `unsupported`.

    Source: RAGBench, arXiv:2407.11005; its label is `len(unsupported_response_sentence_keys) == 0`, not what
    `sentence_support_information` says.

    >>> counts = Counts(documents=2, total=10, relevant=3, utilized=2, both=2, response=4, unsupported=1)
    >>> adherence(counts).value
    0.0
    """
    if counts.convention == "product" and not counts.response:
        return Value(None, "no_response_sentence")
    return Value(0.0 if counts.unsupported else 1.0)
