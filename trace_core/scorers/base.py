"""The interface of all scorers, and what one says about a log."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from trace_core.annotation import Annotation
from trace_core.digests import digest
from trace_core.language import language_tag
from trace_core.metrics.scores import Scores
from trace_core.records import Log
from trace_core.refusals import ResponseKind
from trace_core.splitting import document_texts, response_texts

Status = Literal["scored", "skipped", "sampled_out", "failed"]
DecidedBy = Literal["lexical", "judge", "rule"]
JSON = None | bool | int | float | str | list[Any] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one scorer says about one log.

    status: `scored`, `skipped` (readable, but nothing to score), `sampled_out` (left out on purpose: by the
    sampling rate or the budget of a scorer that costs) or `failed` (the scorer broke).
    reason: why it was not scored, a code of `trace_core.reasons`; None when scored.
    relevance ... average: in [0, 1], or None with the reason code in `undefined`.
    adherence_probability: in [0, 1] that every sentence is supported; None where the scorer has none.
    inclusion_probability: in (0, 1], the chance that a log like this one is judged; 1 without sampling.
    decided_by: for scorers that ask a judge about some logs only: who decided, or would have to.
    content_hash: for scorers that ask a judge: the key under which its answer is kept.
    """

    log_id: str
    status: Status
    reason: str | None
    response_kind: ResponseKind
    relevance: float | None
    utilization: float | None
    adherence: float | None
    completeness: float | None
    average: float | None
    adherence_probability: float | None = None
    undefined: Mapping[str, str] = field(default_factory=dict)
    annotation: Annotation | None = None
    fingerprint: str = ""
    inclusion_probability: float = 1.0
    decided_by: DecidedBy | None = None
    content_hash: str | None = None

    @classmethod
    def scored(
        cls,
        log_id: str,
        kind: ResponseKind,
        scores: Scores,
        annotation: Annotation,
        fingerprint: str,
        adherence_probability: float | None = None,
    ) -> "Evaluation":
        """The evaluation of a log that was scored."""
        return cls(
            log_id,
            "scored",
            None,
            kind,
            scores.relevance,
            scores.utilization,
            scores.adherence,
            scores.completeness,
            scores.average,
            adherence_probability,
            scores.undefined,
            annotation,
            fingerprint,
        )

    @classmethod
    def unscored(
        cls, log_id: str, status: Status, reason: str, kind: ResponseKind, fingerprint: str
    ) -> "Evaluation":
        """The evaluation of a log without values; every metric is undefined with the same reason."""
        names = ("relevance", "utilization", "adherence", "completeness", "average")
        undefined = dict.fromkeys(names, reason)
        return cls(
            log_id, status, reason, kind, None, None, None, None, None, None, undefined, None, fingerprint
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON object with these fields; the annotation under RAGBench's key names."""
        return {
            "log_id": self.log_id,
            "status": self.status,
            "reason": self.reason,
            "response_kind": self.response_kind,
            "relevance": self.relevance,
            "utilization": self.utilization,
            "adherence": self.adherence,
            "adherence_probability": self.adherence_probability,
            "completeness": self.completeness,
            "average": self.average,
            "undefined": dict(self.undefined),
            "fingerprint": self.fingerprint,
            "annotation": self.annotation.to_json() if self.annotation else None,
        }


class LogSentences(NamedTuple):
    """The sentences that a scorer's keys count: of each document, and of the response, in order."""

    documents: tuple[tuple[str, ...], ...]
    response: tuple[str, ...]


class Scorer(Protocol):
    """Decides, sentence by sentence, what is relevant, used and supported.

    fingerprint: 16 hex digits of all that can change a value: rules, splitter, parameters, weights. Values of
    two fingerprints are never compared.
    """

    @property
    def name(self) -> str:
        """The name in settings and results."""

    @property
    def fingerprint(self) -> str:
        """16 hex digits."""

    @property
    def parameters(self) -> Mapping[str, JSON]:
        """What the fingerprint was made of, for people."""

    def score(self, log: Log) -> Evaluation:
        """Score one log. Never raises: an error becomes `failed` with `scorer_error`."""

    def sentences(self, log: Log) -> LogSentences:
        """The sentences behind the keys of this scorer's annotations, for whoever shows them."""

    def score_many(self, logs: Iterable[Log]) -> Iterator[Evaluation]:
        """Score a stream in its order, holding one log at a time."""


class BaseScorer:
    """What scorers share: a subclass gives `name`, `parameters` and `_evaluate`."""

    name: str = ""

    def __init__(self, parameters: Mapping[str, JSON]) -> None:
        self.parameters: Mapping[str, JSON] = parameters
        self.fingerprint: str = digest(self.name, dict(parameters))

    def score(self, log: Log) -> Evaluation:
        """Score one log; an empty response is skipped, an error inside becomes `failed`."""
        try:
            if not log.response.strip():
                return Evaluation.unscored(log.log_id, "skipped", "empty_response", "empty", self.fingerprint)
            return self._evaluate(log)
        except Exception:  # one bad log must never end a night; the status says what happened
            return self.failed(log)

    def sentences(self, log: Log) -> LogSentences:
        """Split by the language the log names; a scorer that splits otherwise says so by its own method."""
        named = language_tag(log.language)
        return LogSentences(tuple(document_texts(log, named)), response_texts(log, named))

    def failed(self, log: Log) -> Evaluation:
        """The evaluation of a log on which this scorer stopped with an error."""
        log_id = str(getattr(log, "log_id", ""))
        return Evaluation.unscored(log_id, "failed", "scorer_error", "answer", self.fingerprint)

    def score_many(self, logs: Iterable[Log]) -> Iterator[Evaluation]:
        """Score a stream in its order, holding one log at a time."""
        return map(self.score, logs)

    def _evaluate(self, log: Log) -> Evaluation:
        raise NotImplementedError
