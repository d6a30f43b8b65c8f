"""The word-level scorer: counts of words that occur, no model, no weights.

Words and content words are what `trace_core.words` and `trace_core.stopwords` say; repetitions are counted.
- adherence: a response sentence is grounded when at least half of its words occur in the documents; 1.0 when
  all are, else 0.0. Sentences without words are left out.
- relevance, utilization: the share of documents that hold at least half of the content words of the question,
  or of some response sentence. A question or sentence of stop words alone counts with all of its words.
- completeness with a ground truth: 0.3 x min(content words in the response / 10, 1) + 0.7 x share of the
  ground truth's words that occur in the response. Without one: 0.7 when the response holds the kind of answer
  the question asks for, else 0.3; a refusal holds none.
The annotation applies the same rules to single document sentences; the four values do not come from it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from trace_core.annotation import Annotation, SentenceSupport
from trace_core.keys import document_key, response_key
from trace_core.language import LANGUAGE_RULES, guess_language, language_tag
from trace_core.metrics.scores import Scores
from trace_core.metrics.spec import Value
from trace_core.question_kind import QUESTION_RULES, holds_kind, question_kind
from trace_core.records import Log
from trace_core.refusals import REFUSAL_RULES, ResponseKind, response_kind
from trace_core.scorers.base import JSON, BaseScorer, Evaluation, LogSentences
from trace_core.scorers.word_index import WordIndex
from trace_core.sentences import SPLITTER
from trace_core.splitting import document_texts, response_texts
from trace_core.stopwords import STOP_WORD_RULES, stop_words_of
from trace_core.words import WORD_RULES, words

_PARAMETERS: Final[Mapping[str, JSON]] = {
    "rules": "heuristic-1",
    "grounded_share": 0.5,
    "content_share": 0.5,
    "length_weight": 0.3,
    "length_full_at": 10,
    "recall_weight": 0.7,
    "holds_kind": 0.7,
    "lacks_kind": 0.3,
    "words": WORD_RULES,
    "splitter": SPLITTER,
    "stop_words": STOP_WORD_RULES,
    "language": LANGUAGE_RULES,
    "question": QUESTION_RULES,
    "refusal": REFUSAL_RULES,
}
_MAX_SUPPORTING: Final = 5
_MAX_MISSING: Final = 8
_MAX_WORD_SHOWN: Final = 40


class HeuristicScorer(BaseScorer):
    """Scores a log by the words its parts share."""

    name = "heuristic"

    def __init__(self) -> None:
        super().__init__(_PARAMETERS)

    def sentences(self, log: Log) -> LogSentences:
        """Split the response by the language the log names, the documents by a guess where it names none."""
        named = language_tag(log.language)
        response = response_texts(log, named)
        language = named or _guess(log, words(log.question), [words(sentence) for sentence in response])
        return LogSentences(tuple(document_texts(log, language)), response)

    def _evaluate(self, log: Log) -> Evaluation:
        question = words(log.question)
        language = language_tag(log.language)
        sentences = response_texts(log, language)
        response = [words(sentence) for sentence in sentences]
        if language is None:
            language = _guess(log, question, response)
        kind: ResponseKind = response_kind(sentences) if sentences else "answer"

        index = WordIndex(question, response, stop_words_of(language))
        counts = []
        for document in document_texts(log, language):
            counts.append(len(document))
            index.add_document([words(sentence) for sentence in document])

        support = tuple(_support(i, own, index) for i, own in enumerate(response))
        annotation = Annotation(
            document_sentence_counts=tuple(counts),
            response_sentence_keys=tuple(entry.key for entry in support),
            relevant_keys=tuple(document_key(*place) for place in index.relevant_sentences),
            utilized_keys=tuple(document_key(*place) for place in index.utilized_sentences),
            unsupported_keys=tuple(entry.key for entry in support if not entry.supported),
            support=support,
        )
        scores = Scores.of(
            _share(index.relevant_documents, len(counts), bool(question), "no_words_in_question"),
            _share(index.utilized_documents, len(counts), any(response), "no_words_in_response"),
            _adherence(response, support),
            _completeness(log, question, response, kind, language),
        )
        return Evaluation.scored(log.log_id, kind, scores, annotation, self.fingerprint)


def _guess(log: Log, question: Sequence[str], response: Sequence[Sequence[str]]) -> str:
    return guess_language(log.response, [*question, *(word for sentence in response for word in sentence)])


def _share(hits: int, documents: int, has_words: bool, reason: str) -> Value:
    if not documents:
        return Value(None, "no_documents")
    return Value(hits / documents) if has_words else Value(None, reason)


def _adherence(response: Sequence[Sequence[str]], support: Sequence[SentenceSupport]) -> Value:
    if not any(response):
        return Value(None, "no_words_in_response" if response else "no_response_sentence")
    return Value(1.0 if all(entry.supported for entry in support) else 0.0)


def _support(position: int, own: Sequence[str], index: WordIndex) -> SentenceSupport:
    """Is a response sentence grounded, where, and which of its words are missing."""
    key = response_key(position)
    if not own:
        return SentenceSupport(key, True, reason="holds no word to look for")
    missing = [word for word in own if word not in index.document_words]
    found = len(own) - len(missing)
    grounded = 2 * found >= len(own)
    reason = f"{found} of {len(own)} words occur in the documents"
    shown = [word[:_MAX_WORD_SHOWN] for word in dict.fromkeys(missing) if word not in index.stop_words]
    if shown:
        reason += "; missing: " + ", ".join(shown[:_MAX_MISSING])
    places = index.supporting_sentences(position)[:_MAX_SUPPORTING] if grounded else ()
    return SentenceSupport(key, grounded, None, tuple(document_key(*place) for place in places), reason)


def _completeness(
    log: Log, question: Sequence[str], response: Sequence[Sequence[str]], kind: ResponseKind, language: str
) -> Value:
    if not log.documents:
        return Value(None, "no_documents")
    said = [word for sentence in response for word in sentence]
    truth = words(log.ground_truth) if log.ground_truth else []
    if truth:
        stop, spoken = stop_words_of(language), frozenset(said)
        content = sum(word not in stop for word in said)
        recall = sum(word in spoken for word in truth) / len(truth)
        return Value(0.3 * min(content / 10, 1.0) + 0.7 * recall)
    if kind == "refusal":
        return Value(0.3)
    asked = question_kind(log.question, language)
    return Value(0.7 if holds_kind(log.response, said, frozenset(question), asked, language) else 0.3)
