"""The sentences of a log: those it brings along, else those the splitter finds."""

from collections.abc import Iterator

from trace_core.records import Document, Log
from trace_core.sentences import Sentence, given_sentences, sentence_texts, split_sentences


def document_sentences(document: Document, language: str | None = None) -> tuple[Sentence, ...]:
    """The sentences of a document with their places in its text."""
    if document.sentences is not None:
        return given_sentences(document.text, document.sentences)
    return split_sentences(document.text, language)


def response_sentences(log: Log, language: str | None = None) -> tuple[Sentence, ...]:
    """The sentences of a response with their places in it."""
    if log.response_sentences is not None:
        return given_sentences(log.response, log.response_sentences)
    return split_sentences(log.response, language)


def document_texts(log: Log, language: str | None = None) -> Iterator[tuple[str, ...]]:
    """The texts of the sentences of each document, in order."""
    for document in log.documents:
        if document.sentences is not None:
            yield document.sentences
        else:
            yield sentence_texts(document.text, language)


def response_texts(log: Log, language: str | None = None) -> tuple[str, ...]:
    """The texts of the sentences of the response, in order."""
    if log.response_sentences is not None:
        return log.response_sentences
    return sentence_texts(log.response, language)
