"""A first detector: Laney-style z of a night's mean against the accepted nights before it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from itertools import pairwise

from trace_core.drift.night import Cell, Night
from trace_core.drift.settings import DriftSettings
from trace_core.drift.verdict import Check, Detector, Event, Incident, State, Verdict

Key = tuple[str, str]


class LaneyDetector:
    """|z| of tonight's mean against its baseline, z scaled by the baseline's own moving range.

    Formula: z = (mean - baseline mean) / (sigma_z sqrt(v / n)), sigma_z = mean |z_i - z_(i-1)| / 1.128
    (Laney, "Improved control charts for attributes", Quality Engineering 14, 2002).
    """

    def __init__(self, metric: str, settings: DriftSettings) -> None:
        self.metric = metric
        self.settings = settings
        self.nights: list[Night] = []
        self.fingerprint: str | None = None
        self.last_day: date | None = None
        self.incident: Incident | None = None

    def observe(self, night: Night) -> Verdict:
        if self.last_day is not None and night.day <= self.last_day:
            raise ValueError(f"nights must arrive in order: {night.day} after {self.last_day}")
        self.last_day = night.day
        if night.total.n == 0:
            return self._verdict(night, "no_data", None, (), "No scored logs tonight: no verdict.")
        if self.fingerprint is not None and night.fingerprint != self.fingerprint:
            self.nights, self.incident, self.fingerprint = [night], None, night.fingerprint
            text = f"The scorer changed to {night.fingerprint}: the baseline starts anew."
            return self._verdict(night, "learning", "scorer_changed", (), text)
        self.fingerprint = night.fingerprint
        verdict = self._judge(night)
        if self.incident is None:
            self.nights = [*self.nights, night][-self.settings.baseline_max_age_nights :]
        return verdict

    def _judge(self, night: Night) -> Verdict:
        if len(self.nights) < self.settings.baseline_min_nights:
            text = f"Learning: {len(self.nights) + 1} nights of {self.settings.baseline_min_nights} seen."
            return self._verdict(night, "learning", None, (), text)
        checks = tuple(self._checks(night))
        fired = sorted((c for c in checks if c.fired), key=lambda c: (c.dimension != "", -abs(c.z)))
        if self.incident is not None:
            return self._follow(night, checks, bool(fired))
        if not fired:
            return self._verdict(night, "ok", None, checks, "No change beyond chance and floor.")
        top = fired[0]
        self.incident = Incident(night.day, night.day, night.day, top.difference, top.dimension, top.value)
        where = f" in {top.dimension}={top.value}" if top.dimension else ""
        text = f"{self.metric}{where} {top.observed:.1%}, expected {top.expected:.1%}."
        return self._verdict(night, "incident", "opened", checks, text, page=True)

    def _follow(self, night: Night, checks: tuple[Check, ...], firing: bool) -> Verdict:
        incident = self.incident
        assert incident is not None  # noqa: S101 - narrows the type; the caller has checked it
        age = (night.day - incident.opened).days
        if age >= self.settings.rebaseline_after_nights:
            self.nights, self.incident = [], None
            text = f"The change of {incident.opened} has lasted {age} nights and is the new baseline."
            return self._verdict(night, "learning", "rebaselined", checks, text)
        if not firing and age >= self.settings.recovery_min_nights:
            self.incident = None
            text = f"The change of {incident.opened} is over."
            return replace(self._verdict(night, "ok", "recovered", checks, text), incident=incident)
        return self._verdict(night, "incident", None, checks, f"The change of {incident.opened} is open.")

    def _checks(self, night: Night) -> Iterable[Check]:
        total = self._check("", "", night.total, [n.total for n in self.nights], self.settings.floor)
        if total is not None:
            yield total
        for dimension, cells in night.segments.items():
            for value, cell in cells.items():
                past = [n.segments.get(dimension, {}).get(value) for n in self.nights]
                known = [c for c in past if c is not None and c.n > 0]
                if cell.n < self.settings.segment_min_window_n:
                    continue
                check = self._check(dimension, value, cell, known, self.settings.segment_floor)
                if check is not None:
                    yield check

    def _check(self, dimension: str, value: str, cell: Cell, past: list[Cell], floor: float) -> Check | None:
        if len(past) < self.settings.baseline_min_nights or cell.n == 0:
            return None
        n = sum(c.n for c in past)
        mean = sum(c.total for c in past) / n
        variance = max(sum(c.squares for c in past) / n - mean * mean, 1.0 / n)
        scores = [(c.total / c.n - mean) / math.sqrt(variance / c.n) for c in past]
        moves = [abs(b - a) for a, b in pairwise(scores)]
        sigma_z = max(1.0, sum(moves) / len(moves) / 1.128)
        se = sigma_z * math.sqrt(variance / cell.n + variance / n)
        difference = cell.total / cell.n - mean
        z = difference / se
        threshold = self.settings.threshold + (1.0 if dimension else 0.0)
        return Check(
            dimension, value, "mean", 1, mean + difference, mean, difference,
            difference - 1.96 * se, difference + 1.96 * se, z, threshold,
            math.erfc(abs(z) / math.sqrt(2)), cell.n, n,
            abs(z) >= threshold and abs(difference) >= floor, {"sigma_z": sigma_z},
        )  # fmt: skip

    def _verdict(
        self,
        night: Night,
        state: State,
        event: Event | None,
        checks: tuple[Check, ...],
        text: str,
        page: bool = False,
    ) -> Verdict:
        return Verdict(night.day, self.metric, state, page, event, self.incident, checks, text)


def make_detector(metric: str, settings: DriftSettings | None = None) -> Detector:
    """A fresh detector for one metric that has seen no night yet."""
    return LaneyDetector(metric, settings or DriftSettings())
