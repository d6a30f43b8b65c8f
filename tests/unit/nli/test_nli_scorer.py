"""The scorer nli: what the tiny model entails is supported and used, and nothing else changes a value."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.nli_model import WORDS, make_folder
from trace_core import Document, Log, get_scorer
from trace_core.metrics.scores import score_annotation
from trace_core.scorers import Evaluation
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli import scorer as scorer_module
from trace_pipeline.nli.making import make_nli_scorer
from trace_pipeline.nli.pairs import Pair
from trace_pipeline.nli.scorer import NliScorer

POLICY = "The warranty lasts two years. Returns are free within thirty days."
PETS = "Cats eat fish. Dogs drink water."
MakeNli = Callable[..., NliScorer]
_SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(
    lambda w: " ".join(w).capitalize() + "."
)
LOGS = st.builds(
    lambda documents, said: a_log(" ".join(said), *map(" ".join, documents)),
    st.lists(st.lists(_SENTENCE, min_size=1, max_size=4), max_size=4),
    st.lists(_SENTENCE, min_size=1, max_size=4),
)


def a_log(response: str, *documents: str, question: str = "How long is the warranty?") -> Log:
    """Return a log."""
    return Log("log", question, tuple(map(Document, documents)), response)


@pytest.fixture(scope="module")
def make_nli(tmp_path_factory: pytest.TempPathFactory) -> MakeNli:
    """Make a scorer of the tiny model with some settings, once."""
    folder = make_folder(tmp_path_factory.mktemp("nli"))
    made: dict[str, NliScorer] = {}

    def make(**options: Any) -> NliScorer:
        found = NliSettings(model_folder=str(folder), **options)
        if repr(found) not in made:
            scorer = make_nli_scorer(found)
            assert isinstance(scorer, NliScorer)
            made[repr(found)] = scorer
        return made[repr(found)]

    return make


def support(evaluation: Evaluation) -> list[tuple[bool, tuple[str, ...], str]]:
    """Return verdict, keys and reason of each response sentence."""
    assert evaluation.annotation is not None
    return [(e.supported, e.supporting_keys, e.reason) for e in evaluation.annotation.support]


def test_what_is_entailed_is_supported_and_used(make_nli: MakeNli) -> None:
    """Metrics are counted from the annotation, relevance from lexical's keys."""
    log = a_log("The warranty lasts two years. Dogs drink water. Zebras adore fish.", POLICY, PETS)
    found = make_nli().score(log)
    lexical = get_scorer("lexical").score(log)
    assert found.annotation is not None and lexical.annotation is not None
    assert support(found) == [
        (True, ("0a",), "entailed with probability 0.8789"),
        (True, ("1b",), "entailed with probability 0.8789"),
        (False, (), "entailed with probability 0.0024 at most"),
    ]
    assert found.annotation.utilized_keys == ("0a", "1b")
    assert found.annotation.unsupported_keys == ("c",)
    assert found.annotation.relevant_keys == lexical.annotation.relevant_keys
    scores = score_annotation(found.annotation)
    assert (found.relevance, found.utilization, found.adherence, found.completeness, found.average) == (
        scores.relevance,
        0.5,
        0.0,
        scores.completeness,
        scores.average,
    )
    assert found.adherence_probability == 0.0024


def test_two_sentences_together_support_what_neither_does_alone(make_nli: MakeNli) -> None:
    """The two nearest ones are a premise of their own; a third would not be read."""
    found = make_nli().score(a_log("Cats eat fish within thirty days.", POLICY, PETS))
    assert support(found) == [
        (True, ("1a", "0b"), "entailed with probability 0.8789 by two document sentences together")
    ]
    assert support(make_nli().score(a_log("Cats drink two fish.", POLICY, PETS)))[0][0] is False


def test_two_sentences_of_a_document_are_joined_in_its_order(make_nli: MakeNli) -> None:
    """`It` in the second one speaks of the first one, whichever is nearer."""
    asked: list[Pair] = []
    scorer = make_nli()
    judge = scorer.model.judge
    scorer.model.judge = lambda pairs: asked.extend(pairs) or judge(pairs)  # type: ignore[method-assign]
    try:
        scorer.score(
            a_log("The tower was built today and it was old.", "The tower rains. It was built old today.")
        )
    finally:
        del scorer.model.judge
    assert "The tower rains. It was built old today." in [pair.premise for pair in asked]


def test_a_contradiction_is_named_in_the_reason(make_nli: MakeNli) -> None:
    """With the sentence that contradicts."""
    found = make_nli().score(a_log("Cats not eat fish.", POLICY, PETS))
    assert support(found)[0][2] == (
        "entailed with probability 0.0000 at most; contradicted by 1a with probability 0.9820"
    )


def test_the_threshold_decides_and_probability_and_metric_agree(make_nli: MakeNli) -> None:
    """The adherence probability is that of the least sure sentence."""
    log = a_log("The warranty lasts two years. Cats eat fish.", POLICY, PETS)
    for threshold, adherence in ((0.8789, 1.0), (0.879, 0.0)):
        found = make_nli(threshold=threshold).score(log)
        assert (found.adherence, found.adherence_probability) == (adherence, 0.8789)
        assert (found.utilization, support(found)[1][1]) == ((0.5, ("1a",)) if adherence else (0.0, ()))
        assert "together" not in support(found)[1][2]


def test_only_the_nearest_sentences_are_read(make_nli: MakeNli) -> None:
    """As many as the setting says, and the joined ones."""
    asked: list[Pair] = []
    scorer = make_nli(sentence_pairs=2)
    judge = scorer.model.judge
    scorer.model.judge = lambda pairs: asked.extend(pairs) or judge(pairs)  # type: ignore[method-assign]
    try:
        scorer.score(a_log("Cats eat snows. Cats eat snows.", POLICY, PETS, "It snows."))
    finally:
        del scorer.model.judge
    assert [pair.premise for pair in asked] == ["Cats eat fish.", "It snows.", "Cats eat fish. It snows."]


def test_a_document_retrieved_twice_is_read_once_and_used_twice(make_nli: MakeNli) -> None:
    """A copy takes no place among the nearest, and its sentences are used as those of the first."""
    found = make_nli(sentence_pairs=1).score(a_log("Cats eat fish.", PETS, PETS))
    assert support(found)[0][:2] == (True, ("0a", "1a"))
    assert found.utilization == 0.5


@pytest.mark.parametrize("documents", [(), ("",), ("", " \n")])
def test_without_document_sentences_lexical_decides(make_nli: MakeNli, documents: Sequence[str]) -> None:
    """The model is not asked what follows from nothing."""
    log = a_log("Cats eat fish.", *documents)
    lexical = get_scorer("lexical").score(log)
    expected = replace(lexical, fingerprint=make_nli().fingerprint, adherence_probability=None)
    assert make_nli().score(log) == expected


def test_refusals_are_settled_as_for_the_other_scorers(make_nli: MakeNli) -> None:
    """No document says that the answer is not in it."""
    found = make_nli().score(a_log("I don't know.", POLICY))
    assert (found.status, found.response_kind, found.adherence) == ("scored", "refusal", 1.0)
    assert found.adherence_probability is None


def test_an_empty_answer_is_skipped_and_one_without_words_is_supported(make_nli: MakeNli) -> None:
    """As the other scorers settle them."""
    found = make_nli().score(a_log(" \n", POLICY))
    assert (found.status, found.reason, found.fingerprint) == (
        "skipped",
        "empty_response",
        make_nli().fingerprint,
    )
    log = replace(a_log("Cats eat fish. :-)", PETS), response_sentences=("Cats eat fish.", "1)", ":-)"))
    assert [item[::2] for item in support(make_nli().score(log))][::2] == [
        (True, "entailed with probability 0.8789"),
        (True, "holds no word to look for"),
    ]
    none = make_nli().score(replace(log, response_sentences=()))
    assert (none.status, none.adherence, none.adherence_probability) == ("scored", None, None)
    assert none.undefined["adherence"] == "no_response_sentence"


def test_a_log_with_too_many_pairs_is_skipped_with_a_reason(
    make_nli: MakeNli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One log must not hold up a night."""
    monkeypatch.setattr(scorer_module, "MOST_PAIRS", 8)
    found = [make_nli().score(a_log(said, POLICY, PETS)) for said in ("It rains.", "It rains. It snows.")]
    assert [(one.status, one.reason) for one in found] == [
        ("scored", None),
        ("skipped", "too_much_to_compare"),
    ]


def test_a_sentence_longer_than_a_pair_is_held_part_by_part(make_nli: MakeNli) -> None:
    """Supported when each part is; its keys are those of all parts."""
    said = "the warranty lasts two years cats eat fish two years"
    scorer = make_nli(max_tokens=19)  # eight tokens of a hypothesis
    log = replace(a_log(said, POLICY, PETS), response_sentences=(said,))
    assert support(scorer.score(log)) == [
        (True, ("1a", "0a"), "entailed with probability 0.8789 by two document sentences together")
    ]
    wrong = replace(log, response_sentences=(said.replace("fish two", "fish snows"),))
    assert support(scorer.score(wrong))[0][0] is False


def test_an_error_of_the_runtime_is_of_its_log_alone(make_nli: MakeNli) -> None:
    """The other logs of the stream are scored, and in their order."""
    scorer = make_nli()
    judge = scorer.model.judge

    def breaks(pairs: Sequence[Pair]) -> Any:
        if any("marzipan" in pair.hypothesis for pair in pairs):
            raise RuntimeError("the model is out of memory")
        return judge(pairs)

    scorer.model.judge = breaks  # type: ignore[method-assign]
    try:
        logs = [a_log(said, PETS) for said in ("Cats eat.", "Zebras adore marzipan.", "Dogs drink.")]
        found = [(one.status, one.reason, one.adherence) for one in scorer.score_many(logs)]
    finally:
        del scorer.model.judge
    assert found == [("scored", None, 1.0), ("failed", "scorer_error", None), ("scored", None, 1.0)]


def test_a_panic_of_the_tokenizer_is_of_its_log_alone(
    make_nli: MakeNli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rust's panics are no Exception; what has to end a task is none either, and goes on."""
    panic = type("PanicException", (BaseException,), {})
    scorer = make_nli(threads=3)
    for raised, status in ((panic("index out of bounds"), "failed"), (KeyboardInterrupt(), None)):
        monkeypatch.setattr(scorer.model._tokenizer, "_whole", Breaking(raised))
        if status:
            assert scorer.score(a_log("Cats eat fish.", PETS)).status == status
        else:
            with pytest.raises(KeyboardInterrupt):
                scorer.score(a_log("Cats eat fish.", PETS))


class Breaking:
    """A tokenizer that raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def encode(self, *texts: str, **options: Any) -> Any:
        """Raise."""
        raise self.error


def test_numbers_that_are_none_fail_the_log(make_nli: MakeNli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never a probability out of NaN."""
    scorer = make_nli(threads=2)
    monkeypatch.setattr(scorer.model, "_session", NotANumber(), raising=True)
    found = scorer.score(a_log("Cats eat fish.", PETS))
    assert (found.status, found.reason, found.adherence) == ("failed", "scorer_error", None)


class NotANumber:
    """A runtime that gives no numbers."""

    def run(self, names: Sequence[str], given: Any) -> Any:
        """Give NaN for each pair."""
        return ([[float("nan")] * 3] * len(given["input_ids"]),)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LOGS, min_size=1, max_size=5), st.integers(1, 40))
def test_a_log_scores_the_same_in_any_company_and_batch(
    make_nli: MakeNli, logs: list[Log], size: int
) -> None:
    """Alone, in a stream, with pairs one at a time or all together: to the last digit."""
    alone = [make_nli().score(log) for log in logs]
    assert list(make_nli().score_many(logs)) == alone
    other = make_nli(batch_pairs=[1, 3, 1024][size % 3])
    assert [other.score(log) for log in reversed(logs)] == alone[::-1]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LOGS, st.randoms())
def test_the_order_of_documents_changes_no_value(make_nli: MakeNli, log: Log, shuffle: random.Random) -> None:
    """Keys move with their documents; the metrics stay."""
    mixed = list(log.documents)
    shuffle.shuffle(mixed)
    before, after = make_nli().score(log), make_nli().score(replace(log, documents=tuple(mixed)))
    assert (before.utilization, before.adherence, before.adherence_probability) == (
        after.utilization,
        after.adherence,
        after.adherence_probability,
    )
    assert before.relevance == after.relevance


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LOGS)
def test_support_is_what_the_tiny_model_says_of_single_sentences(make_nli: MakeNli, log: Log) -> None:
    """A sentence whose words are all in one document sentence is supported by it, if all are read."""
    found = make_nli(sentence_pairs=100).score(log)
    if found.annotation is None or found.response_kind == "refusal" or not log.documents:
        return
    sentences = make_nli().sentences(log)
    texts = {
        key: frozenset(text.lower().rstrip(".").split())
        for key, text in zip(
            found.annotation.document_sentence_keys,
            (text for document in sentences.documents for text in document),
            strict=True,
        )
    }
    for text, entry in zip(sentences.response, found.annotation.support, strict=True):
        said = frozenset(text.lower().rstrip(".").split())
        alone = {key for key, held in texts.items() if said <= held and ("not" in said) == ("not" in held)}
        assert alone <= set(entry.supporting_keys)
        assert bool(alone) <= entry.supported
        assert set(entry.supporting_keys) <= set(found.annotation.utilized_keys)


def test_the_fingerprint_is_of_all_that_can_change_a_value(make_nli: MakeNli, tmp_path: Path) -> None:
    """Threads and size of batches change none."""
    same = make_nli().fingerprint
    assert make_nli(threads=2, batch_pairs=7).fingerprint == same
    others = [
        make_nli(threshold=0.6),
        make_nli(sentence_pairs=4),
        make_nli(max_tokens=256),
        make_nli_scorer(NliSettings(model_folder=str(make_folder(tmp_path / "a", words=[*WORDS, "more"])))),
        make_nli_scorer(NliSettings(model_folder=str(make_folder(tmp_path / "b", divide_by=2.0)))),
    ]
    assert len({same, *(scorer.fingerprint for scorer in others)}) == 1 + len(others)
