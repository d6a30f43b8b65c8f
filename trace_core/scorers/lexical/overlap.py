"""Who shares words with whom: document sentences, response sentences and questions.

Only words of a log's response and question can be shared, so each log has a small vocabulary of its own,
the words of all logs of a layout get places one after another, and sharing is looked up instead of
searched. Weights are multiples of 1/256: sums of them are exact in any order, and a log scores the same in
any company.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from trace_core.scorers.lexical.layout import Bools, Groups, Layout
from trace_core.scorers.lexical.packed import Ints
from trace_core.scorers.lexical.streams import Streams
from trace_core.scorers.lexical.vocabulary import Floats, Vocabulary

#: Pairs of a held word and a response sentence that are worked on together: some 100 MB.
_PAIRS_AT_ONCE: Final = 2_000_000
_WORD_BITS: Final = 24  # more than any vocabulary needs
_LEAST: Final = 1 / 256  # the smallest weight there is: keeps divisions defined


@dataclass(frozen=True, slots=True)
class Overlap:
    """Overlaps of all logs of a layout. Sizes: S document sentences, D documents, R response sentences, C
    response sentences of the longest response, L logs, V places of words, W words of responses.

    S x C and D x C, columns by place in the response, 0 beyond its end: `coverage`, `document_coverage`, the
    weighted share of a response sentence that is held (every word weighs 1 in a sentence of stop words
    alone). R: `share` held by all documents; `share_asked` held by the question; `share_known` held by
    either; `numbers` in the sentence and `numbers_held`; `pairs`, `content_pairs`, the shares of
    neighbouring (content) words that are neighbours in a document. S: `asked`, the weighted share of the
    question that is held; `in_response`, `in_question`, `pairs_in_response`, shares of the document
    sentence that occur there. W: `word_held` and `word_content`, for each response word.
    """

    coverage: Floats
    document_coverage: Floats
    share: Floats
    share_asked: Floats
    share_known: Floats
    numbers: Floats
    numbers_held: Floats
    pairs: Floats
    content_pairs: Floats
    asked: Floats
    in_response: Floats
    in_question: Floats
    pairs_in_response: Floats
    word_held: Bools
    word_content: Bools


@dataclass(frozen=True, slots=True)
class _Places:
    """Places of words: -1 for document words that neither response nor question of their log holds."""

    own: Ints
    said: Ints
    found: Ints
    asked: Ints


def _places(layout: Layout, vocabulary: Vocabulary) -> _Places:
    table = vocabulary.places
    log = np.concatenate([layout.said_log.of[layout.said_word.of], layout.asked_word.of])
    keys, place = _numbered((log << _WORD_BITS) + np.concatenate([layout.said, layout.asked]))
    own = keys & ((1 << _WORD_BITS) - 1)
    bounds = np.searchsorted(keys >> _WORD_BITS, np.arange(len(layout.readings) + 1)).tolist()
    numbers = np.arange(len(own), dtype=np.int32)
    found = np.empty(len(layout.found), dtype=np.int32)
    at = 0
    for reading, (first, end) in zip(layout.readings, pairwise(bounds), strict=True):
        words, until = own[first:end], at + len(reading.documents.ids)
        table[words] = numbers[first:end]
        table.take(reading.documents.ids, out=found[at:until], mode="clip")  # any other mode copies
        table[words] = -1
        at = until
    return _Places(own, place[: len(layout.said)], found.astype(np.int64), place[len(layout.said) :])


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys in order, and for each key its place among them.

    Keys are sorted with their positions in their last bits: several times faster than an indirect sort.
    """
    if not len(keys):
        return keys, keys
    bits = len(keys).bit_length()
    ordered = np.sort((keys << bits) + np.arange(len(keys)))
    position = ordered & ((1 << bits) - 1)
    ordered >>= bits
    new = np.ones(len(keys), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    place = np.empty(len(keys), dtype=np.int64)
    place[position] = np.cumsum(new) - 1
    return ordered[new], place


def measure(layout: Layout, vocabulary: Vocabulary) -> Overlap:
    """All overlaps of a layout."""
    places = _places(layout, vocabulary)
    size = len(places.own)
    weights = vocabulary.weights[places.own]
    hit = (places.found >= 0).nonzero()[0]
    hit_at, hit_row = places.found[hit], layout.found_word.of[hit]
    held, in_said, in_asked = (np.zeros(size, dtype=bool) for _ in range(3))
    held[hit_at], in_said[places.said], in_asked[places.asked] = True, True, True

    row, at = _distinct(layout.said_word.of, places.said, size)
    rows = len(layout.said_word.count)
    weight = weights[at]
    bare = (_sums(row, weight, rows) == 0.0)[row]
    weight = np.where(bare, 1.0, weight)
    mass = np.maximum(_sums(row, weight, rows), _LEAST)
    said = _Said(row, at, weight, mass, layout.said_log)
    number = vocabulary.numeric[places.own][at]

    found_row, found_at = _distinct(hit_row, hit_at, size)
    document, document_at = _distinct(layout.sentence_document.of[found_row], found_at, size)
    streams = Streams(
        places.said, layout.said_word.of, places.found, layout.found_word.of,
        layout.sentence_document.of[layout.found_word.of], size,
    )  # fmt: skip
    found_weights = vocabulary.weights[layout.found]
    pairs, pairs_back = streams.pairs(layout.said_word.count, layout.found_word.count, held)
    sentences = len(layout.found_word.count)
    total = np.maximum(np.bincount(layout.found_word.of, weights=found_weights, minlength=sentences), _LEAST)
    hit_weight = weights[hit_at]
    return Overlap(
        said.coverage(found_row, found_at, layout.sentence_log.of, size),
        said.coverage(document, document_at, layout.document_log.of, size),
        said.share(held),
        said.share(in_asked),
        said.share(held | in_asked),
        _sums(row, number, rows),
        _sums(row, number & held[at], rows),
        pairs,
        streams.content_pairs(weights > 0.0, found_weights > 0.0, pairs),
        _asked(layout, places, weights, in_asked, found_row, found_at),
        np.bincount(hit_row, weights=in_said[hit_at] * hit_weight, minlength=sentences) / total,
        np.bincount(hit_row, weights=in_asked[hit_at] * hit_weight, minlength=sentences) / total,
        pairs_back,
        held[places.said],
        weights[places.said] > 0.0,
    )


def _sums(row: Ints, values: Floats | Bools, rows: int) -> Floats:
    sums: Floats = np.bincount(row, weights=values, minlength=rows).astype(np.float64, copy=False)
    return sums


@dataclass(frozen=True, slots=True)
class _Said:
    """The distinct words of response sentences: for each its sentence, place and weight; for each sentence
    the sum of weights."""

    row: Ints
    at: Ints
    weight: Floats
    mass: Floats
    log: Groups

    def share(self, held: Bools) -> Floats:
        """The weighted share of each response sentence that is held."""
        return (
            np.bincount(self.row, weights=self.weight * held[self.at], minlength=len(self.mass)) / self.mass
        )

    def coverage(self, row: Ints, at: Ints, log: Ints, size: int) -> Floats:
        """The share of each response sentence that a row of distinct words holds; `log` of each row."""
        useful = self.weight > 0.0
        order = np.argsort(self.at[useful], kind="stable")
        postings = _Postings(
            self.row[useful][order],
            self.weight[useful][order],
            Groups.sized(np.bincount(self.at[useful], minlength=size)),
        )
        column = np.arange(len(self.mass)) - self.log.start[self.log.of]
        sums = np.zeros((len(log), int(self.log.count.max())))
        for part in _parts(postings.groups.count[at]):
            postings.add_to(sums, row[part], at[part], column)
        mass = np.ones((len(self.log.count), sums.shape[1]))
        mass[self.log.of, column] = self.mass
        shares: Floats = sums / mass[log]  # divided last: only the sums are exact
        return shares


@dataclass(frozen=True, slots=True)
class _Postings:
    """For each place the response sentences that hold its word, and its weight there."""

    sentence: Ints
    weight: Floats
    groups: Groups

    def add_to(self, sums: Floats, row: Ints, at: Ints, column: Ints) -> None:
        """Add the weight of each held word to the sentences that hold it; `row` is in order."""
        if not len(row):
            return
        pairs = Groups.sized(self.groups.count[at])
        posting = self.groups.start[at][pairs.of] + np.arange(len(pairs.of)) - pairs.start[pairs.of]
        first, width = int(row[0]), sums.shape[1]
        cell = (row[pairs.of] - first) * width + column[self.sentence[posting]]
        found = np.bincount(cell, weights=self.weight[posting], minlength=0)
        flat = sums.reshape(-1)
        flat[first * width : first * width + len(found)] += found


def _parts(counts: Ints) -> list[slice]:
    """Stretches of rows whose counts add up to no more than is comfortable in memory."""
    if counts.sum() <= _PAIRS_AT_ONCE:
        return [slice(0, len(counts))]
    bounds = np.flatnonzero(np.diff(np.cumsum(counts) // _PAIRS_AT_ONCE)) + 1
    edges = [0, *bounds.tolist(), len(counts)]
    return [slice(a, b) for a, b in pairwise(edges)]


def _distinct(row: Ints, at: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct pairs, in order."""
    bits = size.bit_length()
    pairs = np.sort((row << bits) + at)
    new = np.ones(len(pairs), dtype=bool)
    new[1:] = pairs[1:] != pairs[:-1]
    pairs = pairs[new]
    return pairs >> bits, pairs & ((1 << bits) - 1)


def _asked(layout: Layout, places: _Places, weights: Floats, in_asked: Bools, row: Ints, at: Ints) -> Floats:
    """The weighted share of the question that each document sentence holds; all words count in one of stop
    words."""
    logs = len(layout.readings)
    log, word = _distinct(layout.asked_word.of, places.asked, len(places.own))
    mass = np.bincount(log, weights=weights[word], minlength=logs)
    asked_weight = np.where(in_asked, weights, 0.0)
    bare = (mass == 0.0)[log]
    asked_weight[word[bare]] = 1.0
    mass = np.maximum(np.bincount(log, weights=asked_weight[word], minlength=logs), _LEAST)
    sums = np.bincount(row, weights=asked_weight[at], minlength=len(layout.found_word.count))
    result: Floats = sums / mass[layout.sentence_log.of]
    return result
