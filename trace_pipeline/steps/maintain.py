"""Weekly housekeeping: partitions ahead, retention."""

from __future__ import annotations

import logging
from datetime import date, timedelta

from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query

log = logging.getLogger(__name__)

_AHEAD_DAYS = 62  # two months: a pipeline that stands still for weeks must not find its partition missing

_FORGET = (
    "forget_quarantine",
    "forget_documents",
    "forget_labels",
    "forget_judge_calls",
    "forget_kept_answers",
)


def ensure_partitions(pipeline: Pipeline, day: date) -> int:
    """Make the months of trace.evaluation from `day` to two months on; returns how many were missing."""
    place = {"first_day": day, "last_day": day + timedelta(days=_AHEAD_DAYS)}
    with pipeline.results.begin() as connection:
        return int(connection.execute(query("ensure_partitions"), place).scalar_one())


def apply_retention(pipeline: Pipeline, day: date) -> list[str]:
    """Drop the months of evaluations, and what else is about logs, older than `retention_days`.

    That is quarantine, labels, document counts, the judge's calls and its kept answers. Returns the dropped
    tables. Sums, ledger, verdicts and what a judge cost a night stay: they hold no log and no id of one, nor
    of a document. The anchor set stays too: it is kept on purpose. Without the setting nothing is dropped.
    """
    days = pipeline.settings.retention_days
    if days is None:
        return []
    with pipeline.results.begin() as connection:
        place = {"before": day - timedelta(days=days)}
        dropped = list(connection.execute(query("drop_partitions"), place).scalar_one())
        for rest in _FORGET:
            connection.execute(query(rest), place)
    for name in dropped:
        log.info("Dropped %s: older than retention_days = %s.", name, days)
    return dropped
