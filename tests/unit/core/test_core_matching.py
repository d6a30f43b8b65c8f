"""The nearest document sentences of a response sentence, held against a rule that is written out."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core import Document, Log, get_scorer
from trace_core.scorers.lexical.matching import MatchingScorer

#: Words that are in no table and have no ending to be cut off: all weigh the same.
MADE_UP = "blorb frimp glax quom vrok zilt drup snarf klim wexo".split()
SENTENCE = st.lists(st.sampled_from(MADE_UP), min_size=1, max_size=6).map(" ".join)
LOGS = st.builds(
    lambda question, documents, said: Log(
        "log",
        question,
        tuple(Document(" ".join(d), sentences=tuple(d)) for d in documents),
        " ".join(said),
        response_sentences=tuple(said),
    ),
    SENTENCE,
    st.lists(st.lists(SENTENCE, min_size=1, max_size=4), max_size=4),
    st.lists(SENTENCE, min_size=1, max_size=4),
)
SCORER = MatchingScorer()


def share(said: str, found: str) -> float:
    """The share of the distinct words of one sentence that another one holds."""
    return len(set(said.split()) & set(found.split())) / len(set(said.split()))


@given(LOGS, st.integers(1, 6))
def test_the_nearest_sentences_hold_most_of_the_words(log: Log, count: int) -> None:
    """Then most of the question, then the first by text; each text once."""
    texts = {s for d in log.documents for s in d.sentences or ()}
    found = SCORER.match(log, count).nearest
    for said, nearest in zip(log.response_sentences or (), found, strict=bool(texts)):
        expected = sorted(texts, key=lambda text: (-share(said, text), -share(log.question, text), text))
        assert list(nearest) == expected[:count]


@given(LOGS, st.randoms(use_true_random=False))
def test_the_order_of_documents_and_copies_change_nothing(log: Log, random: Random) -> None:
    """What a retriever returns first, or twice, is no nearer."""
    mixed = [*log.documents, *log.documents[:1]]
    random.shuffle(mixed)
    assert SCORER.match(replace(log, documents=tuple(mixed)), 3).nearest == SCORER.match(log, 3).nearest


@given(LOGS)
def test_matching_scores_as_the_lexical_scorer_does(log: Log) -> None:
    """Same fingerprint, same values, and the sentences that the keys count."""
    matched = SCORER.match(log, 2)
    assert matched.evaluation == get_scorer("lexical").score(log)
    assert matched.sentences == SCORER.sentences(log)


def test_there_is_nothing_near_without_sentences() -> None:
    """No documents, empty ones, an empty response, a response without a sentence."""
    log = Log("log", "glax", (Document("blorb."),), "frimp.")
    assert SCORER.match(log, 2).nearest == (("blorb.",),)
    assert SCORER.match(replace(log, documents=()), 2).nearest == ()
    assert SCORER.match(replace(log, documents=(Document(" "),)), 2).nearest == ()
    assert SCORER.match(replace(log, response_sentences=()), 2).nearest == ()
    empty = SCORER.match(replace(log, response=" "), 2)
    assert (empty.evaluation.reason, empty.nearest) == ("empty_response", ())


def test_a_log_that_cannot_be_read_raises() -> None:
    """Whoever asks for pairs says what became of the log."""
    with pytest.raises(AttributeError):
        SCORER.match(Log("log", "q", (Document(None),), "Yes."), 2)  # type: ignore[arg-type]
