"""What kind of answer a question asks for, and whether a response holds it.

Kinds are told apart in English, German, Spanish and French; a question in any other language, or of no kind
listed here, is `open`: it asks for an explanation, which is any content word that the question does not hold.
The first asking word of the question decides; a question that starts with a verb asks for a verdict.
These are surface cues: a response holds "a date" even when it is the wrong date.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from trace_core.digests import digest
from trace_core.stopwords import stop_words_of
from trace_core.words import words

Kind = Literal["date", "place", "person", "number", "reason", "verdict", "open"]

_ASKING: Final[Mapping[str, Mapping[Kind, str]]] = {
    "en": {
        "number": r"how (?:many|much|often|long|far|old|big|large|tall|high|heavy|fast)"
        r"|what (?:number|percentage)",
        "date": r"when|what (?:year|date|day|month|time)|which (?:year|date|day|month)",
        "place": r"where|(?:what|which) (?:city|country|place|town|state)",
        "person": r"who|whom|whose",
        "reason": r"why|how come|what (?:is|was) the reason",
    },
    "de": {
        "number": r"wie ?(?:viele?n?|oft|lange|weit|alt|gro(?:ß|ss)|hoch|schwer|schnell)",
        "date": r"wann|(?:welche[nms]?|in welche[mr]) (?:jahr|datum|tag|monat)|um wie ?viel uhr",
        "place": r"wo|wohin|woher|in welche[mr] (?:stadt|land|ort)",
        "person": r"wer|wen|wem|wessen",
        "reason": r"warum|weshalb|wieso|weswegen",
    },
    "es": {
        "number": r"cu[áa]nt[oa]s?|qu[ée] (?:cantidad|porcentaje)",
        "date": r"cu[áa]ndo|(?:qu[ée]|cu[áa]l es la) (?:año|fecha|d[íi]a|mes|hora)",
        "place": r"(?:a)?d[óo]nde|qu[ée] (?:ciudad|pa[íi]s|lugar)",
        "person": r"qui[ée]n(?:es)?",
        "reason": r"por qu[ée]|a qu[ée] se debe",
    },
    "fr": {
        "number": r"combien",
        "date": r"quand|quelle? (?:année|date|jour|mois|heure)",
        "place": r"où|quelle? (?:ville|pays|endroit|lieu)",
        "person": r"qui",
        "reason": r"pourquoi",
    },
}
_VERB_FIRST: Final[Mapping[str, str]] = {
    "en": "is are was were am do does did can could will would shall should has have had may might must "
    "isn aren wasn weren don doesn didn won",
    "de": "ist sind war waren bin kann können könnte darf dürfen muss müssen soll sollte hat haben hatte "
    "wird werden würde gibt gilt geht funktioniert lässt habe brauche braucht",
    "es": "es son está están era fue puede pueden puedo se hay tiene tienen tengo debe debo "
    "existe necesito funciona",
    "fr": "est sont était peut peuvent puis a ont avez faut doit dois existe y",
}
_VERDICT_PHRASE: Final = re.compile(r"est-ce que|\b(?:a|est|peut|faut|doit|existe)-(?:t-)?(?:il|elle|on)\b")

_MONTHS: Final = (
    "january|february|march|april|june|july|august|september|october|november|december"
    "|januar|februar|märz|mai|juni|juli|oktober|dezember"
    "|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    "|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    "|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DAYS: Final = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|tonight|midnight|noon"
    "|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|heute|morgen|gestern"
    "|lunes|martes|miércoles|jueves|viernes|sábado|domingo|hoy|mañana|ayer"
    "|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|aujourd|demain|hier"
)
_UNITS: Final = (
    "seconds?|minutes?|hours?|days?|weeks?|months?|years?|century|centuries|sekunden?|minuten?|stunden?|tagen?|wochen?"
    "|monaten?|jahren?|jahrhundert|segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|siglo|secondes?|heures?"
    "|jours?|semaines?|mois|ans?|années?|siècle"
)
_NUMBER_WORDS: Final = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundreds?|thousands?|millions?|once|twice"
    "|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|einmal|zweimal|millionen"
    "|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|ciento|mil|millones"
    "|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|cent|mille"
)
#: Over case-folded text.
_HOLDS: Final[Mapping[Kind, re.Pattern[str]]] = {
    "date": re.compile(
        rf"\b(?:1[0-9]|20|21)[0-9]{{2}}s?\b|\b[0-9]{{1,2}}[./-][0-9]{{1,2}}\b|\b[0-9]{{1,2}}:[0-9]{{2}}\b"
        rf"|\b[0-9]{{1,2}} ?(?:a\.?m|p\.?m|uhr|h)\b|\b(?:{_MONTHS}|{_DAYS})\b"
        rf"|\bmay [0-9]|\b[0-9]+(?:st|nd|rd|th)? (?:of )?may\b|\b(?:[0-9]+|{_NUMBER_WORDS}) (?:{_UNITS})\b"
    ),
    "number": re.compile(rf"[0-9]|\b(?:{_NUMBER_WORDS})\b"),
}
_REASON: Final[Mapping[str, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:because|since|due to|owing to|thanks to|as a result|so that|in order to|therefore|hence|thus"
        r"|reasons?|cause[sd]?|leads? to|led to)\b"
    ),
    "de": re.compile(
        r"\b(?:weil|da|denn|deshalb|daher|darum|deswegen|wegen|aufgrund|damit|grund|gründe|ursache)\b"
    ),
    "es": re.compile(
        r"\b(?:porque|debido|ya que|puesto que|por lo que|para que|motivos?|razón|razones|gracias a|causa)\b"
    ),
    "fr": re.compile(r"\b(?:car|en raison|afin|à cause|grâce à|raisons?|pour que)\b|\b(?:parce|puisqu)"),
}
_VERDICT: Final[Mapping[str, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:yes|no|not|never|cannot|indeed|correct|incorrect|true|false|possible|impossible)\b|n['’]t\b"
    ),
    "de": re.compile(r"\b(?:ja|nein|nicht|kein\w*|doch|nie|niemals|richtig|falsch|möglich|unmöglich)\b"),
    "es": re.compile(r"\b(?:sí|no|nunca|tampoco|cierto|falso|correcto|posible|imposible)\b"),
    "fr": re.compile(r"\b(?:oui|non|pas|jamais|aucun\w*|vrai|faux|possible|impossible)\b"),
}
_PLACE: Final = re.compile(
    r"\b(?:in|at|on|near|under|above|below|behind|inside|outside|beside|beneath|between|next to|im|am|auf|an"
    r"|unter|über|hinter|neben|vor|bei|nach|aus|en|sobre|bajo|detrás|junto|cerca|dentro|desde|dans|sur|sous"
    r"|derrière|à|au|aux"
    r"|près|chez|depuis|from|to|into|towards?)\s+(?![0-9])\w"
)
_CAPITAL: Final = re.compile(r"\b[^\W\d_a-z]\w+")
_GERMAN_PERSON: Final = re.compile(
    r"\b(?:Herrn?|Frau|Dr\.?|Prof\.?)\s|\b[A-ZÄÖÜ]\w+\s+(?:v[oa]n\s+)?[A-ZÄÖÜ]\w+"
)
_LOOKED_AT: Final = 20_000  # characters: a bound on the cost for a response of megabytes

_FIRST_ASKING: Final = {
    tag: re.compile("|".join(rf"(?P<{kind}>\b(?:{cue})\b)" for kind, cue in kinds.items()))
    for tag, kinds in _ASKING.items()
}
_VERBS: Final = {tag: frozenset(listed.split()) for tag, listed in _VERB_FIRST.items()}

#: Part of the fingerprints of scorers that ask for the kind: the rules' version and a digest of every list.
QUESTION_RULES: Final = "question-1 " + digest(
    _ASKING,
    _VERB_FIRST,
    *(cue.pattern for table in (_HOLDS, _REASON, _VERDICT) for cue in table.values()),
    *(cue.pattern for cue in (_VERDICT_PHRASE, _PLACE, _CAPITAL, _GERMAN_PERSON)),
)


def question_kind(question: str, language: str) -> Kind:
    """The kind of answer a question in `language` asks for.

    >>> question_kind("How many ports does it have?", "en"), question_kind("Seit wann gilt das?", "de")
    ('number', 'date')
    >>> question_kind("Can I return it?", "en"), question_kind("Describe the device.", "en")
    ('verdict', 'open')
    """
    if language not in _ASKING:
        return "open"
    text = question[:_LOOKED_AT].casefold()
    first = words(text[:200])[:1]
    if first and first[0] in _VERBS[language] and not _FIRST_ASKING[language].match(text.lstrip("¿ ")):
        return "verdict"
    if language == "fr" and _VERDICT_PHRASE.search(text) and not _FIRST_ASKING["fr"].search(text):
        return "verdict"
    match = _FIRST_ASKING[language].search(text)
    return match.lastgroup if match else "open"  # type: ignore[return-value]  # group names are the kinds


def holds_kind(
    response: str, response_words: Sequence[str], question_words: frozenset[str], kind: Kind, language: str
) -> bool:
    """Does `response` hold an answer of this kind? `response_words` are its words, in order."""
    text = response[:_LOOKED_AT]
    cue = _cue(kind, language)
    if cue:
        return cue.search(text.casefold()) is not None
    if kind == "open":
        stop = stop_words_of(language)
        return any(word not in question_words and word not in stop for word in response_words)
    if kind == "person" and language == "de":  # every German noun has a capital
        return _GERMAN_PERSON.search(text) is not None
    if kind == "place" and _PLACE.search(text.casefold()):
        return True
    return _has_new_name(text, question_words, language)


def _cue(kind: Kind, language: str) -> re.Pattern[str] | None:
    """The expression that decides a kind on its own, or None for the kinds that need more than one."""
    if kind == "reason":
        return _REASON[language]
    return _VERDICT[language] if kind == "verdict" else _HOLDS.get(kind)


def _has_new_name(text: str, question_words: frozenset[str], language: str) -> bool:
    """A capitalised word that neither the question holds nor grammar explains."""
    stop = stop_words_of(language)
    return any(
        not all(word in question_words or word in stop for word in words(match[0]))
        for match in _CAPITAL.finditer(text)
    )
