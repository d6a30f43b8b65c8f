"""The scorer that puts the parts together."""

import math
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Final

import numpy as np

from trace_core.annotation import Annotation, SentenceSupport
from trace_core.keys import document_key, response_key
from trace_core.language import LANGUAGE_RULES, UNKNOWN, guess_language, language_tag
from trace_core.metrics.counts import Counts
from trace_core.metrics.scores import score_counts
from trace_core.records import Log
from trace_core.refusals import REFUSAL_RULES, ResponseKind, is_refusal_sentence, response_kind
from trace_core.scorers.base import JSON, BaseScorer, Evaluation
from trace_core.scorers.lexical.features import document_features, support_features
from trace_core.scorers.lexical.model import LexicalModel, packaged_model
from trace_core.scorers.lexical.overlap import Overlap, measure
from trace_core.scorers.lexical.reading import DocumentCache, Reading, ReadText, read_log
from trace_core.scorers.lexical.sets import SET_RULES, HardSets, choose
from trace_core.scorers.lexical.streams import REACH
from trace_core.scorers.lexical.vocabulary import MAX_SURFACES, STEM_RULES, Floats, Vocabulary, known_language
from trace_core.sentences import SPLITTER
from trace_core.splitting import response_texts
from trace_core.stopwords import STOP_WORD_RULES
from trace_core.words import WORD_RULES, words

_VERBATIM: Final = 0.99
_REFUSAL: Final = 0.97
_MAX_CELLS: Final = 8_000_000  # of any table of one log, 64 MB; larger ones are left unscored with a reason
_MAX_SUPPORTING: Final = 3
_SUPPORTING_SHARE: Final = 0.3  # of a response sentence
_SUPPORTING_OF_BEST: Final = 0.6  # of what the best document sentence holds
_MAX_MISSING: Final = 8
_MAX_WORD_SHOWN: Final = 40
_NO_WORDS: Final = np.zeros(0, dtype=np.int32)
_RULES: Final[Mapping[str, JSON]] = {
    "rules": "lexical-1",
    "verbatim_probability": _VERBATIM,
    "refusal_probability": _REFUSAL,
    "largest_table": _MAX_CELLS,
    "supporting": [_MAX_SUPPORTING, _SUPPORTING_SHARE, _SUPPORTING_OF_BEST],
    "sets": SET_RULES,
    "content_pairs": REACH,
    "words": WORD_RULES,
    "splitter": SPLITTER,
    "stems": STEM_RULES,
    "stop_words": STOP_WORD_RULES,
    "language": LANGUAGE_RULES,
    "refusal": REFUSAL_RULES,
}


class LexicalScorer(BaseScorer):
    """Scores a log by the words, word pairs and numbers that its sentences share.

    model: other weights than the packaged ones. cached_words: words of documents kept for the next
    logs; neither this nor anything scored before changes a value.
    """

    name = "lexical"

    def __init__(self, model: LexicalModel | None = None, cached_words: int | None = None) -> None:
        self.model = model or packaged_model()
        super().__init__({**_RULES, "weights": self.model.digest})
        self._vocabularies: dict[str, Vocabulary] = {}
        self._cache = DocumentCache(cached_words)
        self._lock = Lock()  # vocabulary and cache are shared by all logs

    def _vocabulary(self, language: str) -> Vocabulary:
        if sum(map(len, self._vocabularies.values())) > MAX_SURFACES:
            self._vocabularies.clear()
            self._cache.clear()  # its numbers belong to the vocabularies
        found = self._vocabularies.get(language)
        if found is None:
            background = self.model.background if language in ("en", UNKNOWN) else {}
            found = self._vocabularies[language] = Vocabulary(language, background, self.model.unseen)
        return found

    def read(self, log: Log) -> tuple[Reading, Vocabulary]:
        """The log in numbers, with the vocabulary of its language."""
        named = language_tag(log.language)
        sentences = response_texts(log, named)
        language = named or guess_language(log.response, words(f"{log.question[:300]} {log.response[:300]}"))
        vocabulary = self._vocabulary(known_language(language))
        return read_log(log, sentences, named, vocabulary, self._cache), vocabulary

    def _evaluate(self, log: Log) -> Evaluation:
        with self._lock:
            return self._score(log)

    def _score(self, log: Log) -> Evaluation:
        reading, vocabulary = self.read(log)
        sentences = reading.response_sentences
        kind: ResponseKind = response_kind(sentences) if sentences else "answer"
        if _cells(reading) > _MAX_CELLS:
            return Evaluation.unscored(log.log_id, "skipped", "too_much_to_compare", kind, self.fingerprint)
        filled = _filled(reading)
        overlap = measure(filled, vocabulary)
        support = self._support(overlap, filled, kind)[: len(sentences)]
        sets = self._sets(overlap, filled, reading, kind)
        entries = tuple(_entries(support, overlap, reading, self.model.threshold))
        annotation = _annotation(entries, sets, reading.document_sizes)
        counts = Counts(
            documents=len(reading.document_sizes),
            total=sum(reading.document_sizes),
            relevant=len(sets.relevant),
            utilized=len(sets.utilized),
            both=sets.both,
            response=len(entries),
            unsupported=len(annotation.unsupported_keys),
        )
        probability = self._response(support) if len(support) else None
        return Evaluation.scored(
            log.log_id, kind, score_counts(counts), annotation, self.fingerprint, probability
        )

    def _support(self, overlap: Overlap, reading: Reading, kind: ResponseKind) -> Floats:
        """Probability of each response sentence of being supported."""
        support = self.model.support.probabilities(support_features(overlap, reading))[:, 0]
        verbatim = (overlap.pairs >= 1.0) & (overlap.document_coverage.max(axis=0) >= 1.0)
        certain = verbatim | (reading.response.sizes == 0)
        support = np.where(certain, np.maximum(support, _VERBATIM), support)
        if kind == "refusal":
            refuses = np.array([is_refusal_sentence(text) for text in reading.response_sentences])
            support = np.where(refuses, np.maximum(support, _REFUSAL), support)
        return support

    def _response(self, support: Floats) -> float:
        """Probability that every sentence is supported.

        Between the product of the sentences' probabilities, which long responses cannot win, and their mean,
        which hides a single bad sentence.
        """
        logs = math.fsum(math.log(max(p, 1e-4)) for p in support.tolist()) / math.sqrt(len(support))
        logit = self.model.response_slope * logs + self.model.response_intercept
        return round(1.0 / (1.0 + math.exp(-logit)), 6)

    def _sets(self, overlap: Overlap, filled: Reading, reading: Reading, kind: ResponseKind) -> HardSets:
        if not sum(reading.document_sizes):
            return HardSets((), (), 0)
        rows = document_features(overlap, filled, kind == "refusal")
        model = self.model
        relevant, utilized, in_both = model.documents.probabilities(rows).T
        both = float(in_both.sum())
        ratio = min(1.0, both / max(float(relevant.sum()), 1e-6))
        expected = model.completeness_intercept + model.completeness_slope * ratio
        return choose(relevant, utilized, min(1.0, max(0.0, expected)))


def _cells(reading: Reading) -> int:
    """The size of the largest table of this log."""
    said, found = len(reading.response.sizes) + 1, len(reading.documents.sizes)
    return max(said * (len(reading.response.ids) + len(reading.question)), said * found)


def _filled(reading: Reading) -> Reading:
    """The reading with an empty sentence where there is none: nothing is covered, and no case is special."""
    empty = ReadText(_NO_WORDS, np.zeros(1, dtype=np.int64))
    if not len(reading.response.sizes):
        reading = replace(reading, response=empty, response_sentences=("",))
    if not len(reading.documents.sizes):
        reading = replace(reading, documents=empty, document_sizes=(1,))
    return reading


def _places(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(document, sentence) for document, size in enumerate(sizes) for sentence in range(size)]


def _annotation(entries: tuple[SentenceSupport, ...], sets: HardSets, sizes: tuple[int, ...]) -> Annotation:
    places = _places(sizes)
    return Annotation(
        document_sentence_counts=sizes,
        response_sentence_keys=tuple(entry.key for entry in entries),
        relevant_keys=tuple(document_key(*places[at]) for at in sets.relevant),
        utilized_keys=tuple(document_key(*places[at]) for at in sets.utilized),
        unsupported_keys=tuple(entry.key for entry in entries if not entry.supported),
        support=entries,
    )


def _entries(support: Floats, overlap: Overlap, reading: Reading, threshold: float) -> list[SentenceSupport]:
    """For each response sentence its verdict, its best document sentences and its missing words."""
    if not len(support):
        return []
    places = _places(reading.document_sizes)
    coverage = overlap.coverage
    best = np.argsort(-coverage, axis=0, kind="stable")[:_MAX_SUPPORTING]
    shares = np.take_along_axis(coverage, best, axis=0).T.tolist()
    content = (overlap.weights[overlap.places] > 0.0).tolist()
    found = overlap.covered[overlap.places].tolist()
    entries, start = [], 0
    rows = zip(support.tolist(), reading.response.sizes.tolist(), best.T.tolist(), shares, strict=True)
    for i, (probability, size, nearest, share) in enumerate(rows):
        keys: tuple[str, ...] = ()
        if places:
            least = max(_SUPPORTING_SHARE, _SUPPORTING_OF_BEST * share[0])
            keys = tuple(
                document_key(*places[at]) for at, s in zip(nearest, share, strict=True) if s >= least
            )
        own = [at for at in range(start, start + size) if content[at]] or range(start, start + size)
        missing = [at - start for at in own if not found[at]]
        reason = _reason(reading.response_sentences[i], len(own), missing)
        supported = probability >= threshold
        entries.append(SentenceSupport(response_key(i), supported, round(probability, 6), keys, reason))
        start += size
    return entries


def _reason(sentence: str, total: int, missing: list[int]) -> str:
    if not total:
        return "holds no word to look for"
    reason = f"{total - len(missing)} of {total} content words occur in the documents"
    if missing:
        said = words(sentence)
        shown = dict.fromkeys(said[at][:_MAX_WORD_SHOWN] for at in missing)
        reason += "; missing: " + ", ".join(list(shown)[:_MAX_MISSING])
    return reason
