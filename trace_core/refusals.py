"""Responses that decline: "the documents do not say ..."."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from trace_core.digests import digest

ResponseKind = Literal["answer", "refusal", "empty"]

#: One expression a language, over case-folded text. What matches as `weak` is also said of other things ("the
#: price does not include breakfast"): it declines only in a sentence that names a source or what was asked.
_CUES: Final = (
    # English
    r"\b(?:do|does|did)(?: not|n['’]t) (?:explicitly |directly |specifically |actually |clearly )?"
    r"(?:mention|specify|state|address|discuss|have (?:any |enough |the )?info"
    r"|(?P<weak>provide|contain|say|include|give|offer|cover))"
    r"|\b(?:is|are|was|were)(?: not|n['’]t) (?:explicitly |directly |specifically )?"
    r"(?:mentioned|provided|specified|stated|available|included|addressed|discussed|given"
    r"|found) (?:in|by|within) (?:the|this|these|any|your)"
    r"|\bnot (?:explicitly |directly )?(?:mentioned|provided|specified|stated|found|available) in the "
    r"|\bi (?:do not|don['’]t) (?:know|have)\b|\bi (?:cannot|can['’]t|am unable to|['’]m unable to"
    r"|could not|couldn['’]t) "
    r"(?:answer|find|determine|provide|help|give|tell|locate)"
    r"|\b(?:cannot|can not|can['’]t|could not|impossible to) (?:be )?(?:answer|determin|establish|ascertain)"
    r"|\bunable to (?:answer|find|determine|provide|locate)"
    r"|\b(?:there is|there was|there are|contains?|provides?|have) no (?:\w+ )?(?:information|mention"
    r"|answer|details?|data)\b"
    r"|\b(?:insufficient|not enough) (?:information|context|evidence)",
    # German
    r"\b(?:keine (?:\w+ )?(?:information|informationen|angaben|angabe|hinweise|antwort|details)\b)"
    r"|\b(?:ich weiss (?:es |das |es leider |das leider )?nicht|weiss ich (?:es |das |leider )?nicht"
    r"|kann (?:ich )?(?:\w+ ){0,7}nicht (?:beantworten|beantwortet|sagen|finden))"
    r"|(?<!\bmuss )(?<!\bmüssen )(?<!\bdarf )(?<!\bdürfen )"  # "need not be stated" is an answer
    r"\bnicht (?:erwähnt|angegeben|genannt|beantwortet|ersichtlich|(?P<weak>enthalten))\b"
    r"(?! zu werden| werden (?:muss|müssen|darf|dürfen))"
    r"|\bgeht (?:\w+ ){0,6}nicht hervor",
    # Spanish
    r"\bno (?:se )?(?:menciona|mencionan|especifica|especifican"
    r"|(?P<weak>proporciona|proporcionan|contiene|contienen|indica|indican|incluye|dice))"
    r"|\bno (?:hay|tengo|existe|dispongo de|encuentro|encontré) (?:\w+ )?(?:información|datos"
    r"|detalles|respuesta)"
    r"|\bno se (?:encuentra|encuentran|encontró|dispone de) (?:\w+ )?(?:información|datos|detalles|respuesta)"
    r"|\bno responden? a (?:la|esta|esa|su) pregunta"
    r"|\b(?:no lo sé|no sé la|no puedo (?:responder|encontrar|determinar)|no es posible (?:responder"
    r"|determinar))",
    # French
    r"\bne (?:mentionne|mentionnent|précise|précisent"
    r"|(?P<weak>contient|contiennent|fournit|fournissent|donne|donnent|indique|indiquent|dit|disent))"
    r" (?:pas|aucun|rien)"
    r"|\bne (?:permet|permettent) pas (?:de|d['’]y) (?:répondre|déterminer|savoir)"
    r"|\bn['’]est pas (?:disponible|fourni|mentionné|présent)e? dans"
    r"|\bpas (?:suffisamment|assez) d['’]information"
    r"|\binformations? n['’](?:est|étaient|était) pas disponible"
    r"|\bje ne (?:sais pas|peux pas|trouve pas|dispose pas)|\bn['’](?:est|est donc) pas (?:mentionné"
    r"|précisé|indiqué|possible de (?:répondre|déterminer))"
    r"|\b(?:aucune|pas d['’]|pas de) (?:information|mention|réponse|détail)",
    # Hindi, Japanese, Chinese, Thai
    r"(?:जानकारी|उल्लेख|विवरण) (?:\S+ )?नहीं|(?:उत्तर|जवाब) नहीं (?:है|दे|मिल|दिया)"
    r"|नहीं (?:बताया|दिया) गया|मुझे नहीं पता"
    r"|記載(?:されて|が|は)(?:い?ません|ありません|いない|ない)|情報(?:が|は)(?:ありません|ない|見つかりません)"
    r"|(?:わかり|分かり)ません(?:でした)?。?$|(?:お)?答え(?:する)?(?:こと(?:が|は))?でき(?:ません|ない)"
    r"|没有(?:提到|提及|提供|说明|包含|相关|找到)|未(?:提及|提到|提供|说明)|無法回答|无法(?:回答|确定)|我不知道|不清楚"
    r"|ไม่(?:มี|พบ|ได้ระบุ|ได้กล่าว|ทราบ)(?:ข้อมูล|ถึง|คำตอบ)?",
)
#: Begins of words for a source, or for what was asked, in the languages that have weak cues.
_SOURCE: Final = re.compile(
    r"\b(?:document|context|passage|text|article|source|paragraph|excerpt|snippet|page|manual|stud(?:y|ies)|review"
    r"|report|reference|result|info|detail|data|answer|question|mention|specific|explicit|how|what|when|where"
    r"|which|whether|who|why"
    r"|dokument|kontext|artikel|quelle|abschnitt|unterlage|auszug|auszüge|angabe|antwort|frage"
    r"|texto|contexto|artículo|fuente|pasaje|fragmento|dato|respuesta|pregunta|cuándo|cuánt|quién|cómo|dónde"
    r"|cuál|qué|extrait|donnée|détail|réponse|quand|qui\b|comment|où|combien|pourquoi|quel)"
)
#: For each expression texts of which it always holds one: looking for them first is many times faster.
_HINTS: Final = (
    ("not", "n't", "n’t", "no ", "unable", "impossible", "insufficient"),
    ("kein", "nicht"),
    ("no ",),
    ("pas", "aucun", "rien"),
    ("नहीं", "ません", "ない", "没有", "未", "無法", "无法", "不知道", "不清楚", "ไม่"),
)
#: A part of every English cue. "not" is too common to be a good hint, and the cues are slow.
_ENGLISH_PART: Final = re.compile(
    r"(?:n(?:ot|['’]t)|no|unable to|impossible to|insufficient) (?:be |\w+ )?"
    r"(?:provid|contain|mention|sa[yi]|specif|includ|stat|address|giv|offer|discuss|cover|have|avail|found|find"
    r"|know|answer|determin|help|tell|locat|establish|ascertain|info|detail|data|context|evidence)"
)
_ANYTHING: Final = re.compile("")
_REFUSALS: Final = [
    (hints, part, re.compile(cue))
    for hints, part, cue in zip(_HINTS, (_ENGLISH_PART, *[_ANYTHING] * 4), _CUES, strict=True)
]
_LOOKED_AT: Final = 1_000  # characters of a sentence: a refusal says so at once
#: Part of every fingerprint: the rules' version and a digest of the cues.
REFUSAL_RULES: Final = "refusal-3 " + digest(
    _CUES, _HINTS, _SOURCE.pattern, _ENGLISH_PART.pattern, _LOOKED_AT
)


def is_refusal_sentence(sentence: str) -> bool:
    """Does this sentence say that the answer is not there?"""
    text = sentence[:_LOOKED_AT].casefold()
    for hints, part, cue in _REFUSALS:
        for hint in hints:
            if hint in text:
                if part.search(text) and _declines(cue, text):
                    return True
                break
    return False


def _declines(cue: re.Pattern[str], text: str) -> bool:
    return any(match.lastgroup != "weak" or _SOURCE.search(text) for match in cue.finditer(text))


def response_kind(sentences: Sequence[str]) -> ResponseKind:
    """`refusal` when the first sentence declines and at least half of all do; `empty` without sentences.

    Cues are known for English, German, Spanish, French, Hindi, Japanese, Chinese and Thai; refusals in other
    languages are taken for answers.
    """
    if not sentences:
        return "empty"
    if not is_refusal_sentence(sentences[0]):
        return "answer"
    declining = 1 + sum(map(is_refusal_sentence, sentences[1:]))
    return "refusal" if 2 * declining >= len(sentences) else "answer"
