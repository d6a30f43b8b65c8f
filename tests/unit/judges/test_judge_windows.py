"""A log in parts: nothing is dropped, nothing is asked twice, every part fits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core.keys import document_keys
from trace_core.records import Document, Log
from trace_core.scorers import get_scorer
from trace_pipeline.judges.merge import annotate
from trace_pipeline.judges.schema import Answer, Support
from trace_pipeline.judges.windows import Sentences, Window, prompt_tokens, split_windows, tokens

CONTEXT = 2_000
sentence_texts = st.one_of(st.text(min_size=1, max_size=40), st.text("ab ", min_size=1, max_size=900))
documents = st.lists(st.lists(sentence_texts, max_size=12), max_size=8)


def sentences_of(
    texts: list[list[str]], response: tuple[str, ...] = ("It runs.", "It is blue.")
) -> Sentences:
    """The sentences of a log that brings its own."""
    made = tuple(Document(" ".join(part), sentences=tuple(part)) for part in texts)
    return Sentences.of(Log("l", "How?", made, " ".join(response), response_sentences=response))


@settings(max_examples=60, deadline=None)
@given(documents)
def test_every_document_sentence_is_in_exactly_one_window(texts: list[list[str]]) -> None:
    """In order, whole keys, and each window's prompt fits the context."""
    sentences = sentences_of(texts)
    windows = split_windows(sentences, CONTEXT)
    assert windows is not None
    asked = [key for window in windows for key in window.keys]
    assert asked == list(document_keys(sentences.counts))
    for window in windows:
        message = window.message(sentences)
        assert prompt_tokens(message) <= CONTEXT
        lines = message.split("\n")
        shown = [line[1 : line.index("]")] for line in lines if line.startswith("[")]
        assert shown == [*window.keys, "a", "b"]
        assert "\nHow?\n" in message
    assert len({window.content_hash("f" * 64) for window in windows}) == len(windows)
    assert all(window.whole == (len(windows) == 1) for window in windows)


def test_a_document_that_fits_is_not_split() -> None:
    """Three documents of a third of the room and more make a window each, or two in one."""
    sentences = sentences_of([["word " * 60] * 4, ["word " * 60] * 4, ["x."]])
    windows = split_windows(sentences, CONTEXT)
    assert windows is not None
    assert [{key[0] for key in window.keys} for window in windows] == [{"0"}, {"1", "2"}]


def test_a_sentence_longer_than_the_context_is_not_cut() -> None:
    """It is refused as a whole; so is a response or a question that fills the prompt alone."""
    assert split_windows(sentences_of([["word " * 3_000]]), CONTEXT) is None
    assert split_windows(sentences_of([["x."]], ("word " * 3_000,)), CONTEXT) is None


def test_without_documents_there_is_one_window() -> None:
    """Question and response are asked about all the same."""
    assert split_windows(sentences_of([]), CONTEXT) == [Window((), whole=True)]


def test_sentences_and_keys_are_those_of_the_default_scorer() -> None:
    """Whoever shows a key finds the same sentence."""
    log = Log("l", "Q?", (Document("Dr. Ray left. Why?\n- One\n- Two"), Document("")), "Yes. No!")
    sentences = Sentences.of(log)
    found = get_scorer("lexical").sentences(log)
    assert [tuple(text for _, text in document) for document in sentences.documents] == list(found.documents)
    assert sentences.response == (("a", "Yes."), ("b", "No!"))
    assert sentences.counts == (4, 0)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("The pump runs at 20 bar and is checked every morning by the operator on duty.", 17),
        ("水泵每天早上由值班人员检查。", 14),
        ('{"a":[1,2,3]}', 10),
        ("Der Rohrleitungsdruck beträgt 20 bar.", 10),
        ("पंप सुबह चलता है।", 12),
        ("ፓምፑ በየቀኑ ጠዋት በተረኛ ሠራተኛ ይመረመራል።", 73),
        ("👩‍🔧🚒🔥💧✅❌", 20),
        ("QWxhZGRpbjpvcGVuIHNlc2FtZQ==aGVsbG8gd29ybGQ", 30),
        ("", 0),
    ],
)
def test_the_estimate_of_tokens_is_on_the_high_side(text: str, least: int) -> None:
    """Not less than common tokenizers need for such texts."""
    assert tokens(text) >= least


def test_a_text_of_another_split_has_another_hash() -> None:
    """Verdicts are by sentence: the same words split otherwise are another question."""
    assert sentences_of([["a", "b"]]).content_hash() != sentences_of([["a"], ["b"]]).content_hash()
    assert (
        sentences_of([["a"]]).content_hash()
        != sentences_of([["a"]], ("It runs. It is blue.",)).content_hash()
    )
    assert len(sentences_of([["\ud800"]]).content_hash()) == 64


def test_other_texts_must_be_as_many() -> None:
    """A redaction that loses a text would shift all after it."""
    sentences = sentences_of([["a", "b"]])
    assert sentences.replaced(sentences.texts()) == sentences
    with pytest.raises(ValueError, match="as many"):
        sentences.replaced(["one"])


def _answer(relevant: str, unsupported: str, supporting: str, why: str) -> Answer:
    return Answer(
        all_relevant_sentence_keys=tuple(relevant.split()),
        all_utilized_sentence_keys=tuple(relevant.split()),
        sentence_support_information=tuple(
            Support(
                response_sentence_key=key,
                explanation=why,
                supporting_sentence_keys=() if key in unsupported.split() else tuple(supporting.split()),
                fully_supported=key not in unsupported.split(),
            )
            for key in ("a", "b")
        ),
        unsupported_response_sentence_keys=tuple(unsupported.split()),
    )


def test_answers_about_windows_are_merged_by_key() -> None:
    """Relevant in one is relevant; supported by one is supported, for its reason; order is key order."""
    sentences = sentences_of([["a", "b"], ["c"]])
    windows = [Window(("0a", "0b"), False), Window(("1a",), False)]
    answers = [_answer("0b. 0a 1a", "a b", "0a", "first"), _answer("1a", "b", "1a 0a", "second")]
    merged = annotate(sentences, windows, answers, explanations=True)
    assert merged.relevant_keys == merged.utilized_keys == ("0a", "0b", "1a")
    assert merged.unsupported_keys == ("b",)
    first, second = merged.support
    assert (first.key, first.supported, first.supporting_keys, first.reason) == ("a", True, ("1a",), "second")
    assert (second.key, second.supported, second.supporting_keys, second.reason) == ("b", False, (), "first")
    assert {entry.reason for entry in annotate(sentences, windows, answers, explanations=False).support} == {
        ""
    }
