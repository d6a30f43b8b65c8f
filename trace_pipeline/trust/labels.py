"""Labels at hand: what people say of answers that a scorer fingerprint has scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations, groupby
from typing import Any

from sqlalchemy import Connection

from trace_core.trust.pooled import stratum_of
from trace_pipeline.sqlfiles import query


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer on which the majority of its labellers agrees.

    said: the scorer says adherent. true: people do. probability: the scorer's, None where it gives none.
    is_drawn: the log came from the labelling queue, so it is a random one of its stratum.
    """

    logged_at: datetime
    log_id: str
    said: bool
    true: bool
    probability: float | None
    segments: Mapping[str, str]
    is_drawn: bool

    @property
    def stratum(self) -> int:
        """Its place in trace_core.trust.pooled.STRATA."""
        return stratum_of(self.said, self.probability)


@dataclass(frozen=True, slots=True)
class Labels:
    """The labelled answers of a range, and what was left out.

    stale: answers that changed after they were labelled. unsure: those without a majority, or with sentences
    that nobody labelled. pairs: two people's verdicts on the same answer, True for supported.
    """

    answers: tuple[LabelledAnswer, ...]
    stale: int = 0
    unsure: int = 0
    pairs: tuple[tuple[bool, bool], ...] = ()


def read_labels(connection: Connection, scorer_id: int, from_at: datetime, to_at: datetime) -> Labels:
    """Return the labels of answers in [from_at, to_at) that a scorer fingerprint has scored."""
    place = {"scorer_id": scorer_id, "from_at": from_at, "to_at": to_at}
    return gather(connection.execute(query("label_verdicts"), place).mappings().all())


def gather(rows: Sequence[Mapping[Any, Any]]) -> Labels:
    """Return the majority on each answer; `rows` are those of label_verdicts, an answer's together."""
    answers: list[LabelledAnswer] = []
    pairs: list[tuple[bool, bool]] = []
    stale = unsure = 0
    for _, group in groupby(rows, key=lambda row: (row["logged_at"], row["log_id"])):
        people = list(group)
        fresh = [row for row in people if not row["is_stale"]]
        verdicts = [row["verdict"] == "supported" for row in fresh if row["verdict"] != "unsure"]
        pairs += combinations(verdicts, 2)
        true = _majority(verdicts)
        if not fresh:
            stale += 1
        elif true is None:
            unsure += 1
        else:
            answers.append(_answer(people[0], true, is_drawn=any(row["is_drawn"] for row in fresh)))
    return Labels(tuple(answers), stale, unsure, tuple(pairs))


def _majority(verdicts: Iterable[bool]) -> bool | None:
    balance = sum(1 if verdict else -1 for verdict in verdicts)
    return None if balance == 0 else balance > 0


def _answer(row: Mapping[Any, Any], true: bool, *, is_drawn: bool) -> LabelledAnswer:
    return LabelledAnswer(
        row["logged_at"],
        row["log_id"],
        row["adherence"] >= 1,
        true,
        row["adherence_probability"],
        row["segments"],
        is_drawn,
    )
