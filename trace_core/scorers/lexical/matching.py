"""The lexical scorer, which also says which document sentences are nearest to each response sentence."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from trace_core.records import Log
from trace_core.scorers.base import Evaluation, LogSentences
from trace_core.scorers.lexical.overlap import Overlap
from trace_core.scorers.lexical.scorer import LexicalScorer

#: To be raised when the order of the nearest sentences changes; part of the fingerprint of who uses them.
MATCH_RULES: Final = "match-1"


class Matched(NamedTuple):
    """What is known of a log by its words.

    evaluation: the lexical scorer's. sentences: of documents and response, as its keys count them.
    nearest: for each response sentence the texts of the document sentences nearest to it, best first, each
    text once; empty where there is nothing to compare.
    """

    evaluation: Evaluation
    sentences: LogSentences
    nearest: tuple[tuple[str, ...], ...]


class MatchingScorer(LexicalScorer):
    """Finds, for scorers that compare sentences in pairs, the pairs that are worth comparing.

    Nearest is the document sentence that holds the largest weighted share of the words of the response
    sentence; among equals the one that holds more of the question, then the one that comes first by text: the
    order of documents, and a document retrieved twice, change nothing.
    """

    def match(self, log: Log, count: int) -> Matched:
        """Score a log, and find at most `count` nearest sentences for each sentence of its response.

        Raises what is wrong with a log that cannot be read, where `score` would say that it failed.
        """
        sentences = self.sentences(log)
        with self._lock:
            self._forget()
            task = self._read(log)
            if isinstance(task, Evaluation):
                return Matched(task, sentences, ())
            layout, overlap = self._measure([task])
            evaluation = self._score_measured([task], layout, overlap)[0]
        texts = [text for document in sentences.documents for text in document]
        nearest = _nearest(overlap, texts, len(sentences.response), count) if texts else ()
        return Matched(evaluation, sentences, nearest)


def _nearest(
    overlap: Overlap, texts: Sequence[str], responses: int, count: int
) -> tuple[tuple[str, ...], ...]:
    """The texts of the nearest rows of each column; `texts` are those of the rows of one log."""
    rows = np.array([at for _, at in sorted({text: at for at, text in enumerate(texts)}.items())])
    asked = -overlap.asked[rows]
    found = []
    for column in range(responses):
        order = np.lexsort((asked, -overlap.coverage[rows, column]))[:count]  # stable: ties stay by text
        found.append(tuple([texts[at] for at in rows[order].tolist()]))
    return tuple(found)
