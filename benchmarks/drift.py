"""The drift watch against the rules of other tools, on simulated nights.

    python -m benchmarks.drift --reps 20 --seed 1

prints a Markdown table: nights paged per series and year when nothing is wrong, and nights until a drop is
found, beside the peers' rules and the oracle CUSUM. It needs driftbench, at ../shared/driftbench or on the
path. `make_detector` is the factory that driftbench itself takes; it wraps the detector of the nightly run.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from trace_core.aggregates import HISTOGRAM_CELLS, Sums
from trace_core.drift import Night
from trace_core.drift import make_detector as make_watch

DRIFTBENCH = Path(__file__).resolve().parents[1] / ".." / "shared" / "driftbench"
FIRST_MONDAY = date(2024, 1, 1)
PEERS = ("NannyML", "Laney", "CUSUM", "Evidently", "Chi2OrKS", "Elementary")
FALSE_ALARM_NIGHTS = 1217
"""Nights between false alarms of the oracle: .3 a year."""
DEFAULT_SCENARIOS = (
    "null_|step5_(iid|prod)_n500$|step2_(iid|prod)_n5k$|segdrop15_prod_n5k$|comp_shape_prod_n500$|recover"
)


class Adapter:
    """Feeds one simulated series, night by night, to the detector that the nightly run uses."""

    def __init__(self, spec: Any) -> None:
        self.watch = make_watch(spec.metric, evidence=False)
        self.cells = np.floor(20 * np.asarray(spec.grid) + 0.5).astype(int)

    def step(self, day: Any) -> bool:
        """Whether a person is paged tonight."""
        histogram = np.zeros((len(day.n) + 1, HISTOGRAM_CELLS), dtype=int)
        histogram[1:, self.cells] = day.hist
        histogram[0] = histogram[1:].sum(axis=0)
        rows = histogram.tolist()
        sums = zip(day.n.tolist(), day.s.tolist(), day.ss.tolist(), strict=True)
        segments = {
            str(i): Sums(int(n), total, squares, tuple(rows[i + 1]))
            for i, (n, total, squares) in enumerate(sums)
            if n
        }
        total = Sums(int(day.n.sum()), float(day.s.sum()), float(day.ss.sum()), tuple(rows[0]))
        when = FIRST_MONDAY + timedelta(days=int(day.t))
        return self.watch.observe(Night(when, str(day.version), total, {"tenant": segments})).page


def make_detector(spec: Any) -> Adapter:
    """A driftbench factory: one detector per series."""
    return Adapter(spec)


make_detector.single = True  # type: ignore[attr-defined]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 when driftbench is not there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=__doc__)
    parser.add_argument("--reps", type=int, default=20, help="series a scenario (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulated nights (default 1)")
    parser.add_argument("--scenarios", default=DEFAULT_SCENARIOS, help="regular expression on their names")
    parser.add_argument("--peers", default=",".join(PEERS), help="rules to show beside, or an empty string")
    options = parser.parse_args(arguments)
    if DRIFTBENCH.is_dir():
        sys.path.insert(0, str(DRIFTBENCH))
    try:
        import driftbench.core  # noqa: F401
    except ImportError:
        print("driftbench is not there: put it at ../shared/driftbench or on PYTHONPATH.", file=sys.stderr)
        return 2
    peers = [name for name in options.peers.split(",") if name]
    for line in table(options.scenarios, peers, options.reps, options.seed):
        print(line, flush=True)
    return 0


def table(pattern: str, peers: Sequence[str], reps: int, seed: int) -> Any:
    """Yield the lines of the table, one a scenario, as they are measured."""
    from driftbench.core import run, score
    from driftbench.limits import table as limits
    from driftbench.peers import ALL as rules
    from driftbench.scenarios import ALL as scenarios

    detectors: dict[str, Callable[..., Any]] = {"trace": make_detector, **{p: rules[p] for p in peers}}
    oracle = limits(FALSE_ALARM_NIGHTS)
    yield "| scenario | " + " | ".join(detectors) + " | oracle |"
    yield "|---" * (len(detectors) + 2) + "|"
    for scenario in scenarios.values():
        if not re.search(pattern, scenario.name):
            continue
        print(f"{scenario.name} ...", file=sys.stderr, flush=True)
        # Half as many series of completeness, as driftbench does: each has four measures.
        data = scenario.build(reps if scenario.metric == "adherence" else max(20, reps // 2), seed)
        cells = [
            describe(score(run(detector, data), data, scenario.kind), scenario.kind)
            for detector in detectors.values()
        ]
        limit = f"{oracle[scenario.name][2]:.1f}" if scenario.name in oracle else ""
        yield f"| {scenario.name} | " + " | ".join(cells) + f" | {limit} |"


def describe(result: dict[str, float], kind: str) -> str:
    """Nights paged a year for nulls; mean delay, its 95 % quantile and the share found for drifts."""
    if kind == "null":
        return f"{result['fa_nights_yr']:.2f}"
    found, mean, late = result["p_detect"], result["delay_mean"], result["delay_p95"]
    if not found:
        return "never"
    return f"{mean:.1f}, p95 {late:.0f}, P {found:.2f}" if np.isfinite(late) else f"{mean:.1f}, P {found:.2f}"


if __name__ == "__main__":
    sys.exit(main())
