"""Features of response sentences and document sentences, columns in the order of their names.

A support feature whose name ends in `+` may only raise the probability (training keeps the sign), and no
other one depends on the documents: a better covered sentence never scores lower.
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trace_core.refusals import is_refusal_sentence
from trace_core.scorers.lexical.overlap import Overlap
from trace_core.scorers.lexical.reading import Reading
from trace_core.scorers.lexical.vocabulary import Floats

SUPPORT_FEATURES: Final = (
    "covered+",
    "covered_by_best_sentence+",
    "covered_by_best_three+",
    "covered_by_best_document+",
    "covered_with_question+",
    "pairs+",
    "content_pairs+",
    "numbers_covered+",
    "has_numbers",
    "length",
    "position",
    "is_first",
    "response_sentences",
    "from_question",
    "refuses",
    "ends_with_colon",
    "is_list_item",
)
_LIST_ITEM: Final = re.compile(r"\s*(?:[-*+•‣]|\(?[0-9]{1,3}[.)])\s")


def support_features(overlap: Overlap, reading: Reading) -> Floats:
    """One row a response sentence."""
    covered = overlap.covered.astype(np.float64)
    asked = np.maximum(covered, overlap.in_asked)
    number = overlap.said * overlap.numeric
    numbers = number.sum(axis=1)
    rows = len(overlap.mass)
    best = overlap.coverage
    if len(best) > 3:
        best = np.partition(best, -3, axis=0)[-3:]
    position = np.arange(rows)
    texts = reading.response_sentences
    columns: list[ArrayLike] = [
        overlap.said_weight @ covered / overlap.mass,
        best.max(axis=0),
        best.sum(axis=0) / 3,
        overlap.document_coverage.max(axis=0),
        overlap.said_weight @ asked / overlap.mass,
        overlap.pairs,
        overlap.content_pairs,
        np.where(numbers > 0, number @ covered / np.maximum(numbers, 1.0), 1.0),
        numbers > 0,
        np.log1p(reading.response.sizes),
        position / rows,
        position == 0,
        np.log(rows),
        overlap.said_weight @ overlap.in_asked / overlap.mass,
        [is_refusal_sentence(text) for text in texts],
        [text.rstrip()[-1:] in (":", "：") for text in texts],
        [_LIST_ITEM.match(text) is not None for text in texts],
    ]
    return _table(columns, rows)


DOCUMENT_FEATURES: Final = (
    "asked",
    "in_question",
    "in_response",
    "pairs_in_response",
    "covers_response",
    "covers_response_mean",
    "best_for_sentences",
    "covers_relative",
    "asked_relative",
    "covers_rank",
    "asked_rank",
    "in_response_rank",
    "previous_covers",
    "next_covers",
    "previous_asked",
    "next_asked",
    "document_covers",
    "document_asked",
    "document_covers_relative",
    "asked_and_covers",
    "in_response_and_covers",
    "position",
    "is_first",
    "length",
    "sentences",
    "documents",
    "document_sentences",
    "question_length",
    "response_length",
    "response_covered",
    "response_pairs",
    "refusal",
    "root_of_in_response",
    "root_of_covers",
    "covers_squared",
    "in_response_squared",
    "in_response_above_half",
    "covers_above_half",
    "document_asked_relative",
    "is_best_document",
    "document_covers_and_asked",
    "covers_mean",
)


def document_features(overlap: Overlap, reading: Reading, refusal: bool) -> Floats:
    """One row a document sentence."""
    sizes = np.array([n for n in reading.document_sizes if n], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    document = np.repeat(np.arange(len(sizes)), sizes)
    rows = len(overlap.asked)
    covers = overlap.coverage.max(axis=1)
    asked = overlap.asked
    place = np.arange(rows) - starts[document]
    best = overlap.coverage.max(axis=0)
    wins = ((overlap.coverage >= best) & (overlap.coverage > 0.2)).sum(axis=1)
    document_covers = np.maximum.reduceat(covers, starts)
    top_covers, top_asked = max(covers.max(), 1 / 256), max(asked.max(), 1 / 256)
    first, last = place == 0, place == sizes[document] - 1
    covered = overlap.said_weight @ overlap.covered / overlap.mass
    document_asked = np.maximum.reduceat(asked, starts)
    response_length = np.log1p(reading.response.sizes.sum())
    said = overlap.in_response
    columns: list[ArrayLike] = [
        asked,
        overlap.in_question,
        said,
        overlap.pairs_in_response,
        covers,
        overlap.coverage.mean(axis=1),
        np.minimum(wins, 3) / 3,
        covers / top_covers,
        asked / top_asked,
        _rank(covers),
        _rank(asked),
        _rank(said),
        _shift(covers, first, 1),
        _shift(covers, last, -1),
        _shift(asked, first, 1),
        _shift(asked, last, -1),
        document_covers[document],
        document_asked[document],
        document_covers[document] / top_covers,
        asked * covers,
        said * covers,
        place / sizes[document],
        first,
        np.log1p(reading.documents.sizes),
        np.log(rows),
        np.log(len(sizes)),
        np.log(sizes[document]),
        np.log1p(len(reading.question)),
        response_length,
        covered.mean(),
        overlap.pairs.mean(),
        float(refusal),
        np.sqrt(said),
        np.sqrt(covers),
        covers * covers,
        said * said,
        np.maximum(said - 0.5, 0.0),
        np.maximum(covers - 0.5, 0.0),
        document_asked[document] / max(document_asked.max(), 1 / 256),
        (document_covers >= document_covers.max())[document],
        (document_covers * document_asked)[document],
        document_covers.mean(),
    ]
    return _table(columns, rows)


def _table(columns: Sequence[ArrayLike], rows: int) -> Floats:
    """Columns side by side; many times faster than stacking them."""
    table = np.empty((len(columns), rows))
    for place, column in enumerate(columns):
        table[place] = column
    return table.T


def _rank(values: Floats) -> Floats:
    """The share of rows with a larger value: 0 for the best, whatever the order of the rows."""
    ordered = np.sort(values)
    larger = len(values) - np.searchsorted(ordered, values, side="right")
    result: Floats = larger / len(values)
    return result


def _shift(values: Floats, edge: NDArray[np.bool_], by: int) -> Floats:
    """The value of the sentence before (1) or after (-1) in the same document, 0 at its edge."""
    result = np.zeros(len(values))
    if by > 0:
        result[1:] = values[:-1]
    else:
        result[:-1] = values[1:]
    result[edge] = 0.0
    return result


def signs(names: Sequence[str]) -> list[int]:
    """1 for features that may only raise a probability, 0 for all others."""
    return [int(name.endswith("+")) for name in names]
