"""Which logs of a batch the judge is asked about, and in which order: a plan made before the first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trace_core.trust.sampling import Room, inclusion_probabilities, sampling_number
from trace_pipeline.judge_settings import JudgeSettings
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


def select(candidates: Sequence[Candidate], rate: float, settings: JudgeSettings, share: float) -> Selection:
    """Plan a batch.

    rate: share of the candidates that is wanted, the budget permitting. share: part of the night that the
    batch is: of its budget, and of the least number of logs of a stratum.

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
        _rooms(fresh, owed, settings, share),
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


def money_of(usage: Usage, settings: JudgeSettings) -> float:
    """Return the price of some tokens."""
    sent = usage.input_tokens * settings.price_per_million_input_tokens
    return (sent + usage.output_tokens * settings.price_per_million_output_tokens) / 1e6


def _rooms(
    fresh: Sequence[Candidate], owed: Sequence[Candidate], settings: JudgeSettings, share: float
) -> list[Room]:
    """The limits that are set, as far as the batch may use them and what is owed leaves of them."""
    every = [*fresh, *owed]
    costs: list[tuple[float | None, list[float]]] = [
        (settings.calls_per_night, [float(calls_of(c.most, settings)) for c in every]),
        (settings.tokens_per_night, [float(c.most.input_tokens + c.most.output_tokens) for c in every]),
        (settings.money_per_night, [money_of(c.most, settings) for c in every]),
    ]
    return [
        Room(cost[: len(fresh)], limit * share - sum(cost[len(fresh) :]))
        for limit, cost in costs
        if limit is not None
    ]
