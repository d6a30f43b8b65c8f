"""What the last night of the anchors said of a scorer, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import Connection

from trace_pipeline.sqlfiles import query

#: What a state of a night means; the gravest of its metrics' is the night's.
MEANINGS: Final = {
    "shifted": "judges the same logs otherwise: it has changed itself",
    "suspect": "hardly by chance otherwise: the next night decides, and quality pages wait for it",
    "no_data": "too few anchors were judged: no verdict on the scorer",
    "learning": "still learning how much it varies by itself",
    "ok": "judges the same logs as before",
}
_MOST: Final = 20
_EXCERPT: Final = 200


@dataclass(frozen=True, slots=True)
class ChangedAnchor:
    """An anchor whose verdict is another than usual; the texts are cut, and empty when it has been erased."""

    metric: str
    anchor_id: str
    question: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True)
class ScorerState:
    """A scorer on the last night of its anchors. texts: a sentence a metric."""

    scorer: str
    night: date
    state: str
    judged: int
    due: int
    texts: tuple[str, ...]
    changed: tuple[ChangedAnchor, ...]

    @property
    def meaning(self) -> str:
        """The state in words."""
        return MEANINGS[self.state]


def read_state(connection: Connection, scorer: str) -> ScorerState | None:
    """Return what the last night said of a scorer; None when it never judged an anchor."""
    place = {"scorer": scorer, "night": None}
    checks = connection.execute(query("anchor_checks"), place).all()
    if not checks:
        return None
    first = checks[0]
    said = {check.state for check in checks}
    state = next(name for name in MEANINGS if name in said)
    texts = tuple(dict.fromkeys(check.text for check in checks))
    changed = _changed(connection, checks) if state in ("shifted", "suspect") else ()
    return ScorerState(scorer, first.night, state, first.judged, first.due, texts, changed)


def _changed(connection: Connection, checks: Sequence[Any]) -> tuple[ChangedAnchor, ...]:
    """Return the changed anchors of the metrics that are shifted or suspect."""
    named = [
        (check.metric, anchor)
        for check in checks
        if check.state in ("shifted", "suspect")
        for anchor in check.changed_anchors[:_MOST]
    ]
    place = {"anchors": [anchor for _, anchor in named]}
    texts = {row.anchor: row for row in connection.execute(query("anchor_texts"), place)}
    return tuple(
        ChangedAnchor(metric, row.anchor_id, _cut(row.question), _cut(row.response))
        if (row := texts.get(anchor)) is not None
        else ChangedAnchor(metric, anchor.rpartition(":")[0])
        for metric, anchor in named
    )


def _cut(text: str) -> str:
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
