"""The lexical scorer: ranges, monotone support, order, extremes, and the parts it is made of."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core import Document, Evaluation, Log, evaluate, get_scorer
from trace_core.aggregates import METRICS
from trace_core.scorers.lexical import LexicalScorer, model, overlap, reading, scorer, vocabulary
from trace_core.scorers.lexical.features import DOCUMENT_FEATURES, SUPPORT_FEATURES
from trace_core.scorers.lexical.layout import Groups
from trace_core.scorers.lexical.sets import choose
from trace_core.words import words

TOWER = "The tower was built in 1889. It stands in Paris. Gustave Eiffel designed it."
GARDEN = "Roses need water every morning. They grow in warm gardens."


def score(response: str, *documents: str, question: str = "When was the tower built?") -> Evaluation:
    """The evaluation of one answer."""
    return evaluate(question, response, documents, scorer="lexical")


def probabilities(result: Evaluation) -> list[float]:
    """The probabilities of the response sentences."""
    assert result.annotation is not None
    return [entry.probability or 0.0 for entry in result.annotation.support]


def test_a_supported_answer_beats_an_invented_one() -> None:
    """In probability and in the Boolean."""
    good = score("The tower was built in 1889.", TOWER, GARDEN)
    bad = score("Martians finished their pyramid around 1950 using purple lasers.", TOWER, GARDEN)
    assert (good.adherence, bad.adherence) == (1.0, 0.0)
    assert (good.adherence_probability or 0) > (bad.adherence_probability or 1)
    assert good.annotation is not None and bad.annotation is not None
    assert good.annotation.support[0].supporting_keys == ("0a",)
    assert good.annotation.relevant_keys == ("0a",) == good.annotation.utilized_keys
    assert "missing: martians, finished, pyramid" in bad.annotation.support[0].reason


def test_the_values_come_from_the_annotation() -> None:
    """The four metrics are what its keys give."""
    from trace_core import score_annotation

    result = score("The tower was built in 1889. It is purple. Roses need water.", TOWER, GARDEN)
    assert result.annotation is not None
    again = score_annotation(result.annotation)
    assert [getattr(again, m) for m in METRICS] == [getattr(result, m) for m in METRICS]


def test_a_refusal_is_supported_and_a_kind_of_its_own() -> None:
    """With and without documents."""
    for documents in ((TOWER,), ()):
        result = score("The documents do not mention that.", *documents)
        assert (result.response_kind, result.adherence) == ("refusal", 1.0)


def test_a_claim_without_documents_is_unsupported() -> None:
    """Adherence has a value; the shares are undefined."""
    result = score("It was built in 1889 by a company.")
    assert result.adherence == 0.0
    assert result.undefined == dict.fromkeys(("relevance", "utilization", "completeness"), "no_documents")
    blank = score("It was built in 1889 by a company.", "", " ")
    assert blank.undefined["relevance"] == "no_document_sentence"


def test_a_response_without_sentences_has_no_adherence() -> None:
    """A rule of dashes says nothing."""
    result = score("---", TOWER)
    assert (result.adherence, result.adherence_probability) == (None, None)
    assert result.undefined["adherence"] == "no_response_sentence"


WORDS = [
    "tower",
    "built",
    "1889",
    "Paris",
    "roses",
    "need",
    "water",
    "the",
    "is",
    "not",
    "3",
    "alarm",
    "Ruhe",
    "und",
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    lambda w: " ".join(w).capitalize() + "."
)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4), TEXTS)
def test_more_documents_never_lower_the_probability_of_a_sentence(
    response: str, documents: list[str], more: str
) -> None:
    """A document added, or sentences added to the end of one."""
    before = probabilities(score(response, *documents))
    for richer in ([*documents, more], [*documents[:-1], f"{documents[-1] if documents else ''} {more}"]):
        after = probabilities(score(response, *richer))
        assert all(b <= a for b, a in zip(before, after, strict=True))


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), st.randoms())
def test_the_order_of_documents_does_not_matter(response: str, documents: list[str], random: object) -> None:
    """All values stay."""
    shuffled = list(documents)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = score(response, *documents), score(response, *shuffled)
    assert [getattr(one, m) for m in METRICS] == [getattr(two, m) for m in METRICS]
    assert one.adherence_probability == two.adherence_probability


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3), st.data())
def test_a_copied_response_is_adherent(documents: list[str], data: st.DataObject) -> None:
    """Whatever is copied."""
    result = score(data.draw(st.sampled_from(documents)), *documents)
    assert result.adherence == 1.0


@pytest.mark.parametrize("text", ["The tower was built in 1889.", "Paris.", "It is what it is.", "パリ。"])
def test_a_whole_document_that_is_repeated_is_used(text: str) -> None:
    """Whatever was asked: utilization and completeness do not contradict adherence."""
    result = score(text, text, question="What is the refund policy?")
    assert (result.adherence, result.utilization, result.completeness) == (1.0, 1.0, 1.0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), min_size=2, max_size=6))
def test_neither_order_nor_company_of_logs_matters(pairs: list[tuple[str, list[str]]]) -> None:
    """A log scores the same alone, in a batch and in a reversed batch."""
    logs = [
        Log(str(i), "What is built?", tuple(map(Document, documents)), response)
        for i, (response, documents) in enumerate(pairs)
    ]
    fresh = [LexicalScorer().score(log) for log in logs]
    used = get_scorer("lexical")
    assert list(used.score_many(logs)) == fresh
    assert list(used.score_many(reversed(logs))) == fresh[::-1]


ANY = st.text(st.characters(exclude_categories=()), max_size=40)


@settings(max_examples=200, deadline=None)
@given(ANY, ANY, st.lists(ANY, max_size=3))
def test_any_text_gives_values_in_range_or_reasons(
    question: str, response: str, documents: list[str]
) -> None:
    """Never an exception, never NaN."""
    result = score(response, *documents, question=question)
    assert result.status in ("scored", "skipped")
    for metric in METRICS:
        value = getattr(result, metric)
        assert (value is None) == (metric in result.undefined)
        assert value is None or 0.0 <= value <= 1.0
    if result.annotation and result.annotation.support:
        assert result.adherence_probability is not None and 0.0 <= result.adherence_probability <= 1.0
        assert all(0.0 <= p <= 1.0 for p in probabilities(result))


@pytest.mark.parametrize(
    ("response", "document", "other"),
    [
        ("Der Turm wurde 1889 gebaut.", "Der Turm wurde im Jahr 1889 gebaut.", "Rosen brauchen Wasser."),
        ("La torre se construyó en 1889.", "La torre fue construida en 1889.", "Las rosas necesitan agua."),
        (
            "La tour fut construite en 1889.",
            "La tour a été construite en 1889.",
            "Les roses ont besoin d'eau.",
        ),
        ("टावर १८८९ में बना था।", "यह टावर १८८९ में बना था।", "गुलाब को पानी चाहिए।"),
        ("タワーは1958年に完成しました。", "東京タワーは1958年に完成しました。", "猫は魚が好きです。"),
        ("สินค้าส่งคืนได้ภายในสามสิบวัน", "สินค้าส่งคืนได้ภายในสามสิบวันหลังซื้อ", "แมวชอบกินปลา"),
        ("بني البرج عام 1889.", "بني البرج عام 1889 في باريس.", "القطط تحب السمك."),
    ],
)
def test_other_languages_are_told_apart(response: str, document: str, other: str) -> None:
    """A supporting document raises the probability of a sentence."""
    assert probabilities(score(response, document))[0] > probabilities(score(response, other))[0]


@pytest.mark.parametrize(
    "text", ["\x00", "a\ud800b", "👩‍👩‍👧 🎉", "שלום עולם", "!!! ???", "x" * 1_000_000, "|a|\n|-|", "॥।"]
)
def test_extremes_are_survived(text: str) -> None:
    """As question, response and document."""
    for result in (
        score("An answer.", TOWER, question=text),
        score(text, TOWER),
        score("An answer.", text),
        score(text, text),
    ):
        assert result.status in ("scored", "skipped")


def test_large_logs_are_scored_or_left_with_a_reason() -> None:
    """Megabytes against a long answer; beyond the limit a named reason."""
    rows = [f"Row {i} holds the value {i * 7} of series {i % 13}." for i in range(30_000)]
    lexical = get_scorer("lexical")
    log = Log("1", "What does row 12 hold?", (Document(" ".join(rows)),), " ".join(rows[:200]))
    assert lexical.score(log).adherence == 1.0
    huge = lexical.score(replace(log, response=" ".join(rows[:3000])))
    assert (huge.status, huge.reason) == ("skipped", "too_much_to_compare")


def test_counting_in_parts_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded by working on some pairs at a time."""
    log = Log("1", "What is built?", (Document(f"{TOWER} {GARDEN}"), Document(TOWER)), f"{TOWER} {GARDEN}")
    expected = LexicalScorer().score(log)
    monkeypatch.setattr(overlap, "_PAIRS_AT_ONCE", 3)
    assert LexicalScorer().score(log) == expected


def test_one_broken_log_does_not_harm_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that cannot be read nor one that breaks the arithmetic."""
    good = [Log(str(i), "What is built?", (Document(TOWER),), "The tower was built.") for i in range(3)]
    unreadable = Log("x", None, (), "An answer.")  # type: ignore[arg-type]
    results = list(LexicalScorer().score_many([good[0], unreadable, good[1]]))
    assert [r.status for r in results] == ["scored", "failed", "scored"]
    assert list(LexicalScorer().score_many([None]))[0].status == "failed"  # type: ignore[list-item]  # noqa: RUF015

    def breaks(layout: object, words: object) -> object:
        if any("Poison." in r.response_sentences for r in layout.readings):  # type: ignore[attr-defined]
            raise ZeroDivisionError
        return real(layout, words)  # type: ignore[arg-type]

    real = scorer.measure
    monkeypatch.setattr(scorer, "measure", breaks)
    poison = replace(good[2], response="Poison.")
    statuses = [r.status for r in LexicalScorer().score_many([good[0], poison, good[1]])]
    assert statuses == ["scored", "failed", "scored"]


def test_vocabulary_and_cache_are_bounded_and_never_change_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million logs need no more memory than the limits allow."""
    logs = [
        Log(str(i), f"What is q{i}?", (Document(f"Word{i} is b{i}. {TOWER}"),), f"Word{i} is c{i}.")
        for i in range(60)
    ]
    expected = [LexicalScorer().score(log) for log in logs]
    monkeypatch.setattr(scorer, "MAX_SURFACES", 40)
    monkeypatch.setattr(reading, "_CACHE_WORDS", 1000)
    small = LexicalScorer()
    assert list(small.score_many(logs)) == expected
    assert sum(map(len, small._vocabularies.values())) < 40 + 48 * 5  # the limit, and a batch
    assert len(small._cache._kept) < 20
    assert list(small.score_many([logs[0], logs[0]])) == [expected[0]] * 2


def test_long_words_are_known_by_their_digest() -> None:
    """And two of them are still told apart."""
    read = vocabulary.Vocabulary("en", {}, 1.0)
    ids, _ = read.read(["a" * 100, "a" * 101, "a" * 100])
    assert len(set(ids.tolist())) == 2


LETTERS = st.text(st.sampled_from("abXY09 .,-'_\né漢กक"), max_size=40)


@settings(max_examples=200, deadline=None)
@given(st.lists(LETTERS, max_size=8))
def test_words_are_found_together_as_they_are_one_by_one(sentences: list[str]) -> None:
    """Whatever scripts stand side by side, and whatever was read before."""
    read = vocabulary.Vocabulary("en", {}, 1.0)
    for _ in range(2):
        ids, counts = read.read(sentences)
        assert ids.tolist() == [read[word] for sentence in sentences for word in words(sentence)]
        assert counts.tolist() == [len(words(sentence)) for sentence in sentences]


def test_a_crowded_table_of_words_finds_every_word() -> None:
    """Also words that differ in the last of sixteen letters, and none that it does not hold."""
    read = vocabulary.Vocabulary("en", {}, 1.0)
    sentence = " ".join([f"word{i}" for i in range(20_000)] + [f"abcdefghijklmno{i}" for i in range(10)])
    first, _ = read.read([sentence])
    again, _ = read.read([sentence])
    assert first.tolist() == again.tolist() and len(set(first.tolist())) == 20_010


def test_documents_that_repeat_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second time on they are kept; the values stay."""
    logs = [Log(str(i), f"What is {i}?", (Document(TOWER), Document(f"Only {i}.")), TOWER) for i in range(3)]
    scorer_ = LexicalScorer()
    results = [scorer_.score(log) for log in logs]
    assert [document[2] for document in scorer_._cache._kept] == [TOWER]  # type: ignore[index]
    assert results == [LexicalScorer(cached_words=0).score(log) for log in logs]
    monkeypatch.setattr(reading, "_REMEMBERED", 0)
    assert list(LexicalScorer().score_many(logs)) == results


def chosen(
    relevant: list[float], utilized: list[float], completeness: float
) -> tuple[list[int], list[int], int]:
    """The sets of one log, after one of another size: places of relevant and of used sentences."""
    first = [0.5, 0.25]
    both = [np.array([*first, *values]) for values in (relevant, utilized)]
    sets = choose(*both, np.array([0.5, completeness]), Groups.sized([2, len(relevant)]))
    r, u = (flags[2:].nonzero()[0].tolist() for flags in (sets.relevant, sets.utilized))
    assert (len(r), len(u)) == (sets.relevant_count[1], sets.utilized_count[1])
    return r, u, int(sets.both[1])


def test_sets_have_the_expected_counts() -> None:
    """Two of four are relevant, one is used, and it is one of the two."""
    assert chosen([0.875, 0.75, 0.25, 0.125], [0.75, 0.125, 0.125, 0.125], 0.5) == ([0, 1], [0], 1)
    relevant, utilized, both = chosen([1.0] * 3, [1.0] * 3, 0.0)
    assert both >= len(relevant) + len(utilized) - 3
    relevant, _, both = chosen([0.0] * 30, [0.0] * 30, 0.5)
    assert both <= len(relevant) <= 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 64), st.integers(0, 64)), min_size=1, max_size=12), st.floats(0, 1))
def test_sets_overlap_as_counted(pairs: list[tuple[int, int]], completeness: float) -> None:
    """For any probabilities."""
    r, u = ([value / 64 for value in column] for column in zip(*pairs, strict=True))
    relevant, utilized, both = chosen(r, u, completeness)
    assert len(set(relevant) & set(utilized)) == both
    assert abs(len(relevant) - sum(r)) <= 2.5
    assert abs(len(utilized) - sum(u)) <= 2.5


def test_the_weights_say_where_they_come_from() -> None:
    """Data, licence, attribution, rows, and every file's digest."""
    path = Path(model.__file__).with_name("weights.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    source = content["provenance"]
    assert source["licence_of_data"] == "CC-BY-4.0" and "CC-BY-4.0" in source["attribution"]
    assert source["rows"] > 0 and all(len(value) == 64 for value in source["files"].values())
    for name, coefficient in zip(SUPPORT_FEATURES, content["models"]["support"]["coefficients"], strict=True):
        assert coefficient >= 0.0 or not name.endswith("+")
    assert tuple(content["models"]["both"]["features"]) == DOCUMENT_FEATURES


def test_any_change_of_the_weights_changes_the_fingerprint() -> None:
    """Provenance alone does not."""
    path = Path(model.__file__).with_name("weights.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    base = LexicalScorer(model.LexicalModel.from_json(content)).fingerprint
    assert base == get_scorer("lexical").fingerprint
    content["provenance"] = {}
    assert LexicalScorer(model.LexicalModel.from_json(content)).fingerprint == base
    content["background"]["tower"] = 1
    assert LexicalScorer(model.LexicalModel.from_json(content)).fingerprint != base
    content["models"]["support"]["features"] = ["other"]
    with pytest.raises(ValueError, match="other features"):
        model.LexicalModel.from_json(content)


def test_two_processes_agree() -> None:
    """The same fingerprints and values whatever the hash seed."""
    code = (
        "import trace_core as t; r = t.evaluate('When was it built?', 'It was built in 1889. It is red.',"
        " ['The tower was built in 1889.', 'Roses need water.'], scorer='lexical');"
        "print(r, t.get_scorer('heuristic').fingerprint)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
