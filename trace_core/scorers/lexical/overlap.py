"""Who shares words with whom: document sentences, response sentences and the question.

Only words of the response and the question can be shared, so every text becomes a row over that small
vocabulary and all overlaps are products of small matrices. Weights are multiples of 1/256: the sums are
exact.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_core.scorers.lexical.reading import Reading
from trace_core.scorers.lexical.streams import Streams
from trace_core.scorers.lexical.vocabulary import Floats, Vocabulary

Bools = NDArray[np.bool_]
_LEAST: Final = 1 / 256  # the smallest weight there is: keeps divisions defined


@dataclass(frozen=True, slots=True)
class Overlap:
    """Overlaps of one log: S document sentences, D documents, R response sentences, V words of response and
    question.

    Arrays by their shape. R x V: `said` is 1 where a response sentence holds a word, `said_weight` the
    word's weight there (every word weighs 1 in a sentence of stop words alone). R: `mass`, the sum of those
    weights; `pairs` and `content_pairs`, the shares of neighbouring words and of neighbouring content words
    that are neighbours in a document. V: `weights`, `numeric`, `in_asked` (held by the question), `covered`
    (held by a document). S x R and D x R: `coverage` and `document_coverage`, the weighted share of a
    response sentence that is held. S: `asked`, the weighted share of the question that is held;
    `in_response`, `in_question` and `pairs_in_response`, shares of the document sentence that occur there.
    `places`: the place in V of each response word, in order.
    """

    said: Floats
    said_weight: Floats
    mass: Floats
    weights: Floats
    numeric: Bools
    in_asked: Bools
    covered: Bools
    coverage: Floats
    document_coverage: Floats
    pairs: Floats
    content_pairs: Floats
    asked: Floats
    in_response: Floats
    in_question: Floats
    pairs_in_response: Floats
    places: NDArray[np.int32]


#: Cells of a table of sentences by words up to which one product of matrices is faster than many passes.
_DENSE_CELLS: Final = 2_000_000


def measure(reading: Reading, vocabulary: Vocabulary) -> Overlap:
    """All overlaps of a log that has at least one document sentence and one response sentence."""
    response, documents = reading.response, reading.documents
    own = np.unique(np.concatenate([response.ids, reading.question]))
    table = vocabulary.places
    table[own] = np.arange(len(own), dtype=np.int32)
    said_at, found_at, asked_at = table[response.ids], table[documents.ids], table[reading.question]
    table[own] = -1
    size, weights = len(own), vocabulary.weights[own]

    said_row = np.repeat(np.arange(len(response.sizes)), response.sizes)
    said = np.zeros((len(response.sizes), size))
    said[said_row, said_at] = 1.0
    said_weight, mass = _weigh(said, weights)
    in_asked = np.zeros(size, dtype=bool)
    in_asked[asked_at] = True
    asked_weight = np.where(in_asked, weights, 0.0)
    if not asked_weight.any():
        asked_weight = in_asked.astype(np.float64)
    in_said = np.zeros(size)
    in_said[said_at] = 1.0

    rows = len(documents.sizes)
    row = np.repeat(np.arange(rows), documents.sizes)
    filled = [n for n in reading.document_sizes if n]
    document = np.repeat(np.arange(len(filled)), filled)[row]
    hit = (found_at >= 0).nonzero()[0]
    hit_at, hit_row = found_at[hit].astype(np.int64), row[hit]
    covered = np.zeros(size, dtype=bool)
    covered[hit_at] = True
    wanted = np.vstack([said_weight, asked_weight])
    held = _held_weight(hit_row, hit_at, rows, wanted)
    total = np.maximum(np.bincount(row, weights=vocabulary.weights[documents.ids], minlength=rows), _LEAST)
    hit_weight = weights[hit_at]
    streams = Streams(said_at.astype(np.int64), said_row, found_at.astype(np.int64), row, document, size)
    pairs, pairs_back = streams.pairs(response.sizes, documents.sizes, covered)
    return Overlap(
        said,
        said_weight,
        mass,
        weights,
        vocabulary.numeric[own],
        in_asked,
        covered,
        held[:, :-1] / mass,
        _held_weight(document[hit], hit_at, len(filled), said_weight) / mass,
        pairs,
        streams.content_pairs(weights > 0.0, vocabulary.weights[documents.ids] > 0.0, pairs),
        held[:, -1] / max(float(asked_weight.sum()), _LEAST),
        np.bincount(hit_row, weights=in_said[hit_at] * hit_weight, minlength=rows) / total,
        np.bincount(hit_row, weights=in_asked[hit_at] * hit_weight, minlength=rows) / total,
        pairs_back,
        said_at,
    )


def _weigh(said: Floats, weights: Floats) -> tuple[Floats, Floats]:
    said_weight = said * weights
    mass = said_weight.sum(axis=1)
    bare = mass == 0.0
    if bare.any():
        said_weight[bare] = said[bare]
        mass[bare] = np.maximum(said[bare].sum(axis=1), 1.0)
    return said_weight, mass


def _held_weight(row: NDArray[np.int64], at: NDArray[np.int64], rows: int, wanted: Floats) -> Floats:
    """rows x len(wanted): the weight of each wanted text's words that a row holds, repetitions counted
    once."""
    size = wanted.shape[1]
    if rows * size <= _DENSE_CELLS:
        held = np.zeros((rows, size))
        held[row, at] = 1.0
        return held @ wanted.T
    row, at = np.divmod(np.unique(row * size + at), size)
    result = np.empty((rows, len(wanted)))
    for i, weights in enumerate(wanted):
        result[:, i] = np.bincount(row, weights=weights[at], minlength=rows)
    return result
