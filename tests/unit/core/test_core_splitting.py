"""The sentences of a log: its own, else those of the splitter."""

from trace_core import Document, Log
from trace_core.splitting import document_sentences, document_texts, response_sentences, response_texts

TEXT = "One is here. Two is there."


def test_own_sentences_are_kept_and_others_found_with_their_places() -> None:
    """The texts are those of the sentences with places."""
    own = Log(
        "1",
        "Q?",
        (Document(TEXT, sentences=(TEXT,)), Document(TEXT)),
        TEXT,
        response_sentences=("One is here.",),
    )
    split = Log("2", "Q?", (Document(TEXT),), TEXT)
    assert [s.text for s in document_sentences(own.documents[0])] == [TEXT]
    assert [(s.start, s.end) for s in document_sentences(own.documents[1])] == [(0, 12), (13, 26)]
    assert [s.text for s in response_sentences(own)] == ["One is here."]
    assert [s.text for s in response_sentences(split)] == ["One is here.", "Two is there."]
    for log in (own, split):
        assert list(document_texts(log)) == [
            tuple(s.text for s in document_sentences(d)) for d in log.documents
        ]
        assert response_texts(log) == tuple(s.text for s in response_sentences(log))
