"""detect_drift: judge every stored night anew and store what the detector says.

The verdicts are a pure function of the stored sums, so a restated night is judged again by replaying the
nights from the first one; what was told to people is kept elsewhere (trace.alert_delivery), never told again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from sqlalchemy import Connection

from trace_core.drift import DriftSettings, Night, Verdict, make_detector
from trace_core.drift.volume import VolumeCheck, judge_volume
from trace_pipeline.anchor.checks import check_scorer
from trace_pipeline.context import Pipeline
from trace_pipeline.nights import load_nights
from trace_pipeline.scorers import VARYING
from trace_pipeline.sqlfiles import query
from trace_pipeline.verdicts import store_verdicts, store_volume

# Of a scorer that judges its anchors as before nothing is said.
_TOLD = ("suspect", "shifted", "no_data")


def detect_drift(pipeline: Pipeline) -> list[str]:
    """Judge the watched metrics of the first configured scorer; returns tonight's sentence of each metric.

    The number of logs is judged too, as the metric `volume`: whether there was traffic at all. Before all,
    every scorer that judges anchors is: has it changed itself?
    """
    settings = pipeline.settings
    scorer = settings.scorers[0]
    sentences = _check_scorers(pipeline)
    for metric in settings.watch_metrics:
        with pipeline.results.begin() as connection:
            connection.execute(query("lock_series"), {"series": f"verdicts {scorer} {metric}"})
            nights = load_nights(connection, scorer, metric, settings.watch_history_days)
            verdicts = replay(metric, nights, settings.drift_settings)
            store_verdicts(connection, scorer, metric, verdicts, settings.drift_settings)
        if verdicts:
            sentences.append(verdicts[-1][1].text)
    with pipeline.results.begin() as connection:
        connection.execute(query("lock_series"), {"series": f"verdicts {scorer} volume"})
        volumes = judge_volumes(connection, scorer, settings.watch_history_days)
        store_volume(connection, scorer, volumes)
    if volumes:
        sentences.append(volumes[-1].text)
    return sentences


def _check_scorers(pipeline: Pipeline) -> list[str]:
    sentences = []
    for scorer in pipeline.settings.scorers:
        if scorer not in VARYING:
            continue
        with pipeline.results.begin() as connection:
            connection.execute(query("lock_series"), {"series": f"verdicts {scorer} anchors"})
            checks = check_scorer(connection, scorer)
        if checks:
            sentences += [f"{scorer}, {check.text}" for check in checks[-1] if check.state in _TOLD]
    return sentences


def replay(
    metric: str, nights: Iterable[Night], settings: DriftSettings | None = None
) -> list[tuple[Night, Verdict]]:
    """Show a new detector all nights in order."""
    detector = make_detector(metric, settings or DriftSettings())
    return [(night, detector.observe(night)) for night in nights]


def judge_volumes(connection: Connection, scorer: str, history_days: int) -> list[VolumeCheck]:
    """Judge the number of source rows of each night against the same weekday before it."""
    rows = connection.execute(query("watch_volume"), {"scorer": scorer, "history_days": history_days})
    history: list[tuple[date, int]] = []
    found = []
    for day, source_rows in rows:
        found.append(judge_volume(history, day, source_rows))
        history.append((day, source_rows))
    return found
