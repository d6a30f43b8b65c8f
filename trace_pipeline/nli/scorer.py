"""The scorer `nli`: a response sentence is supported when document sentences entail it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trace_core.annotation import Annotation, SentenceSupport
from trace_core.keys import document_keys, response_key
from trace_core.metrics.scores import score_annotation
from trace_core.records import Log
from trace_core.scorers.base import BaseScorer, Evaluation
from trace_core.scorers.lexical.matching import MATCH_RULES, MatchingScorer
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.evidence import EVIDENCE_RULES, Claim, Finding, Places
from trace_pipeline.nli.model import NliModel

#: Raise it when a rule of this module changes a value.
_RULES: Final = "nli-1"
#: Pairs of one log; beyond, it would hold up the night, and is left unscored with a reason.
MOST_PAIRS: Final = 5_000


class NliScorer(BaseScorer):
    """Scores a log by what the document sentences nearest to each response sentence entail.

    Relevance is the lexical scorer's; utilized is what entails a response sentence. Pairs are batched within
    a log only: no value depends on the logs beside it.
    """

    name = "nli"

    def __init__(self, model: NliModel, settings: NliSettings) -> None:
        self.model = model
        self._threshold = settings.threshold
        self._nearest = settings.sentence_pairs
        self._matcher = MatchingScorer()
        super().__init__(
            {
                "rules": _RULES,
                "evidence": EVIDENCE_RULES,
                "threshold": settings.threshold,
                "sentence_pairs": settings.sentence_pairs,
                "most_pairs": MOST_PAIRS,
                "match": MATCH_RULES,
                self._matcher.name: self._matcher.fingerprint,
                "model": dict(model.parameters),
            }
        )

    def _evaluate(self, log: Log) -> Evaluation:
        matched = self._matcher.match(log, self._nearest)
        lexical = replace(matched.evaluation, fingerprint=self.fingerprint, adherence_probability=None)
        annotation, kind = lexical.annotation, lexical.response_kind
        if annotation is None or not annotation.document_sentence_count or kind == "refusal":
            return lexical  # as the judge settles it: no document entails that the answer is not there
        places = Places(matched.sentences.documents)
        said = zip(matched.sentences.response, matched.nearest, strict=True)
        claims = [Claim.of(sentence, nearest, places, self.model) for sentence, nearest in said]
        pairs = list(dict.fromkeys(pair for claim in claims for pair in claim.pairs()))
        if len(pairs) > MOST_PAIRS:
            return Evaluation.unscored(log.log_id, "skipped", "too_much_to_compare", kind, self.fingerprint)
        verdicts = dict(zip(pairs, self.model.judge(pairs), strict=True))
        found = [claim.judged(verdicts, self._threshold, places) for claim in claims]
        made = _annotation(annotation, found, places)
        # The least sure sentence: at the threshold the probability and the metric say the same.
        probability = min((one.probability for one in found), default=None)
        return Evaluation.scored(
            log.log_id, kind, score_annotation(made), made, self.fingerprint, probability
        )


def _annotation(lexical: Annotation, found: Sequence[Finding], places: Places) -> Annotation:
    """Return the lexical annotation with support and use as the model has them."""
    support = tuple(
        SentenceSupport(
            response_key(i),
            one.is_supported,
            one.probability,
            tuple(key for text in one.texts for key in places.keys(text)),
            one.reason,
        )
        for i, one in enumerate(found)
    )
    used = {key for entry in support for key in entry.supporting_keys}
    return replace(
        lexical,
        response_sentence_keys=tuple(entry.key for entry in support),
        utilized_keys=tuple(key for key in document_keys(lexical.document_sentence_counts) if key in used),
        unsupported_keys=tuple(entry.key for entry in support if not entry.supported),
        support=support,
    )
