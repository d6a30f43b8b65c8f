"""The watch on the scorer, on simulated judges: false alarms a year, and how soon a shift is found.

    python -m benchmarks.anchor --years 200 --seed 1

prints two Markdown tables. A judge has sixty anchors, two thirds of them supported, and gives another verdict
than its usual one with a fixed rate; its other three metrics are shares with noise of ten points an anchor.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from trace_core.drift.anchor import ANCHOR_METRICS, AnchorNight, check_anchors

FIRST = date(2025, 1, 1)
NIGHTS = 365
ANCHORS = 60
FLIP_RATES = (0.0, 0.01, 0.02, 0.05)
SHIFTS = (0.05, 0.10)
SHARE_NOISE = 0.1


def judge_nights(
    rng: np.random.Generator,
    nights: int,
    flip_rate: float,
    *,
    shift: float = 0.0,
    shift_night: int | None = None,
    few: bool = False,
    metrics: Sequence[str] = ANCHOR_METRICS,
) -> list[AnchorNight]:
    """Simulate a judge that from a night on calls `shift` of all anchors unsupported that it had supported.

    few: a fifth of the anchors makes all the flips.
    """
    usual = np.arange(ANCHORS) < ANCHORS * 2 // 3
    rates = np.full(ANCHORS, flip_rate)
    if few:
        rates = np.where(rng.permutation(ANCHORS) < ANCHORS // 5, 5 * flip_rate, 0.0)
    stricter = rng.choice(np.flatnonzero(usual), round(shift * ANCHORS), replace=False)
    level = rng.uniform(0.2, 0.8, (len(metrics), ANCHORS))
    noise = SHARE_NOISE if flip_rate else 0.0
    found = []
    for number in range(nights):
        verdict = usual.copy()
        if shift_night is not None and number >= shift_night:
            verdict[stricter] = False
        verdict ^= rng.random(ANCHORS) < rates
        shares = np.clip(level + noise * rng.standard_normal(level.shape), 0.0, 1.0)
        values = {
            metric: named(verdict.astype(float) if metric == "adherence" else shares[index])
            for index, metric in enumerate(metrics)
        }
        found.append(AnchorNight(FIRST + timedelta(days=number), "v1", ANCHORS, ANCHORS, values))
    return found


def named(values: np.ndarray) -> dict[str, float]:
    """Give each anchor its name."""
    return {f"a{index:02d}": value for index, value in enumerate(values.tolist())}


def alarms(nights: Sequence[AnchorNight]) -> tuple[int, int]:
    """Return the nights on which the scorer was said to have shifted, and those on which pages waited."""
    states = [{check.state for check in checks} for checks in check_anchors(nights)]
    return sum("shifted" in said for said in states), sum("suspect" in said for said in states)


def false_alarms(seed: int, years: int, flip_rate: float, few: bool = False) -> tuple[float, float]:
    """Return shifted and suspect nights a year of a judge that never changes, its first year included."""
    rng = np.random.default_rng(seed)
    counts = [alarms(judge_nights(rng, NIGHTS, flip_rate, few=few)) for _ in range(years)]
    return float(np.mean([c[0] for c in counts])), float(np.mean([c[1] for c in counts]))


def power(
    seed: int, reps: int, flip_rate: float, shift: float, before: int = 40, wait: int = 2
) -> tuple[float, float]:
    """Return the shares of shifts found on their first night, and within `wait` nights."""
    rng = np.random.default_rng(seed)
    first = within = 0
    for _ in range(reps):
        nights = judge_nights(
            rng, before + wait, flip_rate, shift=shift, shift_night=before, metrics=("adherence",)
        )
        states = [checks[0].state for checks in check_anchors(nights)][before:]
        first += states[0] == "shifted"
        within += "shifted" in states
    return first / reps, within / reps


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--years", type=int, default=200)
    parser.add_argument("--reps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        "| flips a night | scorer alerts a year | all flips from a fifth of the anchors "
        "| nights pages wait a year |"
    )
    print("|---|---|---|---|")
    for rate in FLIP_RATES:
        shifted, waiting = false_alarms(options.seed, options.years, rate)
        few, _ = false_alarms(options.seed, options.years, rate, few=True)
        print(f"| {rate:.0%} | {shifted:.2f} | {few:.2f} | {waiting:.1f} |", flush=True)
    print("\n| shift | nights before | " + " | ".join(f"{rate:.0%} flips" for rate in FLIP_RATES) + " |")
    print("|---|---|" + "---|" * len(FLIP_RATES))
    for shift in SHIFTS:
        for before in (3, 7, 40):
            cells = []
            for rate in FLIP_RATES:
                first, within = power(options.seed, options.reps, rate, shift, before)
                cells.append(f"{first:.0%}, {within:.0%}")
            print(f"| {100 * shift:.0f} points | {before} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
