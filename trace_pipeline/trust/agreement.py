"""Agreement of scorers with people: over all labelled answers, and by segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from trace_core.trust import Agreement, agreement
from trace_pipeline.sqlfiles import query
from trace_pipeline.trust.labels import LabelledAnswer, Labels, read_labels

#: A segment value with fewer labelled answers is named, not measured.
LEAST_LABELS: Final = 10
_MISSING: Final = "(missing)"


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """Agreement within one segment value; `result` is None with fewer than LEAST_LABELS answers."""

    dimension: str
    value: str
    n: int
    result: Agreement | None


@dataclass(frozen=True, slots=True)
class ScorerAgreement:
    """One scorer fingerprint held against people.

    people: agreement of two people on the same answers, as far as there are such; None without.
    """

    scorer_id: int
    scorer: str
    fingerprint: str
    is_newest: bool
    labels: Labels
    result: Agreement
    groups: tuple[GroupAgreement, ...]
    people: Agreement | None


def agreements(
    connection: Connection,
    from_at: datetime,
    to_at: datetime,
    dimensions: Sequence[str],
    *,
    scorer: str = "",
    scorer_id: int = 0,
) -> list[ScorerAgreement]:
    """Return the agreement of each fingerprint that has scored a labelled answer of [from_at, to_at).

    dimensions: segments to compare within. scorer, scorer_id: one name or one fingerprint alone.
    """
    place = {"from_at": from_at, "to_at": to_at}
    found = []
    for row in connection.execute(query("label_scorers"), place).all():
        if (scorer and row.scorer != scorer) or (scorer_id and row.scorer_id != scorer_id):
            continue
        labels = read_labels(connection, row.scorer_id, from_at, to_at)
        found.append(
            ScorerAgreement(
                row.scorer_id,
                row.scorer,
                row.fingerprint,
                row.is_newest,
                labels,
                agreement_of(labels.answers),
                tuple(group for name in dimensions for group in _groups(labels.answers, name)),
                agreement_of_people(labels.pairs),
            )
        )
    return found


def agreement_of(answers: Sequence[LabelledAnswer]) -> Agreement:
    """Compare the scorer's verdicts with people's. Each scored answer counts once, whatever its weight."""
    return agreement(
        [answer.said for answer in answers],
        [answer.true for answer in answers],
        [answer.probability for answer in answers],
    )


def agreement_of_people(pairs: Sequence[tuple[bool, bool]]) -> Agreement | None:
    """Compare the verdicts of two people, the first of each pair by name standing for the scorer."""
    if not pairs:
        return None
    return agreement([one for one, _ in pairs], [other for _, other in pairs])


def _groups(answers: Sequence[LabelledAnswer], dimension: str) -> list[GroupAgreement]:
    values: dict[str, list[LabelledAnswer]] = {}
    for answer in answers:
        values.setdefault(answer.segments.get(dimension) or _MISSING, []).append(answer)
    found = []
    for value, members in sorted(values.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        result = agreement_of(members) if len(members) >= LEAST_LABELS else None
        found.append(GroupAgreement(dimension, value, len(members), result))
    return found
