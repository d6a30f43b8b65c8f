"""Does the corrected rate's interval cover the truth? Nights are made up, so the truth is known.

    python -m benchmarks.corrected [--nights N]

Three tables: one night with its own 200 labels; a window of 28 nights with 200 labels, as the page Labels has
it, while quality moves; and the same with labels that the queue asks for.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trace_core.trust import Stratum, corrected_rate, labels_to_ask_for
from trace_core.trust.pooled import STRATA, Labelled, night_rate

LABELS: Final = 200
NIGHT: Final = 2_000
WINDOW: Final = 28
ASKED: Final = 20
#: True rate, sensitivity (bad answers found), specificity (good ones left alone).
PAIRS: Final = (
    (0.9, 0.8, 0.95),
    (0.9, 0.5, 0.9),
    (0.8, 0.6, 0.9),
    (0.95, 0.9, 0.97),
    (0.97, 0.7, 0.98),
    (0.6, 0.95, 0.99),
    (0.9, 0.1, 0.9),
)
#: What the true rate does: name, its fall over the whole window, and on the last night alone.
MOVES: Final = (
    ("steady", 0.0, 0.0),
    ("falls by 2 points over the window", 0.02, 0.0),
    ("falls by 5 points over the window", 0.05, 0.0),
    ("falls by 10 points over the window", 0.1, 0.0),
    ("falls by 5 points on the last night", 0.0, 0.05),
    ("falls by 10 points on the last night", 0.0, 0.1),
)
Random = np.random.Generator
Interval = tuple[float, float, float]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scorer:
    """How a scorer errs. doubts: chance that a right verdict, and a wrong one, is not a sure one."""

    sensitivity: float
    specificity: float
    doubts: tuple[float, float] = (0.1, 0.5)

    def cells(self, rate: float) -> list[float]:
        """Return the chances of each stratum, of the bad answers and then of the good ones."""
        right, wrong = self.doubts
        bad = (
            self.sensitivity * (1 - right),
            self.sensitivity * right,
            (1 - self.sensitivity) * wrong,
            (1 - self.sensitivity) * (1 - wrong),
        )
        good = (
            (1 - self.specificity) * (1 - wrong),
            (1 - self.specificity) * wrong,
            self.specificity * right,
            self.specificity * (1 - right),
        )
        return [(1 - rate) * share for share in bad] + [rate * share for share in good]


@dataclass(frozen=True, slots=True)
class Result:
    """Of all nights: share covered, mean width, and mean distance of the rate from the truth."""

    coverage: float
    width: float
    bias: float


def summarise(found: Sequence[Interval], truths: Sequence[float]) -> Result:
    """Compare intervals (low, rate, high) with the true rates."""
    low, rate, high = np.array(found).T
    true = np.array(truths)
    covered = float(((low <= true) & (true <= high)).mean())
    return Result(covered, float((high - low).mean()), float((rate - true).mean()))


def alone(adherent: int, labels: int, method: str) -> Interval:
    """Return the labels' own interval."""
    found = stats.binomtest(adherent, labels).proportion_ci(method=method)
    return float(found.low), adherent / labels, float(found.high)


def raw(said: int, answers: int) -> Interval:
    """Return what the scorer says by itself, with the interval of its sampling."""
    share = said / answers
    half = 1.96 * (share * (1 - share) / answers) ** 0.5
    return share - half, share, share + half


def interval_of(low: float | None, rate: float | None, high: float | None) -> Interval:
    """Return an interval that is there."""
    if low is None or rate is None or high is None:
        raise ValueError("there is no rate")
    return low, rate, high


def one_night(random: Random, rate: float, scorer: Scorer, labels: int = LABELS) -> dict[str, Interval]:
    """Return the intervals of one night, by its own labels and the scorer's two verdicts."""
    cells = random.multinomial(NIGHT, scorer.cells(rate)).reshape(2, 2, 2).sum(2)  # truth x verdict
    picked = random.multivariate_hypergeometric(cells.ravel(), labels).reshape(2, 2)
    strata = [Stratum(int(cells[:, k].sum()), int(picked[:, k].sum()), int(picked[1, k])) for k in range(2)]
    found = corrected_rate([stratum for stratum in strata if stratum.scored])
    good = int(picked[1].sum())
    return {
        "corrected": interval_of(found.low, found.rate, found.high),
        "labels alone, Clopper-Pearson": alone(good, labels, "exact"),
        "labels alone, Wilson": alone(good, labels, "wilson"),
        "raw": raw(int(cells[:, 1].sum()), NIGHT),
    }


def rates_of(fall: float, step: float, start: float = 0.9) -> list[float]:
    """Return the true rate of each night of a window."""
    rates = np.linspace(start, start - fall, WINDOW)
    rates[-1] -= step
    return [float(rate) for rate in rates]


def random_labels(random: Random, nights: Sequence[Counts]) -> Counts:
    """Label some answers of each night, whatever the scorer says: truth x stratum."""
    shares = np.diff(np.linspace(0, LABELS, len(nights) + 1).round().astype(int))
    picked = [
        random.multivariate_hypergeometric(night.ravel(), share)
        for night, share in zip(nights, shares, strict=True)
    ]
    return np.sum(picked, axis=0).reshape(2, len(STRATA))  # type: ignore[no-any-return]


def queued_labels(random: Random, nights: Sequence[Counts]) -> Counts:
    """Label what the queue asks for, twenty at a time, of the last seven nights."""
    pool: Counts = np.sum(nights[-7:], axis=0)
    labels = np.zeros_like(pool)
    for _ in range(LABELS // ASKED):
        strata = [
            Stratum(int(4 * pool[:, k].sum()), int(labels[:, k].sum()), int(labels[1, k]))
            for k in range(len(STRATA))
        ]
        for k, asked in enumerate(labels_to_ask_for(strata, ASKED)):
            left = pool[:, k] - labels[:, k]
            labels[:, k] += random.multivariate_hypergeometric(left, min(asked, int(left.sum())))
    return labels


def window(
    random: Random,
    rates: Sequence[float],
    scorer: Scorer,
    label: Callable[[Random, Sequence[Counts]], Counts],
) -> dict[str, Interval]:
    """Return the intervals of the last night of a window."""
    nights = [random.multinomial(NIGHT, scorer.cells(rate)).reshape(2, len(STRATA)) for rate in rates]
    labels = label(random, nights)
    sizes = nights[-1].sum(0)
    given = [Labelled(int(bad + good), int(good)) for bad, good in labels.T]
    found = night_rate(sizes.tolist(), given, NIGHT)
    return {
        "corrected": interval_of(found.low, found.rate, found.high),
        "labels alone, Clopper-Pearson": alone(int(labels[1].sum()), int(labels.sum()), "exact"),
        "raw": raw(int(sizes[2] + sizes[3]), NIGHT),
    }


def repeat(make: Callable[[Random], dict[str, Interval]], truth: float, nights: int) -> dict[str, Result]:
    """Make many nights of the same kind; seeded, so that a second run says the same."""
    random = np.random.default_rng(7)
    found: dict[str, list[Interval]] = {}
    for _ in range(nights):
        for name, interval in make(random).items():
            found.setdefault(name, []).append(interval)
    return {name: summarise(rows, [truth] * nights) for name, rows in found.items()}


def single_nights(nights: int) -> Iterable[tuple[str, dict[str, Result]]]:
    """Yield the first table's rows."""
    for rate, sensitivity, specificity in PAIRS:
        scorer = Scorer(sensitivity, specificity)
        results = repeat(lambda random, r=rate, s=scorer: one_night(random, r, s), rate, nights)
        yield f"{rate:.0%}, {sensitivity:.0%}, {specificity:.0%}", results


def windows(
    nights: int, label: Callable[[Random, Sequence[Counts]], Counts], scorer: Scorer
) -> Iterable[tuple[str, dict[str, Result]]]:
    """Yield the rows of a table of windows."""
    for name, fall, step in MOVES:
        rates = rates_of(fall, step)
        results = repeat(lambda random, r=rates: window(random, r, scorer, label), rates[-1], nights)
        yield name, results


def _print(title: str, first: str, rows: Iterable[tuple[str, dict[str, Result]]]) -> None:
    print(f"\n{title}\n")
    print(f"| {first} | interval | covers the truth | mean width, points | rate minus truth, points |")
    print("|---|---|---|---|---|")
    for name, results in rows:
        for kind, one in results.items():
            print(
                f"| {name} | {kind} | {one.coverage:.1%} | {100 * one.width:.1f} | {100 * one.bias:+.1f} |",
                flush=True,
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--nights", type=int, default=2_000)
    nights = parser.parse_args().nights
    _print(
        "One night, 200 of its 2,000 answers labelled",
        "rate, sensitivity, specificity",
        single_nights(nights),
    )
    for title, scorer in (("good", Scorer(0.9, 0.97)), ("middling", Scorer(0.7, 0.95))):
        rows = windows(nights, random_labels, scorer)
        _print(f"28 nights, 200 random labels, a {title} scorer", "true rate", rows)
    rows = windows(nights, queued_labels, Scorer(0.7, 0.95))
    _print("28 nights, 200 labels of the queue, the middling scorer", "true rate", rows)


if __name__ == "__main__":
    main()
