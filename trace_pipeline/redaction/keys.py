"""Keys, tokens and passwords: the forms that issuers gave them, and values named as such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trace_pipeline.redaction.found import Found

#: By issuer; each form is long enough, or begins so, that no word looks like it.
_FORMS: Final = (
    r"(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z0-9]{16}",  # AWS
    r"(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]{0,80}[0-9A-Z])[A-Za-z0-9_-]{16,300}",  # OpenAI, Anthropic and others
    # The same after a letter.
    r"sk-(?:[a-z]{2,8}\d{0,2}-){0,2}(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16}[A-Za-z0-9_-]{0,300}",
    r"(?:gh[opusr]_|github_pat_)[A-Za-z0-9_]{20,300}",  # GitHub
    r"gl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_.-]{20,100}",  # GitLab
    r"xox[abeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{8,300}|xapp-\d-[A-Za-z0-9-]{10,300}",  # Slack
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{10,200}",
    r"discord(?:app)?\.com/api/webhooks/\d{5,30}/[\w-]{10,200}",
    r"AIza[A-Za-z0-9_-]{30,50}|ya29\.[A-Za-z0-9_-]{20,400}",  # Google
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{16,100}",  # Stripe
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",  # SendGrid
    r"(?:npm_|hf_|dop_v1_|pypi-|dckr_pat_|lin_api_|shpat_|glsa_)[A-Za-z0-9_-]{20,300}",
    # JWT
    r"eyJ[A-Za-z0-9_=-]{8,4000}\s{0,2}\.\s{0,2}[A-Za-z0-9_=-]{8,8000}"
    r"(?:\s{0,2}\.\s{0,2}[A-Za-z0-9_=-]{8,2000})?",
    r"-----\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[\s\S]{0,20000}?"
    r"(?:-----\s?END [A-Z0-9 ]{0,40}KEY[A-Z ]{0,10}-----|\Z)",
    r"(?i:bearer|basic)\s{1,3}(?=[A-Za-z._~+/-]{0,80}[0-9=])[A-Za-z0-9._~+/-]{16,4000}={0,2}",
)
_FORM: Final = re.compile("|".join(f"(?:{form})" for form in _FORMS))
#: 40 characters alone may be any digest; beside a key's id or a name they are the secret of AWS.
_NEIGHBOUR: Final = re.compile(r"(?<![A-Za-z0-9/+])(?=[^\s]{0,39}[A-Z/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])")
_BESIDE: Final = re.compile(r"(?:AKIA|ASIA)[A-Z0-9]{16}|(?i:aws|secret)")
_NEAR: Final = 200
_OURS: Final = r"(?!\[[A-Z][A-Z0-9_]{0,40}_\d{1,9}\])"
_NAME: Final = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|contraseña|mot de passe|senha|пароль|密码"
    r"|パスワード|secret|token|credential"
    r"|(?:api|access|auth|account|private|secret|signing|encryption|shared)[ _-]?(?:key|token))"
)
_NAMED: Final = re.compile(
    rf"{_NAME}s?[\"'`*]{{0,3}}\s{{0,3}}(?P<sign>=>|:=|=|:|：|＝|\bis\b|\bwas\b|\blautet\b)\s{{0,3}}(?:"
    rf"(?P<quote>[\"'`]){_OURS}(?P<quoted>[^\"'`\n]{{3,300}})(?P=quote)|\*{{0,2}}{_OURS}(?P<bare>[^\s\"'`<>*]{{4,300}}))",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    rf"://{_OURS}([^\s/?#\"'<>@]{{1,200}}(?:@[^\s/?#\"'<>@]{{1,200}}){{0,3}})@(?=[\w\[])"
)
_AFTER: Final = ".,;:)]}"

PATTERNS: Final = tuple(pattern.pattern for pattern in (_FORM, _NEIGHBOUR, _BESIDE, _NAMED, _ADDRESS))


def find(text: str) -> Iterator[Found]:
    """Yield keys. Not found: a password that nothing names, or that is a plain word after "password:"."""
    for match in _FORM.finditer(text):
        yield _found(match.start(), match[0])
    for match in _NEIGHBOUR.finditer(text):
        if _BESIDE.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR):
            yield _found(match.start(), match[0])
    for match in _NAMED.finditer(text):
        group = "quoted" if match["quoted"] else "bare"
        value = match[group].rstrip(_AFTER) if group == "bare" else match[group]
        if value and (group == "quoted" or match["sign"] in ("=", "=>", ":=", "＝") or _is_no_word(value)):
            yield _found(match.start(group), value)
    for match in _ADDRESS.finditer(text):
        yield _found(match.start(1), match[1])


def _found(start: int, value: str) -> Found:
    return Found(start, start + len(value), "key", value)


def _is_no_word(value: str) -> bool:
    """Does a value hold a digit, a sign or capitals amid its letters, as no word of a sentence does?"""
    inner = value.replace("-", "")
    return not inner.isalpha() or (inner[1:] != inner[1:].lower() and not inner.isupper())
