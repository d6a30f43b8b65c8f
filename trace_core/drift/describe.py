"""Checks with the evidence they rest on."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from trace_core.drift.arrays import Flags, Floats, Integers, divide
from trace_core.drift.history import MEASURES, History
from trace_core.drift.judge import Judgement
from trace_core.drift.scan import Scan
from trace_core.drift.settings import DriftSettings
from trace_core.drift.verdict import Check, Evidence


def build_checks(
    history: History, judgement: Judgement, fingerprint: str, settings: DriftSettings
) -> tuple[Check, ...]:
    """One check per measure of the total and one per tested segment, each of its strongest window."""
    common = _common_evidence(history, judgement, fingerprint)
    return _total_checks(history, judgement, common, settings) + _segment_checks(
        history, judgement, common, settings
    )


def _common_evidence(history: History, judgement: Judgement, fingerprint: str) -> dict[str, int | str]:
    usable = judgement.baseline.usable
    accepted = np.flatnonzero(history.accepted[:usable])
    return {
        "fingerprint": fingerprint,
        "baseline_from": history.day(int(accepted[0])).isoformat(),
        "baseline_to": history.day(int(accepted[-1])).isoformat(),
        "baseline_nights": len(accepted),
        "excluded_nights": usable - len(accepted),
    }


def _total_checks(
    history: History, judgement: Judgement, common: Evidence, settings: DriftSettings
) -> tuple[Check, ...]:
    scan, best = judgement.total_scan, judgement.total
    measures = np.arange(len(scan.z))
    windows = np.abs(scan.z[:, 0]).argmax(axis=1)
    windows[best.measure] = best.index
    fired = np.zeros(len(measures), dtype=np.bool_)
    fired[best.measure] = best.fired
    threshold = judgement.threshold[measures, windows]
    floors = np.where(measures > 0, settings.shape_floor, settings.floor)
    extra = [
        {"floor": float(floor), "mix": _window_mix(judgement, int(m), int(scan.windows[w]))}
        for m, w, floor in zip(measures, windows, floors, strict=True)
    ]
    at = (measures, np.zeros_like(measures), windows)
    return _build(history, judgement, scan, at, at[1], threshold, fired, common, extra)


def _segment_checks(
    history: History, judgement: Judgement, common: Evidence, settings: DriftSettings
) -> tuple[Check, ...]:
    scan, tests = judgement.segment_scan, judgement.segment_tests
    if len(tests.column) == 0:
        return ()
    rate = judgement.rate
    ranks = tests.adjusted.argsort(kind="stable").argsort(kind="stable") + 1
    # The |Z| that a segment of this rank has to reach: Benjamini-Hochberg read backwards.
    threshold = -ndtri(rate * ranks / len(ranks) / tests.looks / 2.0)
    extra = [
        {
            "floor": settings.segment_floor,
            "p_windows": p,
            "p_adjusted": adjusted,
            "rank": rank,
            "false_discovery_rate": rate,
        }
        for p, adjusted, rank in zip(tests.p.tolist(), tests.adjusted.tolist(), ranks.tolist(), strict=True)
    ]
    at = (tests.measure, tests.column - 1, tests.window)
    return _build(history, judgement, scan, at, tests.column, threshold, tests.fired, common, extra)


def _window_mix(judgement: Judgement, measure: int, window: int) -> float:
    """Change of the total by traffic mix alone over the window, M_t weighted as the residuals are."""
    adjusted = judgement.baseline.adjusted
    weight = adjusted.precision[measure, -window:, 0]
    mix = float(divide(weight @ adjusted.split.mix[measure, -window:], weight.sum()))
    return mix if abs(mix) > 1e-12 else 0.0


def _build(
    history: History,
    judgement: Judgement,
    scan: Scan,
    at: tuple[Integers, Integers, Integers],
    column: Integers,
    threshold: Floats,
    fired: Flags,
    common: Evidence,
    extra: list[dict[str, float]],
) -> tuple[Check, ...]:
    """Gather the numbers of many checks as arrays first: hundreds of segments are judged each night."""
    baseline, measure = judgement.baseline, at[0]
    series = (measure, column)
    window, difference, error, z = scan.windows[at[2]], scan.difference[at], scan.error[at], scan.z[at]
    observed = _observed(history, judgement, measure, column, window)
    half = stdtrit(scan.degrees[at], 0.975) * error
    weekday = (int(history.days[-1]) + 6) % 7
    table = {
        "standard_error": error,
        "tau": np.sqrt(baseline.adjusted.days.tau2[series]),
        "rho": baseline.rho[series],
        "phi": baseline.phi[series],
        "kappa": baseline.kappa[series],
        "nu": scan.degrees[at],
        "weekday_effect": baseline.adjusted.weekday_effect[measure, weekday, column],
        "level": baseline.adjusted.levels.level[series],
    }
    columns = (
        observed,
        observed - difference,
        difference,
        difference - half,
        difference + half,
        z,
        threshold,
    )
    numbers = np.column_stack([*columns, 2.0 * ndtr(-np.abs(z)), *table.values()]).tolist()
    logs = scan.n[at[1:]].astype(np.int64).tolist()
    reference = baseline.adjusted.levels.n[column].astype(np.int64).tolist()
    names = [
        (*history.series[c], MEASURES[m]) for c, m in zip(column.tolist(), measure.tolist(), strict=True)
    ]
    checks = []
    for i, (dimension, value, name) in enumerate(names):
        seen, expected, change, low, high, score, limit, p, *rest = numbers[i]
        evidence = {**common, **dict(zip(table, rest, strict=True)), **extra[i]}
        checks.append(
            Check(
                dimension, value, name, int(window[i]), seen, expected, change, low, high, score, limit, p,
                logs[i], reference[i], bool(fired[i]), evidence,
            )
        )  # fmt: skip
    return tuple(checks)


def _observed(
    history: History, judgement: Judgement, measure: Integers, column: Integers, window: Integers
) -> Floats:
    """Mean scores of the windows, nights weighted by precision as in D; expected is observed minus D."""
    back = int(window.max())
    n = history.n[-back:][:, column].T
    total = history.total[measure, -back:, column]
    inside = np.arange(back, 0, -1) <= window[:, None]
    weight = judgement.baseline.adjusted.precision[measure, -back:, column] * inside
    return divide((weight * divide(total, n)).sum(axis=1), weight.sum(axis=1))
