"""The anchors in the results: the set, the verdicts of a night, and what is still missing of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date

from sqlalchemy import Engine

from trace_core.scorers import Evaluation
from trace_pipeline.anchor.file import Anchor
from trace_pipeline.sqlfiles import query


def enter_set(
    engine: Engine, anchors: Sequence[Anchor], scorer_ids: Sequence[int], night: date, run_id: str
) -> None:
    """Enter the set, retire what has left it, and note which verdicts the night owes; in one transaction."""
    rows = [
        {
            "anchor_id": anchor.anchor_id,
            "content_hash": anchor.content_hash,
            "question": anchor.question,
            "documents": anchor.documents,
            "response": anchor.response,
            "language": anchor.language,
        }
        for anchor in anchors
    ]
    place = {"anchors": json.dumps(rows), "night": night, "run_id": run_id}
    with engine.begin() as connection:
        connection.execute(query("enter_anchors"), {"anchors": place["anchors"]})
        connection.execute(query("retire_anchors"), {"anchors": place["anchors"], "night": night})
        for scorer_id in scorer_ids:
            connection.execute(query("enter_anchor_verdicts"), {**place, "scorer_id": scorer_id})


def judged(engine: Engine, scorer_ids: Sequence[int], night: date) -> set[tuple[str, str]]:
    """Return the keys of the anchors that all of these scorers have judged on a night."""
    with engine.connect() as connection:
        rows = connection.execute(query("judged_anchors"), {"scorer_ids": list(scorer_ids), "night": night})
        return {(row.anchor_id, row.content_hash) for row in rows}


def write_verdicts(
    engine: Engine, anchor: Anchor, said: Mapping[int, Evaluation], night: date, run_id: str
) -> None:
    """Store what scorers, by id, said of an anchor; a transaction an anchor, so that a kill loses little."""
    rows = [
        {
            "scorer_id": scorer_id,
            "night": night,
            "anchor_id": anchor.anchor_id,
            "content_hash": anchor.content_hash,
            "status": one.status,
            "reason": one.reason,
            "relevance": one.relevance,
            "utilization": one.utilization,
            "adherence": one.adherence,
            "completeness": one.completeness,
            "adherence_probability": one.adherence_probability,
            "run_id": run_id,
        }
        for scorer_id, one in said.items()
    ]
    with engine.begin() as connection:
        connection.execute(query("write_anchor_verdict"), rows)
