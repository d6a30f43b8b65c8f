"""The simplest entry: score one answer."""

from collections.abc import Iterable, Mapping

from trace_core.errors import BadInput
from trace_core.records import Document, Limits, Log, parse_documents
from trace_core.scorers import DEFAULT_SCORER, Evaluation, Scorer, get_scorer

_NO_LIMITS = Limits(max_log_bytes=2**62, max_documents=2**62)


def evaluate(
    question: str,
    response: str,
    documents: Iterable[str | Document | Mapping[str, object]],
    ground_truth: str | None = None,
    scorer: str | Scorer | None = None,
    language: str | None = None,
) -> Evaluation:
    """Score one answer.

    Args:
        question: what was asked.
        response: what was answered; an empty one gives status `skipped`.
        documents: what was retrieved: texts, `Document`s or objects with `text`, `content` or `page_content`.
        ground_truth: a reference answer, if there is one.
        scorer: a name or a scorer; the default scorer when None.
        language: a tag such as "de"; guessed when None.

    Returns:
        An `Evaluation` with `relevance`, `utilization`, `adherence`, `completeness` and `average`, each in
        [0, 1] or None with its reason in `undefined`.

    Raises:
        BadInput: something that should be text is not.
        ConfigurationError: there is no scorer of that name.

    >>> result = evaluate("When was it built?", "It was built in 1889.", ["The tower was built in 1889."])
    >>> result.adherence, result.annotation.support[0].supporting_keys
    (1.0, ('0a',))
    """
    for name, text in (("question", question), ("response", response), ("ground_truth", ground_truth)):
        if not isinstance(text, str) and not (text is None and name == "ground_truth"):
            raise BadInput(f"{name}_not_text", type(text).__name__)
    chosen = get_scorer(scorer or DEFAULT_SCORER) if scorer is None or isinstance(scorer, str) else scorer
    return chosen.score(
        Log(
            log_id="",
            question=question,
            documents=_documents(documents),
            response=response,
            ground_truth=ground_truth,
            segments={"language": language} if language else {},
        )
    )


def _documents(documents: object) -> tuple[Document, ...]:
    if isinstance(documents, str | bytes | Mapping) or not isinstance(documents, Iterable):
        raise BadInput("documents_not_a_list", type(documents).__name__)
    return tuple(
        Document(item) if isinstance(item, str) else parse_documents([item], _NO_LIMITS)[0]
        for item in documents
    )
