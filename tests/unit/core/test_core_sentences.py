"""Splitting into sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core.language import guess_language, language_tag
from trace_core.refusals import response_kind
from trace_core.sentences import given_sentences, sentence_texts, split_sentences
from trace_core.stopwords import stop_words_of
from trace_core.words import words


def texts(text: str, language: str | None = None) -> list[str]:
    """Only the texts."""
    return [s.text for s in split_sentences(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("Dr. Ray came. He left.", ["Dr. Ray came.", "He left."]),
        ("Version 3.5 is out.", ["Version 3.5 is out."]),
        ("A wrapped\nline of prose. More.", ["A wrapped\nline of prose.", "More."]),
        ("# Title\nText here.\r\n\r\nNext.", ["# Title", "Text here.", "Next."]),
        (
            "Steps:\n1. Open it.\n2) Close it.\n- Rest\n* Sleep",
            ["Steps:", "1. Open it.", "2) Close it.", "- Rest", "* Sleep"],
        ),
        ("| a | b |\n|---|---|\n| 1 | 2. Two |", ["| a | b |", "| 1 | 2. Two |"]),
        ("Code:\n```python\nx = 1. / 2\ny()\n```\nDone.", ["Code:", "x = 1. / 2", "y()", "Done."]),
        ("---\nText.\n***", ["Text."]),
        ("One.\rTwo.\r- Three", ["One.", "Two.", "- Three"]),
        ("今日は。元気ですか？はい！", ["今日は。", "元気ですか？", "はい！"]),
        ("यह है। वह था॥ ठीक?", ["यह है।", "वह था॥", "ठीक?"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        ("「はい。」彼は言った。", ["「はい。」", "彼は言った。"]),
    ],
)
def test_sentences_are_found(text: str, expected: list[str]) -> None:
    """Prose, markdown, code, line ends and scripts."""
    assert texts(text) == expected


def test_thai_is_split_at_the_spaces_that_end_a_clause() -> None:
    """A short phrase stays with what follows it."""
    long = "เครื่องนี้ต้องชาร์จแบตเตอรี่ให้เต็มก่อนใช้งานครั้งแรกเสมอ"
    assert texts(f"{long} {long}") == [long, long]
    assert texts("สวัสดี ครับ") == ["สวัสดี ครับ"]


def test_given_sentences_are_kept_and_found() -> None:
    """In order, also when one repeats, and marked when not found."""
    found = given_sentences("A b. A b. C.", ["A b.", "A b.", "X.", "C."])
    assert [(s.start, s.end) for s in found] == [(0, 4), (5, 9), (-1, -1), (10, 12)]


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        st.sampled_from("ab .!?\n\r\"'()[]。！？¿¡…-#|`*1\u0301\u200b\t\x00\x0bא،؟۔।ก \ud800😀")
        | st.characters(exclude_categories=()),
        max_size=60,
    )
)
def test_sentences_lie_in_order_in_the_text_and_lose_no_word(text: str) -> None:
    """Offsets point at the sentence; every word is in some sentence."""
    sentences = split_sentences(text)
    position = 0
    for sentence in sentences:
        assert position <= sentence.start < sentence.end <= len(text)
        piece = text[sentence.start : sentence.end]
        assert len(piece) == len(sentence.text)
        if "\ufffd" not in sentence.text:
            assert piece == sentence.text
        position = sentence.end
    assert split_sentences(text) == sentences
    assert sentence_texts(text) == tuple(s.text for s in sentences)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_words_hold_only_letters_digits_and_marks(text: str) -> None:
    """Words are case-folded, not empty, and do not depend on the composition of letters."""
    import unicodedata

    found = words(text)
    assert all(found)
    assert found == words(unicodedata.normalize("NFD", text)) or not text.isprintable()


def test_words_by_hand() -> None:
    """Apostrophes and hyphens separate; marks stay; unspaced scripts are cut in pieces."""
    assert words("Don't RE-start_it, 3.5 ÄPFEL!") == ["don", "t", "re", "start", "it", "3", "5", "äpfel"]
    assert words("हिन्दी में") == ["हिन्दी", "में"]
    assert words("东京 iPhone15を") == ["东京", "iphone15", "を"]
    assert words("१५० ٣ ８") == ["150", "3", "8"]
    assert words("ปี๒๕๖๐") == ["ปี", "2560"]
    assert words("फ़ोन पहुँची") == words("फोन पहुंची")
    assert words("กขคง") == ["กขค", "ขคง"]
    assert words("e\u0301te\u0301") == ["été"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The battery is in the box and it has to be charged", "en"),
        ("Der Akku ist in der Box und muss geladen werden", "de"),
        ("La batería está en la caja y se tiene que cargar", "es"),
        ("La batterie est dans la boîte et il faut la charger", "fr"),
        ("バッテリーは箱の中にあります", "ja"),
        ("电池在盒子里", "zh"),
        ("배터리는 상자 안에 있습니다", "ko"),
        ("แบตเตอรี่อยู่ในกล่อง", "th"),
        ("बैटरी डिब्बे में है", "hi"),
        ("البطارية في الصندوق", "ar"),
        ("xyzzy 42", "und"),
        ("", "und"),
    ],
)
def test_languages_are_guessed(text: str, expected: str) -> None:
    """From the script, else from stop words."""
    assert guess_language(text, words(text)) == expected


def test_named_languages_become_tags() -> None:
    """Tags, regional tags and names; anything else is no tag."""
    assert [
        language_tag(n) for n in ("de", "de-CH", "pt_BR", "German", " EN ", "", None, "und", "klingon!")
    ] == (["de", "de", "pt", "de", "en", None, None, None, None])


def test_stop_words_are_cut_like_other_text() -> None:
    """Known languages have lists, unknown ones none."""
    assert "the" in stop_words_of("en") and "computer" not in stop_words_of("en")
    assert "der" in stop_words_of("de")
    assert stop_words_of("zz") == frozenset()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The documents do not mention a price.", "refusal"),
        ("I don't know.", "refusal"),
        ("I cannot answer this question. The context gives no details.", "refusal"),
        ("There is no information about that.", "refusal"),
        ("Dazu gibt es keine Informationen.", "refusal"),
        ("Das wird nicht erwähnt.", "refusal"),
        ("Die Steuernummer muss nicht angegeben werden.", "answer"),
        ("The insurance does not cover flood damage.", "answer"),
        ("The text does not say when.", "refusal"),
        ("Im Preis ist das Frühstück nicht enthalten.", "answer"),
        ("Das ist in den Dokumenten nicht enthalten.", "refusal"),
        ("La salsa no contiene azúcar.", "answer"),
        ("El texto no dice nada sobre eso.", "refusal"),
        ("Le sirop ne contient pas de sucre.", "answer"),
        ("Le document ne contient pas la réponse.", "refusal"),
        ("Nicht angegeben werden muss die Steuernummer.", "answer"),
        ("Der Preis braucht nicht genannt zu werden.", "answer"),
        ("Das geht aus den Dokumenten nicht hervor.", "refusal"),
        ("Ich kann diese Frage anhand der Dokumente nicht beantworten.", "refusal"),
        ("Das weiß ich leider nicht.", "refusal"),
        ("Der Preis ist nicht hoch.", "answer"),
        ("Los documentos no mencionan el precio.", "refusal"),
        ("No se encuentra información sobre eso.", "refusal"),
        ("La información no responde a la pregunta.", "refusal"),
        ("No hay que pagar nada.", "answer"),
        ("Le contexte ne permet pas de répondre à cette question.", "refusal"),
        ("Cette information n'est pas disponible.", "refusal"),
        ("Il n'y a pas suffisamment d'informations pour répondre.", "refusal"),
        ("Il ne faut pas attendre.", "answer"),
        ("संदर्भ में इस प्रश्न का उत्तर नहीं है।", "refusal"),
        ("वह नहीं आया।", "answer"),
        ("Les documents ne mentionnent pas le prix.", "refusal"),
        ("文書には記載されていません。", "refusal"),
        ("文档中没有提到价格。", "refusal"),
        ("इसकी जानकारी नहीं है।", "refusal"),
        ("ไม่พบข้อมูล", "refusal"),
        ("It costs 5 euros.", "answer"),
        ("It costs 5 euros. The documents do not mention taxes.", "answer"),
        ("The documents do not mention it. It costs 5. It is red. It is big.", "answer"),
        ("Do not open the lid.", "answer"),
        ("You cannot return opened items.", "answer"),
        ("", "empty"),
    ],
)
def test_refusals_are_told_from_answers(text: str, kind: str) -> None:
    """A refusal declines first and mostly."""
    assert response_kind(texts(text)) == kind
