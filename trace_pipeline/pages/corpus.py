"""The corpus: what became of the documents that were retrieved over some nights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import Connection

from trace_pipeline.sqlfiles import query

ORDERS: Final = ("never", "utilized", "beside", "retrieved")
PAGE_ROWS: Final = 50
MOST_NIGHTS: Final = 92


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document over the chosen nights; each count is a number of scored answers.

    beside_unsupported: answers that hold an unsupported sentence and were given this document, among others.
    """

    place: int
    document_id: str
    retrieved: int
    relevant: int
    utilized: int
    beside_unsupported: int
    last_day: date


@dataclass(frozen=True, slots=True)
class Corpus:
    """A page of documents. `places` is how many the choice has, `documents` how many there are.

    counted_nights of scored_nights: nights of which the documents are counted; the others are no data.
    share_beside: of all retrievals, those beside an unsupported sentence; None without any.
    """

    rows: tuple[DocumentRow, ...]
    places: int
    documents: int
    never_utilized: int
    share_beside: float | None
    scored_nights: int
    counted_nights: int

    @property
    def after(self) -> int | None:
        """The place after which the next page begins; None at the end."""
        return self.rows[-1].place if self.rows and self.rows[-1].place < self.places else None


def read_corpus(
    connection: Connection,
    *,
    scorer_id: int,
    first_day: date,
    last_day: date,
    order: str = "never",
    document: str = "",
    after: int = 0,
    most: int = PAGE_ROWS,
) -> Corpus:
    """Return the documents that follow place `after` in the given order."""
    nights = {"scorer_id": scorer_id, "first_day": first_day, "last_day": last_day}
    counted = connection.execute(query("page_corpus_nights"), nights).one()
    chosen = {**nights, "chosen_order": order, "document": document, "after": after, "most": most}
    found = connection.execute(query("page_corpus"), chosen).mappings().all()
    first = found[0]
    return Corpus(
        rows=tuple(_row(row) for row in found if row["place"] is not None),
        places=first["places"] or 0,
        documents=first["documents"],
        never_utilized=first["never_utilized"],
        share_beside=first["all_beside"] / first["all_retrieved"] if first["documents"] else None,
        scored_nights=counted.scored_nights,
        counted_nights=counted.counted_nights,
    )


def _row(row: Mapping[Any, Any]) -> DocumentRow:
    return DocumentRow(
        row["place"],
        row["document_id"],
        row["retrieved"],
        row["relevant"],
        row["utilized"],
        row["beside_unsupported"],
        row["last_day"],
    )
