"""Values in plain words."""

from trace_core.reasons import describe


def read_value(metric: str, value: float | None, reason: str | None = None) -> str:
    """One line: the metric, its value and what it means.

    >>> read_value("adherence", 0.0)
    'adherence 0.00: contains unsupported claims'
    >>> read_value("completeness", 0.45)
    'completeness 0.45: covers about 45 % of the relevant information'
    >>> read_value("relevance", None, "no_documents")
    'relevance -: Nothing was retrieved, so a share of the documents cannot be taken.'
    """
    if value is None:
        return f"{metric} -: {describe(reason or 'undefined')}"
    return f"{metric} {value:.2f}: {reading(metric, value)}"


def reading(metric: str, value: float) -> str:
    """What a value of a metric means. ValueError for an unknown metric."""
    percent = f"about {100 * value:.0f} %"
    if metric == "adherence":
        return "fully grounded" if value >= 1.0 else "contains unsupported claims"
    if metric == "relevance":
        return f"{percent} of what was retrieved bears on the question"
    if metric == "utilization":
        return f"the response uses {percent} of what was retrieved"
    if metric == "completeness":
        return f"covers {percent} of the relevant information"
    if metric == "average":
        return f"{percent} over the metrics that have a value"
    raise ValueError(f"unknown metric {metric!r}")
