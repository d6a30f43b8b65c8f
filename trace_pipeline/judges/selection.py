"""Which logs of a batch the judge is asked about, and in which order: a plan made before the first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trace_core.trust.sampling import Room, inclusion_probabilities, sampling_number
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.account import price
from trace_pipeline.judges.contracts import Usage
from trace_pipeline.source import Entry

# A number of its own, so that who is judged says nothing about who is drawn for anything else.
_SALT = "judge"


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is kept of a log that is the judge's turn while a batch is planned: no text.

    chance: the cheap scorer's adherence probability, if it has one. stratum: its value of the setting
    `judge.sampling_segment`. most: tokens that asking can take. drawn: the probability with which an earlier
    night drew it; that night could not ask, or got no answer.
    """

    entry: Entry
    chance: float | None
    stratum: str
    most: Usage
    drawn: float | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The plan of a batch: each candidate's inclusion probability, and the drawn ones in order of asking."""

    probabilities: Mapping[Entry, float]
    drawn: Sequence[Entry]


def is_drawn(log_id: str | None, probability: float) -> bool:
    """Tell whether a log is in a sample that it comes into with this probability: always the same."""
    return sampling_number(log_id or "", _SALT) < probability


def select(
    candidates: Sequence[Candidate],
    rate: float,
    settings: JudgeSettings,
    share: float,
    usual: Usage | None = None,
) -> Selection:
    """Plan a batch.

    rate: share of the candidates that is wanted, the budget permitting. share: part of the night that the
    batch is: of its budget, and of the least number of logs of a stratum. usual: what one call takes on
    average; where that is not known, the most it can take is planned with.

    What was drawn before keeps its probability and comes off the budget first: its row must stand for as many
    as it was drawn for. Logs are asked in the order in which a growing rate would take them in, so that a
    budget that ends early is like a lower rate.
    """
    owed = [c for c in candidates if c.drawn is not None]
    fresh = [c for c in candidates if c.drawn is None]
    found = inclusion_probabilities(
        [c.chance for c in fresh],
        [c.stratum for c in fresh],
        rate,
        settings.sampling_least * share,
        _rooms(fresh, owed, settings, share, usual),
    )
    probabilities = {c.entry: p for c, p in zip(fresh, found, strict=True)}
    probabilities |= {c.entry: c.drawn for c in owed if c.drawn is not None}
    order = [
        (number / probability, entry.logged_at, entry.log_id or "", entry)
        for entry, probability in probabilities.items()
        if (number := sampling_number(entry.log_id or "", _SALT)) < probability
    ]
    order.sort(key=lambda item: item[:3])
    return Selection(probabilities, [item[3] for item in order])


def calls_of(most: Usage, settings: JudgeSettings) -> int:
    """Return how many calls a log takes: one answer a window of documents, retries left out."""
    return -(-most.output_tokens // settings.answer_tokens)


def _rooms(
    fresh: Sequence[Candidate],
    owed: Sequence[Candidate],
    settings: JudgeSettings,
    share: float,
    usual: Usage | None,
) -> list[Room]:
    """The limits that are set, as far as the batch may use them and what is owed leaves of them."""
    every = [*fresh, *owed]
    calls = [calls_of(c.most, settings) for c in every]
    taken = [
        Usage(usual.input_tokens * n, usual.output_tokens * n) if usual else c.most
        for c, n in zip(every, calls, strict=True)
    ]
    costs: list[tuple[float | None, list[float]]] = [
        (settings.calls_per_night, [float(n) for n in calls]),
        (settings.tokens_per_night, [float(usage.input_tokens + usage.output_tokens) for usage in taken]),
        (settings.money_per_night, [float(price(usage, settings)) for usage in taken]),
    ]
    return [
        Room(cost[: len(fresh)], limit * share - sum(cost[len(fresh) :]))
        for limit, cost in costs
        if limit is not None
    ]
