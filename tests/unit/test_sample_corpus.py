"""The texts of the sample traffic."""

from collections import Counter
from itertools import chain

import pytest

from trace_core.sentences import sentence_texts
from trace_core.words import words
from trace_pipeline.sample.library import KINDS, LANGUAGES, Question, pages, questions

ALL_QUESTIONS = tuple(chain.from_iterable(questions().values()))
ALL_PAGES = tuple(chain.from_iterable(pages(language) for language in LANGUAGES))


def covered(sentence: str, texts: list[str]) -> float:
    known = {word for text in texts for word in words(text)}
    own = words(sentence)
    return sum(word in known for word in own) / len(own)


def test_the_corpus_is_large_enough() -> None:
    """There are at least 40 documents and 150 questions, in three languages."""
    assert len(ALL_PAGES) >= 40
    assert len(ALL_QUESTIONS) >= 150
    assert all(len(questions()[language]) >= 30 for language in LANGUAGES)


def test_nothing_is_there_twice() -> None:
    """Ids and texts of documents and ids of questions are unique."""
    for values in ([p.id for p in ALL_PAGES], [p.text for p in ALL_PAGES], [q.id for q in ALL_QUESTIONS]):
        assert [value for value, times in Counter(values).items() if times > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_have_five_to_fifteen_sentences(language: str) -> None:
    """A document is a page of a handbook, neither a line nor a book."""
    for page in pages(language):
        assert 5 <= len(sentence_texts(page.text, language)) <= 15, page.id


def test_japanese_documents_put_no_spaces_between_words() -> None:
    """One language of the corpus has no spaces between words, as splitters must cope with that."""
    for page in pages("ja"):
        assert page.text.count(" ") <= 5, page.id  # "Velmora Hub", "Windows 10"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_has_everything_a_log_needs(language: str) -> None:
    """Every question has wordings, a ground truth, retrievals of three to five documents, several answers."""
    for question in questions()[language]:
        check(question)


def check(question: Question) -> None:
    assert len(question.wordings) >= 2
    assert question.ground_truth
    for kind in KINDS:
        assert len(question.answers[kind]) >= 2, kind
    for found in question.retrieved + question.missed:
        assert 3 <= len(found) <= 5
        assert len({page.id for page in found}) == len(found)
        assert {page.id.split("/")[0] for page in found} == {question.language}
    assert all(question.page in found for found in question.retrieved)
    assert all(question.page not in found for found in question.missed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_are_one_to_four_sentences_long(language: str) -> None:
    """Answers read like those of an assistant: short, and of different lengths."""
    lengths = Counter(
        len(sentence_texts(answer, language))
        for question in questions()[language]
        for answers in question.answers.values()
        for answer in answers
    )
    assert set(lengths) <= {1, 2, 3, 4}
    assert lengths[1] and lengths[2] and lengths[3]


@pytest.mark.parametrize("language", LANGUAGES)
def test_grounded_answers_come_from_the_document(language: str) -> None:
    """Each sentence of a grounded answer finds at least half of its words in the page that answers."""
    for question in questions()[language]:
        for answer in question.answers["grounded"]:
            for sentence in sentence_texts(answer, language):
                assert covered(sentence, [question.page.text]) >= 0.5, sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_bad_answers_do_not_come_from_the_documents(language: str) -> None:
    """A half-supported or invented answer has a sentence with less than half of its words in the page."""
    for question in questions()[language]:
        for answer in question.answers["half"] + question.answers["invented"]:
            sentences = sentence_texts(answer, language)
            assert min(covered(sentence, [question.page.text]) for sentence in sentences) < 0.5, answer
