"""Which segments carry a change of the total."""

from __future__ import annotations

import numpy as np

from trace_core.drift.history import History
from trace_core.drift.judge import Judgement
from trace_core.drift.verdict import Contributor


def rank_contributors(history: History, judgement: Judgement, measure: int, window: int) -> list[Contributor]:
    """Every segment value's part in the within-segment change of the last `window` nights, in score units.

    The contribution of s is sum_t n_ts r_ts / sum_t n_t; the contributions of one dimension sum to the
    change of the total but for weekday and level shrinkage. First comes the segment whose contribution
    exceeds its traffic share of the change most: a value with all the traffic explains nothing.
    """
    n = history.traffic[-window:]
    logs = n.sum(axis=0)
    residual = judgement.baseline.adjusted.residual[measure, -window:]
    contribution = (n * np.where(n > 0, residual, 0.0)).sum(axis=0) / logs[0]
    excess = np.sign(contribution[0]) * (contribution - logs / logs[0] * contribution[0])
    order = np.argsort(-excess[1:], kind="stable") + 1
    return [
        Contributor(
            history.series[i][0], history.series[i][1], float(contribution[i]), float(logs[i] / logs[0])
        )
        for i in order.tolist()
        if logs[i] > 0
    ]
