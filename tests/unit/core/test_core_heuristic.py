"""The word-level scorer on examples worked by hand."""

from functools import partial

import pytest

import trace_core
from trace_core import Document, Log, get_scorer

evaluate = partial(trace_core.evaluate, scorer="heuristic")

TOWER = "The tower was built in 1889. It stands in Paris. Gustave Eiffel's company designed it."
GARDEN = "Roses need water every morning."


def test_adherence_is_one_when_every_sentence_has_half_of_its_words_in_the_documents() -> None:
    """2 of 4 words ("the", "tower") are found: exactly half is enough."""
    assert evaluate("What?", "The tower glitters nightly.", [TOWER]).adherence == 1.0


def test_adherence_is_zero_below_half() -> None:
    """2 of 5 words are found."""
    assert evaluate("What?", "The tower glitters nightly forever.", [TOWER]).adherence == 0.0


def test_one_ungrounded_sentence_makes_the_whole_response_unsupported() -> None:
    """Adherence is never a fraction of the sentences."""
    result = evaluate(
        "What?", "The tower was built in 1889. It stands in Paris. Zebras eat purple cake.", [TOWER]
    )
    assert result.adherence == 0.0
    assert result.annotation is not None
    assert result.annotation.unsupported_keys == ("c",)


def test_words_are_counted_over_all_documents_together() -> None:
    """Half of the words come from each document."""
    assert evaluate("What?", "The tower. Roses need water.", [TOWER, GARDEN]).adherence == 1.0


def test_without_documents_a_claim_is_unsupported_and_shares_are_undefined() -> None:
    """An empty list of documents is readable."""
    result = evaluate("When was it built?", "It was built in 1889.", [])
    assert (result.status, result.adherence) == ("scored", 0.0)
    assert (result.relevance, result.utilization, result.completeness) == (None, None, None)
    assert set(result.undefined) == {"relevance", "utilization", "completeness"}
    assert set(result.undefined.values()) == {"no_documents"}
    assert result.average == 0.0


def test_relevance_is_the_share_of_documents_with_half_of_the_question() -> None:
    """Content words of the question: "tower", "built"; the first document holds both, the second none."""
    assert evaluate("When was the tower built?", "In 1889.", [TOWER, GARDEN]).relevance == 0.5


def test_utilization_is_the_share_of_documents_that_hold_half_of_some_sentence() -> None:
    """The one response sentence has the content words "roses", "need", "water"."""
    assert (
        evaluate("What do roses need?", "Roses need water.", [TOWER, GARDEN, "Nothing."]).utilization == 1 / 3
    )


def test_completeness_with_a_ground_truth_by_hand() -> None:
    """4 content words of 10 give 0.3 x 0.4; 3 of the 4 words of the truth occur and give 0.7 x 0.75."""
    result = evaluate(
        "When?", "The tower: built 1889, Paris.", [TOWER], ground_truth="tower built 1889 London"
    )
    assert result.completeness == pytest.approx(0.3 * 0.4 + 0.7 * 0.75)


def test_completeness_with_a_ground_truth_is_full_for_a_long_answer_that_holds_it() -> None:
    """Ten content words and every word of the truth give 1.0."""
    answer = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    assert evaluate("What?", answer, [TOWER], ground_truth="beta kappa").completeness == pytest.approx(1.0)


def test_a_ground_truth_without_words_is_none() -> None:
    """A blank reference must not make completeness undefined or zero."""
    assert evaluate("When was it?", "In 1889.", [TOWER], ground_truth=" ?! ").completeness == 0.7


@pytest.mark.parametrize(
    ("question", "holding", "lacking"),
    [
        ("When was the tower built?", "It was built in 1889.", "It was built by a company."),
        ("When does it close?", "On Monday at 10:30.", "It closes with a key."),
        ("Where is the tower?", "It stands in Paris.", "It is tall."),
        ("Where is the reset button?", "On the back of the device.", "It is red."),
        ("Who designed the tower?", "It was Gustave Eiffel.", "it was a company."),
        ("How many floors are there?", "There are 3 floors.", "There are floors."),
        ("How much does it cost?", "It costs twelve euros.", "It is cheap."),
        ("Why is it closed?", "Because of a storm.", "It is closed."),
        ("Can I return it?", "Yes, within a month.", "Shipping takes a while."),
        ("Is it open?", "It is not.", "It opens."),
        ("What is the tower made of?", "It is made of iron.", "The tower."),
        ("Wann wurde der Turm gebaut?", "Er wurde 1889 gebaut.", "Er wurde aus Eisen gebaut."),
        ("Warum ist er zu?", "Weil es stürmt.", "Er ist zu."),
        ("Wie viele Stockwerke hat er?", "Er hat drei Stockwerke.", "Er hat Stockwerke."),
        ("Wer hat den Turm entworfen?", "Es war Gustave Eiffel.", "es war eine firma."),
        ("Kann ich es zurückgeben?", "Ja, einen Monat lang.", "Der Versand dauert."),
        ("¿Cuándo se construyó?", "Se construyó en 1889.", "Se construyó de hierro."),
        ("¿Por qué está cerrado?", "Está cerrado porque llueve.", "Está cerrado."),
        ("¿Cuántos pisos tiene?", "Tiene tres pisos.", "Tiene pisos."),
        ("¿Puedo devolverlo?", "Sí, durante un mes.", "El envío tarda."),
        ("Quand a-t-elle été construite ?", "En 1889.", "En fer."),
        ("Pourquoi est-elle fermée ?", "Parce que le vent souffle.", "Elle est fermée."),
        ("Combien d'étages a-t-elle ?", "Elle a trois étages.", "Elle a des étages."),
        ("Est-ce que je peux le rendre ?", "Oui, pendant un mois.", "La livraison arrive."),
        ("La boîte est-elle vide ?", "Non, elle contient un câble.", "La boîte contient un câble."),
    ],
)
def test_completeness_without_ground_truth_asks_for_the_kind_of_answer(
    question: str, holding: str, lacking: str
) -> None:
    """0.7 for a response that holds the kind of answer, 0.3 for one that does not."""
    assert evaluate(question, holding, [TOWER]).completeness == 0.7
    assert evaluate(question, lacking, [TOWER]).completeness == 0.3


def test_a_refusal_holds_no_answer() -> None:
    """A refusal that happens to name a year is no date."""
    result = evaluate("When was it built?", "The documents do not mention when, not even 1889.", [TOWER])
    assert (result.response_kind, result.completeness) == ("refusal", 0.3)


def test_completeness_varies_over_varied_answers() -> None:
    """It is never stuck at one value."""
    answers = ["In 1889.", "Long ago.", "I don't know.", "It was finished in 1889 in Paris."]
    assert len({evaluate("When was it built?", a, [TOWER]).completeness for a in answers}) > 1


def test_average_is_the_mean_of_the_four() -> None:
    """Relevance 1, utilization 1, adherence 1, completeness 0.7."""
    result = evaluate("When was the tower built?", "The tower was built in 1889.", [TOWER])
    assert result.average == pytest.approx((1 + 1 + 1 + 0.7) / 4)


def test_an_empty_response_is_skipped() -> None:
    """Nothing was said, so nothing has a value."""
    result = evaluate("When?", " \n ", [TOWER])
    assert (result.status, result.reason, result.response_kind) == ("skipped", "empty_response", "empty")
    assert result.average is None
    assert result.undefined["adherence"] == "empty_response"


def test_missing_words_are_named() -> None:
    """The reason counts the words and names the missing content words."""
    result = evaluate("What?", "Zebras eat the tower cake.", [TOWER])
    assert result.annotation is not None
    assert result.annotation.support[0].reason == (
        "2 of 5 words occur in the documents; missing: zebras, eat, cake"
    )


def test_the_annotation_names_relevant_used_and_supporting_sentences() -> None:
    """The same rules, applied to single sentences."""
    result = evaluate("When was the tower built?", "The tower was built in 1889.", [GARDEN, TOWER])
    assert result.annotation is not None
    assert result.annotation.document_sentence_counts == (1, 3)
    assert result.annotation.relevant_keys == ("1a",)
    assert result.annotation.utilized_keys == ("1a",)
    assert result.annotation.support[0].supporting_keys == ("1a",)


@pytest.mark.parametrize(
    ("question", "response", "document", "other"),
    [
        (
            "タワーはいつ完成しましたか。",
            "タワーは1958年に完成しました。",
            "東京タワーは1958年に完成しました。",
            "猫は魚が好きです。",
        ),
        ("长城有多长？", "长城全长约两万公里。", "长城全长约两万公里，位于中国北方。", "苹果是一种水果。"),
        ("สินค้าส่งคืนได้ไหม", "สินค้าส่งคืนได้ภายในสามสิบวัน", "สินค้าส่งคืนได้ภายในสามสิบวันหลังซื้อ", "แมวชอบกินปลา"),
        ("टावर कब बना?", "टावर १८८९ में बना।", "यह टावर १८८९ में बना था।", "बिल्ली दूध पीती है।"),
        ("متى بني البرج؟", "بني البرج عام 1889.", "بني البرج عام 1889 في باريس.", "القطط تحب السمك."),
    ],
)
def test_other_scripts_are_grounded_by_their_words_and_not_trivially(
    question: str, response: str, document: str, other: str
) -> None:
    """A sentence of the document is grounded in it and not in an unrelated text."""
    assert evaluate(question, response, [document]).adherence == 1.0
    assert evaluate(question, response, [other]).adherence == 0.0


HOSTILE = [
    "",
    " ",
    "\x00",
    "a\ud800b",
    "👩‍👩‍👧 🎉",
    "שלום עולם",
    "!!! ???",
    "x" * 1_000_000,
    "|a|b|\n|-|-|",
    "\r\n\r\n",
    "॥।",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_makes_it_fail(text: str) -> None:
    """Every hostile text gives a value or a reason, as question, response and document."""
    for result in (
        evaluate(text, "An answer.", [TOWER]),
        evaluate("A question?", text, [TOWER]),
        evaluate("A question?", "An answer.", [text, TOWER]),
        evaluate(text, text, [text]),
    ):
        assert result.status in ("scored", "skipped")
        for metric in ("relevance", "utilization", "adherence", "completeness"):
            assert (getattr(result, metric) is None) == (metric in result.undefined)


@pytest.mark.no_cover  # nothing new is reached, and tracing would take it four times as long
def test_large_logs_are_scored() -> None:
    """Hundreds of documents and megabytes of text take seconds at most."""
    big = " ".join(f"Row {i} holds the value {i * 7}." for i in range(60_000))
    many = tuple(Document(f"Document {i} is about topic {i % 7}.") for i in range(900))
    log = Log("1", "What does row 12 hold?", (Document(big), *many), " ".join(big.split()[:6000]))
    assert get_scorer("heuristic").score(log).adherence == 1.0


def test_an_error_inside_is_an_evaluation_that_failed() -> None:
    """One broken record never ends a stream."""
    broken = Log("1", None, (), "An answer.")  # type: ignore[arg-type]
    good = Log("2", "What?", (), "An answer.")
    results = list(get_scorer("heuristic").score_many([broken, good]))
    assert [(r.log_id, r.status, r.reason) for r in results] == [
        ("1", "failed", "scorer_error"),
        ("2", "scored", None),
    ]


def test_score_many_streams() -> None:
    """It asks for a log only when the next result is wanted."""
    asked = []

    def logs() -> object:
        for i in range(3):
            asked.append(i)
            yield Log(str(i), "What?", (), "An answer.")

    stream = get_scorer("heuristic").score_many(logs())  # type: ignore[arg-type]
    assert next(stream).log_id == "0"
    assert asked == [0]
