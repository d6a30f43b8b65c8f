"""Logs in many languages and of every nasty kind, the same in every process and Python version.

Nothing here uses `random`, whose sequences may change between versions: choices come from SHA-256.
"""

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from trace_core import Document, Log

#: language -> sentences that share words with each other, a question first.
TEXTS: Final = {
    "en": (
        "When was the old lighthouse in Dover built?",
        "The lighthouse was built in 1864 by Dr. Ray's company.",
        "It is 41.5 metres tall, and isn't open on Mondays.",
        "Visitors can't enter the tower without a ticket (from $12).",
        "The documents do not mention who painted the lighthouse.",
        "Because of storms, the lamp was replaced in 1902.",
    ),
    "de": (
        "Wie viele Straßen führen zum alten Leuchtturm?",
        "Zum Leuchtturm führen drei Straßen, die größte heißt Küstenweg.",
        "Der Turm wurde z. B. 1864 von Frau Müller entworfen.",
        "Dazu gibt es keine Angaben.",
        "Weil es stürmt, ist die größere Tür heute geschlossen.",
    ),
    "es": (
        "¿Dónde está el faro más antiguo?",
        "El faro más antiguo está en la costa norte, cerca de Gijón.",
        "Los documentos no mencionan el año.",
        "¡Nunca cierra! Está abierto porque hay tres guardianes.",
    ),
    "fr": (
        "Pourquoi le phare est-il fermé l'hiver ?",
        "Le phare est fermé parce qu'il y a trop de vent.",
        "L'œuvre de M. Dupré date de 1864 ; elle n'est pas mentionnée ici.",
        "Les visiteurs entrent dès neuf heures.",
    ),
    "hi": (
        "प्रकाशस्तंभ कब बना था?",
        "यह प्रकाशस्तंभ १८६४ में बना था।",
        "इसकी जानकारी नहीं है॥",
        "टिकट का मूल्य बारह रुपये है।",
    ),
    "ja": (
        "灯台はいつ建てられましたか？",
        "灯台は１８６４年に建てられました。",
        "文書には記載されていません。",
        "「はい。」と彼は言った！",
    ),
    "zh": (
        "灯塔是什么时候建的？",
        "灯塔建于1864年。",
        "文档中没有提到价格。",
        "游客可以在上午九点进入灯塔；门票十二元。",
    ),
    "th": (
        "ประภาคารสร้างเมื่อไร",
        "ประภาคารสร้างในปี 1864 โดยบริษัทแห่งหนึ่งในเมืองหลวง ผู้เข้าชมต้องซื้อบัตรก่อนเข้า",
        "ไม่พบข้อมูล",
    ),
    "ar": (
        "متى بُنيت المنارة؟",
        "بُنيت المنارة عام ١٨٦٤ في الميناء القديم.",
        "لا تذكر الوثائق السعر؛ والدخول مجاني۔",
    ),
    "he": ("מתי נבנה המגדלור?", "המגדלור נבנה בשנת 1864.", "שָׁלוֹם לַמְבַקְּרִים!"),
    "ru": (
        "Когда был построен маяк?",
        "Маяк был построен в 1864 г. на севере.",
        "Посетители входят с девяти часов.",
    ),
    "ko": ("등대는 언제 지어졌습니까?", "등대는 1864년에 지어졌습니다.", "입장료는 없습니다."),
    "el": ("Πότε χτίστηκε ο φάρος;", "Ο φάρος χτίστηκε το 1864.", "Ο ΦΆΡΟΣ ΕΊΝΑΙ ΚΛΕΙΣΤΌΣ."),
    "tr": ("Işık kulesi İstanbul'da mı?", "IŞIK KULESİ İSTANBUL'DADIR.", "Kule 1864'te yapıldı."),
    "fa": ("فانوس دریایی کی ساخته شد؟", "فانوس در سال ۱۸۶۴ ساخته شد و می\u200cدرخشد."),
}
#: Texts that break naive code.
NASTY: Final = (
    "",
    " \t\r\n",
    "\x00",
    "\x00.\x00",
    "half\ud800way. \udfff",
    "\ufeffBOM. \ufffe\uffff",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🎉!",
    "!!! ??? ... ---",
    "12 ½ ² ③ Ⅳ ٣ ३ 三",
    "ﬁle ﬀ ẞ ß ŉ ǰ ΐ İ ı",
    "e\u0301te\u0301 ne\u0323\u0307e, ne\u0307\u0323e",
    "\u202eright to left\u202c and \u2066isolates\u2069",
    "Mixed: дом and 家 и בית, बस 2 بيت.",
    "a\u200bb\u200cc\u200dd\u00ade",
    "\u0ba8\u0bbf \u0e33 \u1109\u1161\u11a8 각",
    "\U0001d400\U0001d7ce \U00020bb7\U0002f804",
    "# Head\r\n\r\n- one\r\n- two\r\r| a | b |\n|---|---|\n| 1 | 2 |\n```\nx = 1\n```\n> said. Yes.",
    "\u2028line\u2029paragraph\x85next\x0bvertical\x0cform",
    "a." * 300,
    "ab" * 4000,
    "no end " * 500,
    "। ॥ ؟ ۔ 。 ！ ？ ｡",
    "Z" + "\u0301\u0323" * 200 + "algo",
    "1,000.50 $1,000 1e9 3/4 10% 2026-01-02 12:30",
)


def _picks(seed: str) -> Iterator[int]:
    """Numbers below 2**16, without end."""
    block = 0
    while True:
        digest = hashlib.sha256(f"{seed}/{block}".encode()).digest()
        yield from (256 * a + b for a, b in zip(digest[::2], digest[1::2], strict=True))
        block += 1


def _log(name: str, texts: Sequence[str], others: Sequence[str], language: str | None) -> Log:
    """A log of some of these texts: said in part as it stands in a document, in part otherwise."""
    picks = _picks(name)

    def some(pool: Sequence[str], least: int, most: int) -> list[str]:
        count = least + next(picks) % (most - least + 1)
        return [pool[next(picks) % len(pool)] for _ in range(count)]

    documents = [Document(" ".join(some(texts, 1, 4))) for _ in range(next(picks) % 4)]
    documents += [Document("\n".join(some(others, 1, 2))) for _ in range(next(picks) % 2)]
    said = some(texts, 1, 3) + some(others, 0, 1)
    if next(picks) % 3 == 0:
        said = [unicodedata.normalize("NFD", text).upper() for text in said]
    given = tuple(said) if next(picks) % 4 == 0 else None
    if given and documents:
        documents[0] = Document(documents[0].text, sentences=tuple(some(texts, 1, 3)))
    truth = " ".join(some(texts, 1, 2)) if next(picks) % 4 == 1 else None
    segments = {"language": language} if language and next(picks) % 2 else {}
    return Log(name, texts[0], tuple(documents), " ".join(said), truth, segments, given)


def corpus() -> Iterator[Log]:
    """Some 450 logs: each language alone, each nasty text everywhere, languages mixed, one word of 1 MB."""
    everything = [text for texts in TEXTS.values() for text in texts]
    for language, texts in TEXTS.items():
        for number in range(12):
            yield _log(f"{language}-{number}", texts, everything, language)
    for number, text in enumerate(NASTY):
        yield Log(f"nasty-question-{number}", text, (Document(everything[1]),), everything[2])
        yield Log(f"nasty-response-{number}", everything[0], (Document(everything[1]),), text)
        yield Log(f"nasty-document-{number}", everything[0], (Document(text),), everything[1])
        yield Log(f"nasty-copy-{number}", text, (Document(text), Document(text)), text)
        for other in range(3):
            yield _log(f"nasty-mixed-{number}-{other}", (*NASTY[number:], text), everything, "xx")
    for number in range(80):
        yield _log(f"mixed-{number}", everything, NASTY, None)
    for word in ("x" * 1_000_000, "ß" * 500_000, "語" * 50_000):
        yield Log(f"word-{word[0]}", f"What is {word[:9]}?", (Document(word),), f"{word} and more.")
