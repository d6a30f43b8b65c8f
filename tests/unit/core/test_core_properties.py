"""What holds for both scorers whatever the texts, through the public API."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core import METRICS, REASONS, Document, Evaluation, Log, evaluate, get_scorer

BOTH = pytest.mark.parametrize("name", ["heuristic", "lexical"])
WORDS = (
    "tower built 1889 Paris roses need water the is not never 3 4.5 alarm Ruhe und der größte niño está où "
    "हिन्दी टावर башня построена ברוך המגדל البرج بني 東京タワー 长城 สินค้าส่งคืน 🎉 👩‍👩‍👧 U.S. don't x-ray"
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(lambda w: " ".join(w) + ".")
TEXTS = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)
DOCUMENTS = st.lists(TEXTS, max_size=4)
ANY = st.text(st.characters(exclude_categories=()), max_size=30)
ANYTHING = ANY | TEXTS
LANGUAGES = st.sampled_from([None, "en", "de", "es", "fr", "hi", "ja", "ar", "he", "th", "xx", "klingon!"])


def log(question: str, response: str, documents: Sequence[str], number: int = 0) -> Log:
    """A log named by its number."""
    return Log(str(number), question, tuple(map(Document, documents)), response)


def values(result: Evaluation) -> list[float | None]:
    """The five metrics, and the adherence probability."""
    return [*(getattr(result, metric) for metric in METRICS), result.adherence_probability]


def check(result: Evaluation) -> None:
    """Each value lies in its range or is undefined with a reason that has a sentence."""
    assert result.status in ("scored", "skipped")
    assert (result.reason is None) == (result.status == "scored")
    assert result.reason is None or result.reason in REASONS
    assert set(result.undefined) == {metric for metric in METRICS if getattr(result, metric) is None}
    assert set(result.undefined.values()) <= set(REASONS)
    for value in values(result):
        assert value is None or 0.0 <= value <= 1.0
    assert result.adherence in (None, 0.0, 1.0)
    if result.annotation is None:
        assert result.status == "skipped"
        return
    clean, dropped = result.annotation.cleaned()
    assert clean == result.annotation and not any(dropped.values())
    for entry in result.annotation.support:
        assert entry.probability is None or 0.0 <= entry.probability <= 1.0
        assert entry.reason


@BOTH
@settings(max_examples=80, deadline=None)
@given(question=ANYTHING, response=ANYTHING, documents=st.lists(ANYTHING, max_size=3), language=LANGUAGES)
def test_any_text_gives_values_in_range_or_a_reason(
    name: str, question: str, response: str, documents: list[str], language: str | None
) -> None:
    """Never an exception, NaN, or an unknown sentence key."""
    check(evaluate(question, response, documents, scorer=name, language=language))


@BOTH
@settings(max_examples=40, deadline=None)
@given(question=TEXTS, response=TEXTS, truth=st.none() | ANYTHING, documents=DOCUMENTS)
def test_a_ground_truth_keeps_values_in_range(
    name: str, question: str, response: str, truth: str | None, documents: list[str]
) -> None:
    """With and without one."""
    check(evaluate(question, response, documents, ground_truth=truth, scorer=name))


@BOTH
@settings(max_examples=50, deadline=None)
@given(question=TEXTS, response=TEXTS, documents=st.lists(TEXTS, min_size=2, max_size=4), data=st.data())
def test_the_order_of_documents_does_not_matter(
    name: str, question: str, response: str, documents: list[str], data: st.DataObject
) -> None:
    """Every value stays, and so does what is supported."""
    order = data.draw(st.permutations(range(len(documents))))
    one = evaluate(question, response, documents, scorer=name)
    two = evaluate(question, response, [documents[i] for i in order], scorer=name)
    assert values(one) == values(two)
    assert one.annotation is not None and two.annotation is not None
    assert one.annotation.unsupported_keys == two.annotation.unsupported_keys
    assert [e.probability for e in one.annotation.support] == [e.probability for e in two.annotation.support]


@BOTH
@settings(max_examples=25, deadline=None)
@given(parts=st.lists(st.tuples(ANYTHING, ANYTHING, DOCUMENTS), min_size=2, max_size=6), data=st.data())
def test_neither_order_nor_size_of_batches_matters(
    name: str, parts: list[tuple[str, str, list[str]]], data: st.DataObject
) -> None:
    """A log says the same alone, in one batch, in another order and cut in two batches."""
    scorer = get_scorer(name)
    logs = [log(*part, number) for number, part in enumerate(parts)]
    alone = [scorer.score(each) for each in logs]
    assert list(scorer.score_many(logs)) == alone
    order = data.draw(st.permutations(range(len(logs))))
    assert list(scorer.score_many([logs[i] for i in order])) == [alone[i] for i in order]
    cut = data.draw(st.integers(0, len(logs)))
    assert [*scorer.score_many(logs[:cut]), *scorer.score_many(logs[cut:])] == alone


@BOTH
@settings(max_examples=60, deadline=None)
@given(response=TEXTS, documents=DOCUMENTS, data=st.data())
def test_a_supporting_sentence_in_the_documents_never_lowers_support(
    name: str, response: str, documents: list[str], data: st.DataObject
) -> None:
    """As a document of its own or at the end of one: no probability falls, no supported sentence is lost."""
    before = evaluate("What was built?", response, documents, scorer=name)
    sentences = get_scorer(name).sentences(log("What was built?", response, documents)).response
    more = data.draw(st.sampled_from(sentences))
    richer = [[*documents, more]]
    if documents:
        richer.append([*documents[:-1], f"{documents[-1]}\n\n{more}"])
    for texts in richer:
        after = evaluate("What was built?", response, texts, scorer=name)
        assert before.annotation is not None and after.annotation is not None
        for old, new in zip(before.annotation.support, after.annotation.support, strict=True):
            assert new.supported >= old.supported
            assert (new.probability or 0.0) >= (old.probability or 0.0)
        assert (after.adherence or 0.0) >= (before.adherence or 0.0)
        assert (after.adherence_probability or 0.0) >= (before.adherence_probability or 0.0)


@BOTH
@settings(max_examples=50, deadline=None)
@given(question=TEXTS, documents=st.lists(TEXTS, min_size=1, max_size=4), data=st.data())
def test_a_response_copied_from_a_document_is_adherent(
    name: str, question: str, documents: list[str], data: st.DataObject
) -> None:
    """A whole document or one of its sentences; a copy without a word in it claims nothing."""
    chosen = data.draw(st.sampled_from(documents))
    sentences = get_scorer(name).sentences(log(question, chosen, documents)).response
    for copy in (chosen, data.draw(st.sampled_from(sentences))):
        result = evaluate(question, copy, documents, scorer=name)
        check(result)
        assert result.adherence == 1.0 or "adherence" in result.undefined


@BOTH
@settings(max_examples=30, deadline=None)
@given(question=ANYTHING, documents=DOCUMENTS, blank=st.text(" \t\r\n\u00a0\u2003\u3000", max_size=5))
def test_an_empty_response_is_skipped(name: str, question: str, documents: list[str], blank: str) -> None:
    """With its reason, and no value."""
    result = evaluate(question, blank, documents, scorer=name)
    assert (result.status, result.reason, result.response_kind) == ("skipped", "empty_response", "empty")
    assert values(result) == [None] * 6
    assert set(result.undefined) == set(METRICS)


@BOTH
@settings(max_examples=30, deadline=None)
@given(question=TEXTS, response=TEXTS, blanks=st.lists(st.text(" \n\t", max_size=3), max_size=3))
def test_an_empty_context_leaves_shares_undefined(
    name: str, question: str, response: str, blanks: list[str]
) -> None:
    """No document, or documents without a text: nothing is retrieved, relevant or used."""
    result = evaluate(question, response, blanks, scorer=name)
    check(result)
    if not blanks:
        assert {metric for metric, why in result.undefined.items() if why == "no_documents"} == {
            "relevance",
            "utilization",
            "completeness",
        }
    assert not result.relevance and not result.utilization


@BOTH
@settings(max_examples=30, deadline=None)
@given(
    question=TEXTS, response=TEXTS, context=st.lists(st.text(".,;:!?…-–|*#()[]{}<>=+/\\'\"~`^", max_size=20))
)
def test_a_context_without_any_letter_supports_nothing(
    name: str, question: str, response: str, context: list[str]
) -> None:
    """Punctuation and markup support what no document at all would support, by no sentence."""
    result = evaluate(question, response, context, scorer=name)
    check(result)
    nothing = evaluate(question, response, [], scorer=name)
    assert result.annotation is not None and nothing.annotation is not None
    for entry, bare in zip(result.annotation.support, nothing.annotation.support, strict=True):
        assert (entry.supported, entry.probability) == (bare.supported, bare.probability)
        assert not entry.supporting_keys or "holds no word" in entry.reason


LONG: dict[str, Any] = {"letter": "x", "letters": "añb", "digits": "12", "han": "語", "mark": "e\u0301"}


@BOTH
@pytest.mark.parametrize("kind", LONG)
def test_a_word_of_a_megabyte_is_a_word(name: str, kind: str) -> None:
    """As question, response and document; a copy of it is still found."""
    word = (LONG[kind] * (1_000_000 // len(LONG[kind].encode())))[:1_000_000]
    check(evaluate(word, "An answer.", ["A text."], scorer=name))
    check(evaluate("What?", word, ["A text."], scorer=name))
    check(evaluate("What?", "An answer.", [word], scorer=name))
    copy = evaluate("What?", word, [word], scorer=name)
    check(copy)
    assert copy.adherence == 1.0 or copy.status == "skipped"


SCRIPTS = {
    "emoji": (
        "Was it good? 🎉",
        "It was 🎉🎉 👩‍👩‍👧‍👦 great!",
        "Everybody said: 🎉🎉 👩‍👩‍👧‍👦 it was great!",
    ),
    "emoji alone": ("🎉?", "🎉🎉🎉", "🎉 🏳️‍🌈"),
    "right to left": ("متى بني البرج؟", "بني البرج عام 1889.", "بني البرج عام 1889 في باريس."),
    "hebrew": ("מתי נבנה המגדל?", "המגדל נבנה בשנת 1889.", "המגדל נבנה בשנת 1889 בפריז."),
    "marks of direction": ("\u202bWhen?\u202c", "\u2067In 1889.\u2069", "\u200fIn 1889.\u200e It opened."),
    "mixed": ("Когда 東京 tower بني?", "東京タワー был built عام 1958.", "東京タワー был built عام 1958 में."),
}


@BOTH
@pytest.mark.parametrize("kind", SCRIPTS)
def test_scripts_and_emoji_give_values(name: str, kind: str) -> None:
    """And what a document says in any of them is supported by it."""
    question, response, document = SCRIPTS[kind]
    for documents in ([document], [document, "Something else."], [], [""]):
        check(evaluate(question, response, documents, scorer=name))
    result = evaluate(question, response, [document], scorer=name)
    assert result.adherence == 1.0 or kind == "emoji alone"


@BOTH
@settings(max_examples=30, deadline=None)
@given(response=TEXTS, documents=DOCUMENTS)
def test_own_sentences_are_kept(name: str, response: str, documents: list[str]) -> None:
    """A log that brings the scorer's own sentences along scores as without them."""
    plain = replace(log("What was built?", response, documents), segments={"language": "en"})
    scorer = get_scorer(name)
    found = scorer.sentences(plain)
    given_log = replace(
        plain,
        documents=tuple(
            replace(d, sentences=s) for d, s in zip(plain.documents, found.documents, strict=True)
        ),
        response_sentences=found.response,
    )
    assert scorer.score(given_log) == scorer.score(plain)
