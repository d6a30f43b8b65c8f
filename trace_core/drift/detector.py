"""The detector: remembers nights, fits the baseline, scans, and keeps the incident."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from trace_core.drift import wording
from trace_core.drift.arrays import Integers
from trace_core.drift.baseline import fit
from trace_core.drift.describe import build_checks
from trace_core.drift.history import MEASURES, History
from trace_core.drift.incidents import OpenIncident, find_opening, find_worsening, is_over, refine
from trace_core.drift.judge import Finding, Judgement, judge
from trace_core.drift.night import Night
from trace_core.drift.opening import describe_incident
from trace_core.drift.settings import DriftSettings
from trace_core.drift.verdict import Check, Detector, Event, Incident, State, Verdict


@dataclass(frozen=True, slots=True)
class _Open:
    incident: Incident
    memory: OpenIncident


class ScanDetector:
    """A multi-window scan of mix-adjusted nightly residuals, for one metric.

    Idea: take the traffic mix and the weekday out of each night's mean, learn how much is left from night to
    night, and compare the mean of the last 1, 2, ... 28 nights with nights 28 to 147 ago. It pages when a
    change is both beyond chance and large enough to matter, once per incident.

    False alarms: see docs/drift.md for what was measured. A metric whose single nights really are bad now
    and then pages for them.
    """

    def __init__(self, metric: str, settings: DriftSettings, evidence: bool = True) -> None:
        self.metric = metric
        self.settings = settings
        self._evidence = evidence
        measures = len(MEASURES) if metric in settings.shape_metrics else 1
        self._history = History(measures, keep=settings.baseline_max_age_nights + 1)
        self._fingerprint: str | None = None
        self._last_day: date | None = None
        self._open: _Open | None = None
        self._scannable = 0

    def observe(self, night: Night) -> Verdict:
        """Judge the next night. ValueError when its day is not after the last one."""
        if self._last_day is not None and night.day <= self._last_day:
            raise ValueError(
                f"nights must arrive in the order of their days: {night.day} after {self._last_day}"
            )
        self._last_day = night.day
        if night.total.n <= 0:
            return self._verdict("no_data", wording.describe_no_data(night.day))
        changed, self._fingerprint = self._fingerprint, night.fingerprint
        if changed is not None and changed != night.fingerprint:
            return self._restart(night, changed)
        self._remember(night)
        baseline = fit(self._history, self._mix_columns(), self.settings)
        if baseline is None:
            return self._learning()
        judgement = judge(self._history, baseline, self._scannable, self.settings)
        checks = self._checks(judgement)
        if self._open is not None:
            return self._follow(self._open, judgement, checks)
        finding = find_opening(judgement)
        if finding is not None:
            return self._page(finding, judgement, checks, "opened", None)
        return self._verdict("ok", wording.describe_quiet(self.metric, checks), checks)

    def _remember(self, night: Night) -> None:
        self._history.push(night, accepted=self._open is None)
        self._scannable += 1
        if self._open is not None:
            memory = replace(self._open.memory, nights=self._open.memory.nights + 1)
            self._open = replace(self._open, memory=memory)

    def _restart(self, night: Night, previous: str) -> Verdict:
        """A new fingerprint: nothing before it is comparable."""
        self._history.drop_before(len(self._history))
        self._open, self._scannable = None, 0
        self._remember(night)
        text = wording.describe_scorer_change(previous, night.fingerprint, self._first_verdict())
        return self._verdict("learning", text, event="scorer_changed")

    def _first_verdict(self) -> int:
        return self.settings.young_min_age_nights + self.settings.baseline_min_nights

    def _learning(self) -> Verdict:
        if self._open is not None and self._open.memory.nights > self.settings.rebaseline_after_nights:
            return self._rebaseline(self._open, ())
        text = wording.describe_learning(len(self._history), self._first_verdict())
        return self._verdict("learning" if self._open is None else "incident", text)

    def _follow(self, current: _Open, judgement: Judgement, checks: tuple[Check, ...]) -> Verdict:
        """A night of an open incident."""
        settings, memory = self.settings, current.memory
        worse = find_worsening(memory, judgement, self._history, settings)
        if worse is not None:
            return self._page(worse, judgement, checks, "worsened", current.incident)
        size = refine(memory, judgement, self._history, settings)
        memory = replace(memory, difference=size)
        self._open = current = _Open(replace(current.incident, difference=size), memory)
        if is_over(memory, judgement, self._history, settings):
            self._open, self._scannable = None, 0
            text = wording.describe_recovery(self.metric, current.incident)
            return self._verdict("ok", text, checks, "recovered", incident=current.incident)
        if memory.nights > settings.rebaseline_after_nights:
            return self._rebaseline(current, checks)
        text = wording.describe_open(self.metric, checks, current.incident)
        return self._verdict("incident", text, checks)

    def _rebaseline(self, current: _Open, checks: tuple[Check, ...]) -> Verdict:
        """The change has come to stay: nights from its onset on are the new baseline."""
        onset = int(np.searchsorted(self._history.days, current.incident.onset.toordinal()))
        self._history.drop_before(onset)
        self._history.accepted[:] = True
        self._open, self._scannable = None, len(self._history)
        text = wording.describe_rebaseline(self.metric, current.incident, current.memory.nights)
        return self._verdict("learning", text, checks, "rebaselined", incident=current.incident)

    def _page(
        self,
        finding: Finding,
        judgement: Judgement,
        checks: tuple[Check, ...],
        event: Event,
        before: Incident | None,
    ) -> Verdict:
        """Open an incident, or page again for one that got worse."""
        incident = describe_incident(finding, judgement, self._history, before, self.settings)
        n = self._history.traffic[-finding.window :]
        share = float(n[:, finding.column].sum() / n[:, 0].sum())
        count = self._open.memory.nights if self._open is not None else 1
        memory = OpenIncident(
            self._history.series[finding.column], finding.measure, finding.difference, share, count
        )
        self._open = _Open(incident, memory)
        onset = int(np.searchsorted(self._history.days, incident.onset.toordinal()))
        self._history.accepted[onset:] = False
        text = wording.describe_opening(self.metric, checks, incident)
        return self._verdict("incident", text, checks, event, page=True)

    def _checks(self, judgement: Judgement) -> tuple[Check, ...]:
        if not self._evidence:
            return ()
        assert self._fingerprint is not None  # noqa: S101 - narrows the type; observe has set it
        return build_checks(self._history, judgement, self._fingerprint, self.settings)

    def _mix_columns(self) -> Integers:
        """Columns of the dimension whose traffic shares the total is adjusted for."""
        names = {name for name, _ in self._history.series} - {""}
        chosen = self.settings.mix_dimension
        if chosen not in names:
            chosen = min(names - {self.settings.release_dimension}, default="")
        return self._history.columns_of(chosen) if chosen else np.zeros(0, dtype=np.int64)

    def _verdict(
        self,
        state: State,
        text: str,
        checks: tuple[Check, ...] = (),
        event: Event | None = None,
        incident: Incident | None = None,
        page: bool = False,
    ) -> Verdict:
        assert self._last_day is not None  # noqa: S101 - narrows the type; observe has set it
        if incident is None and self._open is not None:
            incident = self._open.incident
        return Verdict(self._last_day, self.metric, state, page, event, incident, checks, text)


def make_detector(metric: str, settings: DriftSettings | None = None, evidence: bool = True) -> Detector:
    """A fresh detector for one metric that has seen no night yet.

    Without `evidence` its verdicts are the same but have no checks, which saves a third of the time when
    many histories are simulated.
    """
    return ScanDetector(metric, (settings or DriftSettings()).for_metric(metric), evidence)
