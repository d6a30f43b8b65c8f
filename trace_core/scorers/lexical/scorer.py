"""The scorer that puts the parts together."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np

from trace_core.annotation import Annotation
from trace_core.language import LANGUAGE_RULES, UNKNOWN, guess_language, language_tag
from trace_core.metrics.counts import Counts
from trace_core.metrics.scores import score_counts
from trace_core.records import Log
from trace_core.refusals import REFUSAL_RULES, ResponseKind, is_refusal_sentence, response_kind
from trace_core.scorers.base import JSON, BaseScorer, Evaluation
from trace_core.scorers.lexical.batches import batches, by_vocabulary
from trace_core.scorers.lexical.features import FEATURE_RULES, Nearest, document_features, support_features
from trace_core.scorers.lexical.layout import Bools, Groups, Layout, lay_out
from trace_core.scorers.lexical.model import LexicalModel, packaged_model
from trace_core.scorers.lexical.overlap import Overlap, measure
from trace_core.scorers.lexical.reading import DocumentCache, Draft, draft_log, read_drafts
from trace_core.scorers.lexical.reasons import (
    SUPPORTING_OF_BEST,
    SUPPORTING_SHARE,
    SupportFacts,
    keys_of,
)
from trace_core.scorers.lexical.sets import SET_RULES, HardSets, choose
from trace_core.scorers.lexical.streams import REACH
from trace_core.scorers.lexical.vocabulary import MAX_SURFACES, STEM_RULES, Floats, Vocabulary, known_language
from trace_core.sentences import SPLITTER
from trace_core.splitting import response_texts
from trace_core.stopwords import STOP_WORD_RULES
from trace_core.words import WORD_RULES, words

_VERBATIM: Final = 0.99
_REFUSAL: Final = 0.97
#: Of a document sentence that holds a whole response sentence of some words: relevant, and used.
_COPIED: Final = 0.875
_COPIED_WORDS: Final = 4
_MAX_CELLS: Final = 8_000_000  # of the table of document by response sentences, 64 MB; beyond, a reason
_RULES: Final[Mapping[str, JSON]] = {
    "rules": "lexical-2",
    "verbatim_probability": _VERBATIM,
    "refusal_probability": _REFUSAL,
    "copied": [_COPIED, _COPIED_WORDS],
    "largest_table": _MAX_CELLS,
    "supporting": [SUPPORTING_SHARE, SUPPORTING_OF_BEST],
    "sets": SET_RULES,
    "features": FEATURE_RULES,
    "content_pairs": REACH,
    "words": WORD_RULES,
    "splitter": SPLITTER,
    "stems": STEM_RULES,
    "stop_words": STOP_WORD_RULES,
    "language": LANGUAGE_RULES,
    "refusal": REFUSAL_RULES,
}


@dataclass(frozen=True, slots=True)
class Task:
    """A log that was cut into sentences and waits to be scored."""

    log: Log
    draft: Draft
    vocabulary: Vocabulary
    kind: ResponseKind


class LexicalScorer(BaseScorer):
    """Scores a log by the words, word pairs and numbers that its sentences share.

    model: other weights than the packaged ones. cached_words: words of documents kept for the next logs;
    neither this nor anything scored before or beside a log changes a value of it.
    """

    name = "lexical"

    def __init__(self, model: LexicalModel | None = None, cached_words: int | None = None) -> None:
        self.model = model or packaged_model()
        super().__init__({**_RULES, "weights": self.model.digest})
        self._vocabularies: dict[str, Vocabulary] = {}
        self._cache = DocumentCache(cached_words)
        self._lock = Lock()  # vocabulary and cache are shared by all logs

    def score_many(self, logs: Iterable[Log]) -> Iterator[Evaluation]:
        """Score a stream in its order; some logs are held at a time, as many small ones cost less
        together."""
        for batch in batches(logs):
            yield from self._score_batch(batch)

    def _evaluate(self, log: Log) -> Evaluation:
        return next(iter(self._score_batch([log])))

    def _score_batch(self, logs: Sequence[Log]) -> list[Evaluation]:
        results: dict[int, Evaluation] = {}
        tasks: dict[int, Task] = {}
        with self._lock:
            self._forget()
            for i, log in enumerate(logs):
                task = self._read(log)
                if isinstance(task, Evaluation):
                    results[i] = task
                else:
                    tasks[i] = task
            for group in by_vocabulary(tasks):
                results.update(zip(group, self._safely([tasks[i] for i in group]), strict=True))
        return [results[i] for i in range(len(logs))]

    def _read(self, log: Log) -> Task | Evaluation:
        """The task of a log, or its evaluation when there is nothing to score or it cannot be read."""
        try:
            if not log.response.strip():
                return self._unscored(log, "empty_response", "empty")
            draft, vocabulary = self._draft(log)
            kind = response_kind(draft.response) if draft.response else "answer"
            if len(draft.response) * sum(draft.document_sizes) > _MAX_CELLS:
                return self._unscored(log, "too_much_to_compare", kind)
            return Task(log, draft, vocabulary, kind)
        except Exception:  # one bad log must never end a night; the status says what happened
            return self.failed(log)

    def _unscored(self, log: Log, reason: str, kind: ResponseKind) -> Evaluation:
        return Evaluation.unscored(log.log_id, "skipped", reason, kind, self.fingerprint)

    def _safely(self, tasks: list[Task]) -> list[Evaluation]:
        """Score tasks together; when that fails, each alone, to find the one to blame."""
        try:
            return self._score_tasks(tasks)
        except Exception:
            if len(tasks) == 1:
                return [self.failed(tasks[0].log)]
            return [self._safely([task])[0] for task in tasks]

    def _forget(self) -> None:
        """Start anew when the vocabularies are full: between batches, as a batch needs the numbers it has."""
        if sum(map(len, self._vocabularies.values())) > MAX_SURFACES:
            self._vocabularies.clear()
            self._cache.clear()  # its numbers belong to the vocabularies

    def _vocabulary(self, language: str) -> Vocabulary:
        found = self._vocabularies.get(language)
        if found is None:
            background = self.model.background if language in ("en", UNKNOWN) else {}
            found = self._vocabularies[language] = Vocabulary(language, background, self.model.unseen)
        return found

    def _draft(self, log: Log) -> tuple[Draft, Vocabulary]:
        """The log in sentences, with the vocabulary of its language."""
        named = language_tag(log.language)
        sentences = response_texts(log, named)
        language = named or guess_language(log.response, words(f"{log.question[:300]} {log.response[:300]}"))
        vocabulary = self._vocabulary(known_language(language))
        return draft_log(log, sentences, named, vocabulary, self._cache), vocabulary

    def _score_tasks(self, tasks: Sequence[Task]) -> list[Evaluation]:
        """Score tasks of one vocabulary."""
        return self._score_measured(tasks, *self._measure(tasks))

    def _measure(self, tasks: Sequence[Task]) -> tuple[Layout, Overlap]:
        vocabulary = tasks[0].vocabulary
        layout = lay_out(read_drafts([task.draft for task in tasks], vocabulary, self._cache))
        return layout, measure(layout, vocabulary)

    def _score_measured(self, tasks: Sequence[Task], layout: Layout, overlap: Overlap) -> list[Evaluation]:
        nearest = Nearest.of(overlap, layout)
        support = self._support(overlap, layout, nearest, [task.kind for task in tasks])
        rows = document_features(overlap, layout, [task.kind == "refusal" for task in tasks])
        sentences = _with_copied(self.model.documents.probabilities(rows), overlap, layout)
        sets = self._sets(sentences, layout.sentence_log)
        parts = _Parts.of(layout, SupportFacts.of(overlap, layout, nearest, support), sets)
        return [self._result(task, i, parts) for i, task in enumerate(tasks)]

    def _support(
        self, overlap: Overlap, layout: Layout, nearest: Nearest, kinds: Sequence[ResponseKind]
    ) -> Floats:
        """Probability of each response sentence of being supported."""
        support = self.model.support.probabilities(support_features(overlap, layout, nearest))[:, 0]
        log = layout.said_log
        position = np.arange(len(log.of)) - log.start[log.of]
        by_document = layout.document_log.top(overlap.document_coverage)[log.of, position]
        verbatim = (overlap.pairs >= 1.0) & (by_document >= 1.0)
        certain = verbatim | (layout.said_word.count == 0)
        support = np.where(certain, np.maximum(support, _VERBATIM), support)
        for i, kind in enumerate(kinds):
            if kind == "refusal":
                for at, text in enumerate(layout.readings[i].response_sentences, int(log.start[i])):
                    if is_refusal_sentence(text):
                        support[at] = max(support[at], _REFUSAL)
        return support

    def _response(self, support: Sequence[float]) -> float | None:
        """Probability that every sentence is supported.

        Between the product of the sentences' probabilities, which long responses cannot win, and their mean,
        which hides a single bad sentence.
        """
        if not support:
            return None
        logs = math.fsum(math.log(max(p, 1e-4)) for p in support) / math.sqrt(len(support))
        logit = self.model.response_slope * logs + self.model.response_intercept
        return round(1.0 / (1.0 + math.exp(-logit)), 6)

    def _sets(self, probabilities: Floats, log: Groups) -> HardSets:
        relevant, utilized, both = (np.ascontiguousarray(column) for column in probabilities.T)
        expected = np.add.reduceat(both, log.start) / np.maximum(np.add.reduceat(relevant, log.start), 1e-6)
        line = self.model.completeness_intercept + self.model.completeness_slope * np.minimum(expected, 1.0)
        return choose(relevant, utilized, np.clip(line, 0.0, 1.0), log)

    def _result(self, task: Task, i: int, parts: "_Parts") -> Evaluation:
        draft, sizes = task.draft, task.draft.document_sizes
        total = sum(sizes)
        keys = keys_of(sizes)
        first = parts.first_said[i]
        entries = tuple(parts.facts.entries(first, draft.response, keys, self.model.threshold))
        relevant, utilized, both = parts.sets_of(i) if total else ((), (), 0)
        annotation = Annotation(
            document_sentence_counts=sizes,
            response_sentence_keys=tuple([entry.key for entry in entries]),
            relevant_keys=tuple([keys[at] for at in relevant]),
            utilized_keys=tuple([keys[at] for at in utilized]),
            unsupported_keys=tuple([entry.key for entry in entries if not entry.supported]),
            support=entries,
        )
        counts = Counts(
            documents=len(sizes),
            total=total,
            relevant=len(relevant),
            utilized=len(utilized),
            both=both,
            response=len(entries),
            unsupported=len(annotation.unsupported_keys),
        )
        probability = self._response(parts.facts.probabilities[first : first + len(entries)])
        return Evaluation.scored(
            task.log.log_id, task.kind, score_counts(counts), annotation, self.fingerprint, probability
        )


def _with_copied(probabilities: Floats, overlap: Overlap, layout: Layout) -> Floats:
    """The probabilities of document sentences, at least `_COPIED` where one holds a whole response sentence:
    of some words, or the whole of the document sentence as well."""
    log, found = layout.said_log, layout.found_word.count
    position = np.arange(len(log.of)) - log.start[log.of]
    size = np.full((len(log.count), overlap.coverage.shape[1]), -1)
    size[log.of, position] = np.where(overlap.pairs >= 1.0, layout.said_word.count, -1)
    size = size[layout.sentence_log.of]
    held = (overlap.coverage >= 1.0) & ((size >= _COPIED_WORDS) | ((size > 0) & (size >= found[:, None])))
    copied: Bools = np.any(held, axis=1, keepdims=True)
    return np.where(copied, np.maximum(probabilities, _COPIED), probabilities)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What was found of all logs of a layout, to be taken apart again; lists, as they are many times faster
    than arrays one element at a time."""

    facts: SupportFacts
    first_said: list[int]
    relevant: list[int]
    relevant_ends: list[int]
    utilized: list[int]
    utilized_ends: list[int]
    both: list[int]

    @classmethod
    def of(cls, layout: Layout, facts: SupportFacts, sets: HardSets) -> "_Parts":
        """Places of sentences count within their log."""
        log = layout.sentence_log
        relevant, utilized = sets.relevant.nonzero()[0], sets.utilized.nonzero()[0]
        return cls(
            facts,
            layout.said_log.start.tolist(),
            (relevant - log.start[log.of[relevant]]).tolist(),
            [0, *np.cumsum(sets.relevant_count).tolist()],
            (utilized - log.start[log.of[utilized]]).tolist(),
            [0, *np.cumsum(sets.utilized_count).tolist()],
            sets.both.tolist(),
        )

    def sets_of(self, i: int) -> tuple[Sequence[int], Sequence[int], int]:
        """Places of the relevant and of the used document sentences of a log, and how many are both."""
        return (
            self.relevant[self.relevant_ends[i] : self.relevant_ends[i + 1]],
            self.utilized[self.utilized_ends[i] : self.utilized_ends[i + 1]],
            self.both[i],
        )
