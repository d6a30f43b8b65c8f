"""What the tests of the watch share: published nights, and a detector that says what it is told to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine

from tests.sql.tools import DAY, execute
from trace_core import DEFAULT_SCORER
from trace_core.drift import Incident, Night, Verdict
from trace_pipeline.steps import detect_drift as step

SCORER = DEFAULT_SCORER


def day(number: int) -> date:
    """Return the day of a night by its number."""
    return DAY + timedelta(days=number)


def publish(
    engine: Engine,
    nights: Mapping[int, int] | Iterable[int],
    fingerprint: str = "f1",
    n: int = 100,
    kept: int = 90,
    scorer: str = SCORER,
) -> None:
    """Store the sums of nights: of each, by its number, `n` logs of which `kept` (or its own number) are adherent."""
    execute(
        engine,
        "insert into trace.scorer (name, fingerprint, parameters) values (:name, :print, '{}') on conflict do nothing",
        name=scorer,
        print=fingerprint,
    )
    counts = nights if isinstance(nights, Mapping) else dict.fromkeys(nights, kept)
    for number, good in counts.items():
        place = {
            "name": scorer,
            "print": fingerprint,
            "day": day(number),
            "n": n,
            "good": good,
            "bad": n - good,
        }
        execute(
            engine,
            "insert into trace.ledger (scorer_id, day, interval_start, interval_end, source_rows, scored, skipped,"
            " quarantined, sampled_out, failed, run_id) select scorer_id, :day, cast(:day as date),"
            " cast(:day as date) + 1, :n, :n, 0, 0, 0, 0, '' from trace.scorer where (name, fingerprint) = (:name, :print)"
            " on conflict (scorer_id, day) do update set source_rows = excluded.source_rows, scored = excluded.scored",
            **place,
        )
        execute(
            engine,
            "insert into trace.daily_metric (scorer_id, day, dimension, value, metric, n, total, squares, histogram,"
            " undefined, unscored, published_n, published_total, run_id) select scorer_id, :day, '', '', m, :n, :good,"
            " :good, cast(:bad as bigint) || array_fill(cast(0 as bigint), array[19]) || cast(:good as bigint), 0, 0,"
            " :n, :good, '' from trace.scorer cross join unnest(array['adherence', 'completeness']) as m"
            " where (name, fingerprint) = (:name, :print) on conflict (scorer_id, day, metric, dimension, value)"
            " do update set n = excluded.n, total = excluded.total, squares = excluded.squares,"
            " histogram = excluded.histogram",
            **place,
        )


@dataclass
class Script:
    """Events by night number; the detector made of it is the same for every metric."""

    events: dict[int, str]
    onset_shift: int = 0

    def verdicts(self) -> dict[date, str]:
        """Return the events by day."""
        return {day(number): name for number, name in self.events.items()}


class ScriptedDetector:
    """A detector whose verdicts follow a script."""

    def __init__(self, metric: str, script: Script) -> None:
        self.metric = metric
        self.script = script
        self.open: Incident | None = None

    def observe(self, night: Night) -> Verdict:
        """Say what the script says of the night."""
        event = self.script.verdicts().get(night.day)
        if event == "opened":
            onset = night.day - timedelta(days=1 + self.script.onset_shift)
            self.open = Incident(night.day, onset, night.day, -0.1)
        incident = self.open
        if event in ("recovered", "rebaselined", "scorer_changed"):
            self.open = None
        state = "no_data" if night.total.n == 0 else "incident" if self.open else "ok"
        said = incident if event in ("opened", "worsened", "recovered", "rebaselined") else None
        page = event in ("opened", "worsened")
        return Verdict(night.day, self.metric, state, page, event, said, (), f"{night.day}: {event or state}")  # type: ignore[arg-type]


def follow(monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    """Let the watch use detectors that follow the script."""
    monkeypatch.setattr(step, "make_detector", lambda metric, _: ScriptedDetector(metric, script))
