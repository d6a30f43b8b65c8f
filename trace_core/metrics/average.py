"""Average: one number for a table, from the metrics that are defined."""

import math
from collections.abc import Iterable

from trace_core.metrics.spec import MetricSpec, Value

AVERAGE = MetricSpec("average", "answer", "a mean of up to four values")


def average(values: Iterable[float | None]) -> Value:
    """The mean of the metrics that are defined; an undefined one neither counts nor drags.

    Args:
        values: relevance, utilization, adherence and completeness, None for an undefined one.

    Returns:
        A value in [0, 1], or undefined with `no_metric_defined`.

    >>> average([0.5, None, 1.0, None]).value
    0.75
    """
    defined = [value for value in values if value is not None]
    if not defined:
        return Value(None, "no_metric_defined")
    # The built-in sum rounds otherwise since Python 3.12: the last bit would depend on the version.
    return Value(math.fsum(defined) / len(defined))
