"""Weekly housekeeping: partitions ahead, retention."""

from __future__ import annotations

import logging
from datetime import date, timedelta

from trace_pipeline.context import Pipeline
from trace_pipeline.sqlfiles import query

log = logging.getLogger(__name__)

_AHEAD_DAYS = 62  # two months: a pipeline that stands still for weeks must not find its partition missing

# Query -> the setting that may let it go earlier than the evaluations; None: it goes with them.
_FORGET = {
    "forget_annotations": "annotation_days",
    "forget_quarantine": "quarantine_days",
    "forget_documents": None,
    "forget_labels": "label_days",
    "forget_judge_calls": "judge_days",
    "forget_kept_answers": "judge_days",
}


def ensure_partitions(pipeline: Pipeline, day: date) -> int:
    """Make the months of trace.evaluation from `day` to two months on; returns how many were missing."""
    place = {"first_day": day, "last_day": day + timedelta(days=_AHEAD_DAYS)}
    with pipeline.results.begin() as connection:
        return int(connection.execute(query("ensure_partitions"), place).scalar_one())


def apply_retention(pipeline: Pipeline, day: date) -> list[str]:
    """Drop the months of evaluations, and what else is about logs, older than `retention_days`.

    The settings below `retention` let a part of it go earlier.

    That is quarantine, labels, document counts, the judge's calls and its kept answers. Returns the dropped
    tables. Sums, ledger, verdicts and what a judge cost a night stay: they hold no log and no id of one, nor
    of a document. The anchor set stays too: it is kept on purpose. Without any setting nothing is dropped.
    """
    settings = pipeline.settings
    days, dropped = settings.retention_days, list[str]()
    with pipeline.results.begin() as connection:
        if days is not None:
            place = {"before": day - timedelta(days=days)}
            dropped = list(connection.execute(query("drop_partitions"), place).scalar_one())
        for rest, name in _FORGET.items():
            age = _earlier(days, getattr(settings.retention, name) if name else None)
            if age is not None:
                connection.execute(query(rest), {"before": day - timedelta(days=age)})
    for name in dropped:
        log.info("Dropped %s: older than retention_days = %s.", name, days)
    return dropped


def _earlier(days: int | None, own: int | None) -> int | None:
    """Return the shorter of two ages: nothing about a log outlives its evaluation."""
    return min((age for age in (days, own) if age is not None), default=None)
