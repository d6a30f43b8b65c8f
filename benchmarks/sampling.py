"""Do means of nights that a judge saw in part hit the truth, and do their intervals hold? By simulation.

    python -m benchmarks.sampling [--nights 2000] [--seed 1]

Every night is drawn anew: answers that are adherent with a known rate, a cheap scorer that knows something of
it, inclusion probabilities from `trace_core.trust.inclusion_probabilities`, a draw, a budget that may end
early, judges that may fail. The sums of the night give mean and interval as the pages show them. Prints, for
each kind of night, the bias, and how often the interval holds the true rate; beside it the plain mean of
the judged answers, which is what weights are for.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from trace_core.aggregates import HISTOGRAM_CELLS, Sums
from trace_core.trust import inclusion_probabilities
from trace_core.weighted import WeightedSums

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_TENANTS, _SMALL = ("a", "b", "c", "d"), "d"
_SHARES = (0.5, 0.3, 0.15, 0.05)
_LEAST = 30
_HEADERS = (
    *("scorer", "answers", "rate", "budget, failed", "judged", "bias (in errors)", "unweighted", "covered"),
    *("width", "segment: judged", "covered"),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of night: how many answers, the share the judge is asked about (of its class), the true rate.

    budget: the share of the drawn answers that is paid for, in order of number / probability. failed: the
    chance that a call brings no verdict.
    """

    scorer: Literal["judge", "hybrid"]
    answers: int
    share: float
    rate: float
    budget: float = 1.0
    failed: float = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """Over all nights: answers judged, bias of the mean and its standard error (score units), the same for
    the unweighted mean, share of intervals that hold the rate, of the day and of its smallest segment (with
    the answers judged in it), and the typical width of the day's.
    """

    judged: float
    bias: float
    error: float
    plain_bias: float
    covered: float
    segment_judged: float
    segment_covered: float
    width: float


@dataclass(frozen=True, slots=True)
class _Night:
    good: Flags
    tenant: npt.NDArray[np.str_]
    judges: Flags
    judged: Flags
    weight: Floats

    def sums(self, rows: Flags, *, is_whole: bool) -> WeightedSums:
        """The sums of some of the rows, as aggregate_day makes them."""
        sure, asked = rows & ~self.judges, rows & self.judged
        n, total = int(sure.sum()), int((sure & self.good).sum())
        plain = Sums(n, float(total), float(total), (n - total, *(0,) * (HISTOGRAM_CELLS - 2), total))
        values = self.good[asked].astype(float).tolist()
        weighted = WeightedSums.of(values, self.weight[asked].tolist(), is_whole=is_whole)
        return WeightedSums.plain(plain).merge(weighted)


def simulate(kind: Kind, nights: int, seed: int) -> Result:
    """Draw nights of one kind. Nights on which no answer was judged have no estimate and are left out."""
    random = np.random.default_rng([seed, kind.answers, round(1000 * kind.rate), round(100 * kind.budget)])
    rows: list[tuple[float, ...]] = []
    for _ in range(nights):
        night = _draw(kind, random)
        if not night.judged.any():
            continue
        day = night.sums(np.ones(kind.answers, bool), is_whole=True)
        segment = night.tenant == _SMALL
        part = night.sums(segment, is_whole=False)
        seen = night.judged | ~night.judges
        low, high = day.interval() or (0.0, 1.0)
        part_low, part_high = part.interval() or (0.0, 1.0)
        rows.append(
            (
                night.judged.sum(),
                (day.mean or 0.0) - kind.rate,
                night.good[seen].mean() - kind.rate,
                low <= kind.rate <= high,
                (night.judged & segment).sum(),
                part_low <= kind.rate <= part_high,
                high - low,
            )
        )
    found = np.array(rows, dtype=float)
    judged, bias, plain, covered, part_judged, part_covered, width = found.mean(axis=0).tolist()
    error = float(found[:, 1].std()) / len(found) ** 0.5
    return Result(judged, bias, error, plain, covered, part_judged, part_covered, width)


def _draw(kind: Kind, random: np.random.Generator) -> _Night:
    n = kind.answers
    good = random.random(n) < kind.rate
    tenant = random.choice(_TENANTS, n, p=_SHARES)
    # The cheap scorer's chance that an answer is adherent: right more often than not, never sure.
    chance = np.where(good, random.beta(6, 1.5, n), random.beta(2, 3, n))
    judges = (chance > 0.3) & (chance < 0.7) if kind.scorer == "hybrid" else np.ones(n, bool)
    probability = np.ones(n)
    if judges.any():
        least = _LEAST if kind.scorer == "judge" else 0.0
        probability[judges] = inclusion_probabilities(
            chance[judges].tolist(), tenant[judges].tolist(), kind.share, least
        )
    number = random.random(n)
    drawn = judges & (number < probability)
    order = np.argsort(np.where(drawn, number / probability, np.inf))
    judged = np.zeros(n, bool)
    judged[order[: int(kind.budget * drawn.sum())]] = True
    judged &= random.random(n) >= kind.failed
    stands_for = (1 / probability[judged]).sum()
    weight = judges.sum() / (probability * stands_for) if judged.any() else np.ones(n)
    return _Night(good, tenant, judges, judged, weight)


def kinds() -> list[Kind]:
    """The nights of the published table."""
    troubles: list[dict[str, Any]] = [{}, {"budget": 0.6, "failed": 0.05}]
    sizes = (
        ("judge", 2_000, 0.05),
        ("judge", 10_000, 0.05),
        ("hybrid", 2_000, 0.25),
        ("hybrid", 10_000, 0.1),
    )
    return [
        Kind(scorer, answers, share, rate, **trouble)  # type: ignore[arg-type]
        for scorer, answers, share in sizes
        for rate in (0.8, 0.9, 0.97)
        for trouble in troubles
    ]


def main() -> None:
    """Print the table, a row when it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nights", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print("| " + " | ".join(_HEADERS) + " |")
    print("|" + "---|" * len(_HEADERS))
    for kind in kinds():
        found = simulate(kind, chosen.nights, chosen.seed)
        cells = (
            kind.scorer,
            f"{kind.answers:,}",
            f"{kind.rate:.2f}",
            f"{kind.budget:.0%}, {kind.failed:.0%}",
            f"{found.judged:.0f}",
            f"{100 * found.bias:+.3f} ({found.bias / found.error:+.1f})",
            f"{100 * found.plain_bias:+.2f}",
            f"{100 * found.covered:.1f} %",
            f"{100 * found.width:.1f}",
            f"{found.segment_judged:.0f}",
            f"{100 * found.segment_covered:.1f} %",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
