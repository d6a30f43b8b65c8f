"""What a judge would cost over some days, before it is asked: rows, calls, tokens, money. Only reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import fsum, inf, sqrt
from typing import Final

from trace_core.errors import ConfigurationError
from trace_core.scorers import DEFAULT_SCORER, get_scorer
from trace_core.trust.sampling import inclusion_probabilities
from trace_pipeline.context import Pipeline
from trace_pipeline.due_sample import DueSample, draw, read
from trace_pipeline.judges.account import price
from trace_pipeline.judges.contracts import Usage
from trace_pipeline.judges.desk import Desk
from trace_pipeline.judges.making import make_judge_scorer
from trace_pipeline.judges.paper import PaperMaker
from trace_pipeline.judges.scorer import HybridScorer, JudgeScorer
from trace_pipeline.judges.selection import calls_of
from trace_pipeline.sqlfiles import query
from trace_pipeline.window import Window

#: Due rows that are read and scored by the cheap scorer: a share of them is known to 3.1 points.
SAMPLE_ROWS: Final = 1_000
_Z: Final = 1.959964  # 95 %
#: Answered calls that say what a call takes; fewer say too little. Of the last nights only: answers change.
_LEAST_CALLS: Final = 20
_USAGE_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls, and the tokens and the money that they take."""

    calls: float
    input_tokens: float
    output_tokens: float
    money: float

    def part_of(self, left: Mapping[str, float]) -> float:
        """Return which part of this, at most 1, there is room for."""
        wanted = {
            "calls": self.calls,
            "tokens": self.input_tokens + self.output_tokens,
            "money": self.money,
        }
        return min([1.0, *(left[name] / cost for name, cost in wanted.items() if cost)])


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run over some days would come to.

    due: rows not yet scored by this version of the scorer, and a sample of them. turn: share of them that is
    the judge's turn, with its 95 % interval. asked: rows it would be asked about, the budget permitting, with
    interval. most: what that can take, repeated calls left out. likely: what calls took of late; None when
    there were too few. limits, left: of the night's calls, tokens and money; infinite without a limit.
    unknown: why the version of the scorer is not known, so that all rows are due; empty when it is.
    """

    due: DueSample
    turn: tuple[float, float, float]
    asked: tuple[float, float, float]
    most: Cost
    likely: Cost | None
    limits: Mapping[str, float]
    left: Mapping[str, float]
    unknown: str

    @property
    def within(self) -> float:
        """Rows that the budget has room for, if calls take what they can take at most."""
        return self.asked[0] * self.most.part_of(self.left)

    @property
    def stays_owed(self) -> float:
        """Owed rows that the budget has no room for; they come before all others."""
        return max(0.0, self.due.owed - self.within)


def estimate(pipeline: Pipeline, window: Window, name: str) -> Estimate:
    """Estimate one run of the scorer `judge` or `hybrid` over the days of a window.

    The due rows are counted; SAMPLE_ROWS of them, always the same, are read and scored by the cheap scorer.
    ConfigurationError for another scorer, or a source that cannot be read.
    """
    scorer, unknown = _scorer(pipeline, name)
    version = None if unknown else (scorer.name, scorer.fingerprint)
    due = draw(pipeline, window, version, SAMPLE_ROWS)
    n = len(due.sample)
    scale = due.due / n if n else 0.0
    nights = (window.last_day - window.first_day).days + 1
    looked = _look(pipeline, scorer, window.last_day, due)
    turn = _share(len(looked), n, due.due)
    weights = _weights(looked, scorer, nights / scale if scale else 0.0)
    usages = [one.most for one in looked]
    calls = scale * fsum(w * calls_of(u, scorer.settings) for w, u in zip(weights, usages, strict=True))
    most = Usage(
        round(scale * fsum(w * u.input_tokens for w, u in zip(weights, usages, strict=True))),
        round(scale * fsum(w * u.output_tokens for w, u in zip(weights, usages, strict=True))),
    )
    asked = scale * fsum(weights)
    bounds = [asked * end / turn[0] if looked else scorer.rate * due.due * end for end in turn[1:]]
    limits, left = _room(pipeline, window.last_day)
    return Estimate(
        due,
        turn,
        (asked, bounds[0], bounds[1]),
        Cost(calls, most.input_tokens, most.output_tokens, float(price(most, scorer.settings))),
        None if unknown else _likely(pipeline, scorer, window.last_day, calls),
        limits,
        left,
        unknown,
    )


def _scorer(pipeline: Pipeline, name: str) -> tuple[JudgeScorer, str]:
    """Return the scorer and, where it cannot be made yet, why; then it can be estimated only."""
    kinds = {kind.name: kind for kind in (JudgeScorer, HybridScorer)}
    if name not in kinds:
        raise ConfigurationError(f"The scorer {name!r} asks no judge: choose from {', '.join(kinds)}.")
    try:
        return make_judge_scorer(name, pipeline), ""
    except ConfigurationError as error:
        settings = pipeline.settings.judge
        return kinds[name](Desk(PaperMaker(settings)), get_scorer(DEFAULT_SCORER), settings), str(error)


@dataclass(frozen=True, slots=True)
class _Looked:
    """A row of the sample that is the judge's turn."""

    chance: float | None
    stratum: str
    most: Usage
    owed: bool


def _look(pipeline: Pipeline, scorer: JudgeScorer, night: date, due: DueSample) -> list[_Looked]:
    judge = scorer.desk.open(night).judge
    segment = scorer.settings.sampling_segment
    found = []
    for log, owed in read(pipeline, due.sample):
        lexical = scorer.cheap.score(log)
        if scorer.settle(lexical) is None:
            stratum = log.segments.get(segment, "") if segment else ""
            found.append(_Looked(lexical.adherence_probability, stratum, judge.estimate(log), owed))
    return found


def _weights(looked: Sequence[_Looked], scorer: JudgeScorer, nights: float) -> list[float]:
    """Return each row's chance to be asked about; the sample is as `nights` nights of its own size."""
    fresh = inclusion_probabilities(
        [one.chance for one in looked if not one.owed],
        [one.stratum for one in looked if not one.owed],
        scorer.rate,
        scorer.settings.sampling_least * nights,
    )
    chances = iter(fresh)
    return [1.0 if one.owed else next(chances) for one in looked]


def _share(count: int, n: int, of: int) -> tuple[float, float, float]:
    """Return a share and E. Wilson's 95 % interval for a sample of n out of `of`; exact when it is all."""
    if n == of:
        exact = count / n if n else 0.0
        return exact, exact, exact
    share, effective = count / n, n * (of - 1) / (of - n)
    z = _Z * _Z / effective
    half = _Z * sqrt(share * (1 - share) / effective + z / (4 * effective))
    centre = share + z / 2
    return share, max(0.0, (centre - half) / (1 + z)), min(1.0, (centre + half) / (1 + z))


def _likely(pipeline: Pipeline, scorer: JudgeScorer, night: date, calls: float) -> Cost | None:
    place = {"fingerprint": scorer.desk.fingerprint, "since": night - timedelta(days=_USAGE_DAYS)}
    with pipeline.results.connect() as connection:
        taken = connection.execute(query("estimate_usage"), place).one()
    if taken.calls < _LEAST_CALLS:
        return None
    usage = Usage(round(calls * taken.input_tokens), round(calls * taken.output_tokens))
    return Cost(calls, usage.input_tokens, usage.output_tokens, float(price(usage, scorer.settings)))


def _room(pipeline: Pipeline, night: date) -> tuple[dict[str, float], dict[str, float]]:
    """Return the limits of a night, and what is left of them."""
    settings = pipeline.settings.judge
    with pipeline.results.connect() as connection:
        row = connection.execute(query("estimate_budget"), {"night": night}).mappings().one_or_none()
    spent = dict(row or {})
    given = {
        "calls": settings.calls_per_night,
        "tokens": settings.tokens_per_night,
        "money": settings.money_per_night,
    }
    limits = {name: inf if most is None else float(most) for name, most in given.items()}
    return limits, {name: max(0.0, most - float(spent.get(name, 0))) for name, most in limits.items()}
