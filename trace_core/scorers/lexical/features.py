"""Features of response sentences and document sentences, columns in the order of their names.

A support feature whose name ends in `+` may only raise the probability (training keeps the sign), and no
other one depends on the documents: a better covered sentence never scores lower.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from trace_core.digests import digest
from trace_core.refusals import is_refusal_sentence
from trace_core.scorers.lexical.layout import Layout
from trace_core.scorers.lexical.overlap import Overlap
from trace_core.scorers.lexical.packed import Ints
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
_LEAST: Final = 1 / 256
_LIST_ITEM: Final = re.compile(r"\s*(?:[-*+•‣]|\(?[0-9]{1,3}[.)])\s")
#: Part of the fingerprint, with the names, which are among the weights.
FEATURE_RULES: Final = f"features-1 {_LEAST} " + digest(_LIST_ITEM.pattern)


@dataclass(frozen=True, slots=True)
class Nearest:
    """For each log and place in its response the three document sentences that hold most of that sentence.

    shares, rows: 3 x L x C, best first; a share of 0 where a log has fewer document sentences.
    """

    shares: Floats
    rows: Ints

    @classmethod
    def of(cls, overlap: Overlap, layout: Layout) -> "Nearest":
        """Find them; among equals the earlier one comes first."""
        log = layout.sentence_log
        order = np.argsort(4.0 * log.of[:, None] - overlap.coverage, axis=0, kind="stable")
        columns = np.arange(order.shape[1])
        shares, rows = [], []
        for rank in range(3):
            there = (rank < log.count)[:, None]
            row = order[log.start + np.minimum(rank, log.count - 1)]
            rows.append(row)
            shares.append(np.where(there, overlap.coverage[row, columns], 0.0))
        return cls(np.stack(shares), np.stack(rows))


def support_features(overlap: Overlap, layout: Layout, nearest: Nearest) -> Floats:
    """One row a response sentence of any log."""
    log = layout.said_log
    position = np.arange(len(log.of)) - log.start[log.of]
    shares = nearest.shares[:, log.of, position]
    numbers = overlap.numbers
    texts = [text for reading in layout.readings for text in reading.response_sentences]
    columns: list[ArrayLike] = [
        overlap.share,
        shares[0],
        (shares[0] + shares[1] + shares[2]) / 3,
        layout.document_log.top(overlap.document_coverage)[log.of, position],
        overlap.share_known,
        overlap.pairs,
        overlap.content_pairs,
        np.where(numbers > 0, overlap.numbers_held / np.maximum(numbers, 1.0), 1.0),
        numbers > 0,
        np.log1p(layout.said_word.count),
        position / log.count[log.of],
        position == 0,
        np.log(log.count)[log.of],
        overlap.share_asked,
        [is_refusal_sentence(text) for text in texts],
        [text.rstrip()[-1:] in (":", "：") for text in texts],
        [_LIST_ITEM.match(text) is not None for text in texts],
    ]
    return _table(columns, len(log.of))


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


def document_features(overlap: Overlap, layout: Layout, refusal: Sequence[bool]) -> Floats:
    """One row a document sentence of any log; `refusal` of each log."""
    log, document, documents = layout.sentence_log, layout.sentence_document, layout.document_log
    covers, asked, said = overlap.coverage.max(axis=1), overlap.asked, overlap.in_response
    place = np.arange(len(log.of)) - document.start[document.of]
    best = log.top(overlap.coverage)[log.of]
    wins = ((overlap.coverage >= best) & (overlap.coverage > 0.2)).sum(axis=1)
    document_covers, document_asked = document.top(covers), document.top(asked)
    top_covers = np.maximum(documents.top(document_covers), _LEAST)
    top_asked = np.maximum(documents.top(document_asked), _LEAST)
    best_document = document_covers >= documents.top(document_covers)[documents.of]
    words = np.add.reduceat(layout.said_word.count, layout.said_log.start)
    columns: list[ArrayLike] = [
        asked,
        overlap.in_question,
        said,
        overlap.pairs_in_response,
        covers,
        overlap.coverage.sum(axis=1) / layout.said_log.count[log.of],
        np.minimum(wins, 3) / 3,
        covers / top_covers[log.of],
        asked / top_asked[log.of],
        log.rank(covers),
        log.rank(asked),
        log.rank(said),
        document.before(covers, 1),
        document.before(covers, -1),
        document.before(asked, 1),
        document.before(asked, -1),
        document_covers[document.of],
        document_asked[document.of],
        (document_covers / top_covers[documents.of])[document.of],
        asked * covers,
        said * covers,
        place / document.count[document.of],
        place == 0,
        np.log1p(layout.found_word.count),
        np.log(log.count)[log.of],
        np.log(documents.count)[log.of],
        np.log(document.count)[document.of],
        np.log1p(layout.asked_word.count)[log.of],
        np.log1p(words)[log.of],
        layout.said_log.mean(overlap.share)[log.of],
        layout.said_log.mean(overlap.pairs)[log.of],
        np.asarray(refusal)[log.of],
        np.sqrt(said),
        np.sqrt(covers),
        covers * covers,
        said * said,
        np.maximum(said - 0.5, 0.0),
        np.maximum(covers - 0.5, 0.0),
        (document_asked / top_asked[documents.of])[document.of],
        best_document[document.of],
        (document_covers * document_asked)[document.of],
        documents.mean(document_covers)[log.of],
    ]
    return _table(columns, len(log.of))


def _table(columns: Sequence[ArrayLike], rows: int) -> Floats:
    """Columns side by side; many times faster than stacking them."""
    table = np.empty((len(columns), rows))
    for place, column in enumerate(columns):
        table[place] = column
    return table.T


def signs(names: Sequence[str]) -> list[int]:
    """1 for features that may only raise a probability, 0 for all others."""
    return [int(name.endswith("+")) for name in names]
