"""Secrets to be planted, as people and systems write them, and a look for what is left of one."""

from __future__ import annotations

import random
import string
import unicodedata
from collections.abc import Callable
from typing import Final

_UPPER: Final = string.ascii_uppercase + string.digits
_ALL: Final = string.ascii_letters + string.digits
_HEX: Final = string.hexdigits[:16]


def some(source: random.Random, characters: str, length: int) -> str:
    """Return random characters."""
    return "".join(source.choice(characters) for _ in range(length))


def luhn(body: str) -> str:
    """Return a card number: the digits with their check digit."""
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 - place % 2)
        total += value - 9 * (value > 9)
    return body + str(-total % 10)


def iban(country: str, account: str) -> str:
    """Return an account number with its check digits."""
    digits = "".join(str(int(character, 36)) for character in f"{account}{country}00")
    return f"{country}{98 - int(digits) % 97:02d}{account}"


def _fours(text: str, between: str = " ") -> str:
    return between.join(text[place : place + 4] for place in range(0, len(text), 4))


def _digits(source: random.Random, length: int) -> str:
    return some(source, string.digits, length)


def _jwt(source: random.Random) -> str:
    return ".".join(["eyJ" + some(source, _ALL, 30), "eyJ" + some(source, _ALL, 60), some(source, _ALL, 43)])


def _pem(source: random.Random) -> str:
    lines = "\n".join(some(source, _ALL + "+/", 64) for _ in range(6))
    return f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"


#: Form -> a secret of it. Numbers are such as the countries give out: phone numbers must be possible ones.
FORMS: Final[dict[str, Callable[[random.Random], str]]] = {
    "email": lambda s: f"{some(s, string.ascii_lowercase, 8)}.{some(s, _HEX, 5)}@mail.example.org",
    "email_tag": lambda s: f"{some(s, string.ascii_lowercase, 9)}+{some(s, _HEX, 4)}@example.co.uk",
    "email_spoken": lambda s: f"{some(s, string.ascii_lowercase, 12)} (at) example (dot) org",
    "phone_us": lambda s: f"(415) 555-{_digits(s, 4)}",
    "phone_us_dots": lambda s: f"415.555.{_digits(s, 4)}",
    "phone_de": lambda s: f"030 / 2{_digits(s, 3)} {_digits(s, 3)}",
    "phone_de_mobile": lambda s: f"0171-2{_digits(s, 6)}",
    "phone_fr": lambda s: f"01 42 {_digits(s, 2)} {_digits(s, 2)} {_digits(s, 2)}",
    "phone_gb": lambda s: f"020 7946 {_digits(s, 4)}",
    "phone_in": lambda s: f"+91 98{_digits(s, 3)} {_digits(s, 5)}",
    "phone_jp": lambda s: f"03-3{_digits(s, 3)}-{_digits(s, 4)}",
    "phone_int": lambda s: f"+49 (0) 30 / 2{_digits(s, 6)}",
    "phone_00": lambda s: f"0043 1 5{_digits(s, 7)}",
    "phone_named": lambda s: f"Tel. 9{_digits(s, 8)}",
    "visa": lambda s: _fours(luhn("4" + _digits(s, 14))),
    "mastercard": lambda s: _fours(luhn("53" + _digits(s, 13)), "-"),
    "amex": lambda s: (lambda n: f"{n[:4]} {n[4:10]} {n[10:]}")(luhn("37" + _digits(s, 12))),
    "card_plain": lambda s: luhn("4" + _digits(s, 14)),
    "iban_de": lambda s: _fours(iban("DE", _digits(s, 18))),
    "iban_gb": lambda s: iban("GB", "NWBK" + _digits(s, 14)),
    "iban_fr": lambda s: _fours(iban("FR", _digits(s, 10) + some(s, _UPPER, 11) + _digits(s, 2))),
    "iban_no": lambda s: _fours(iban("NO", _digits(s, 11))),
    "aws_id": lambda s: "AKIA" + some(s, _UPPER, 16),
    "aws_secret": lambda s: "aws_secret_access_key = " + some(s, _ALL, 38) + "/A",
    "github": lambda s: "ghp_" + some(s, _ALL, 36),
    "github_fine": lambda s: "github_pat_" + some(s, _ALL, 22) + "_" + some(s, _ALL, 59),
    "slack": lambda s: f"xoxb-{_digits(s, 12)}-{_digits(s, 12)}-{some(s, _ALL, 24)}",
    "slack_hook": lambda s: (
        f"https://hooks.slack.com/services/T{some(s, _UPPER, 8)}/B{some(s, _UPPER, 8)}/{some(s, _ALL, 24)}"
    ),
    "openai": lambda s: "sk-proj-" + some(s, _ALL, 46) + "9Z",
    "stripe": lambda s: "sk_live_" + some(s, _ALL, 24),
    "google": lambda s: "AIza" + some(s, _ALL, 35),
    "jwt": _jwt,
    "pem": _pem,
    "password": lambda s: f"password={some(s, _ALL, 10)}7!x",
    "url": lambda s: f"postgresql://app:{some(s, _ALL, 12)}7@db.internal:5432/app",
}

#: What is around the secret itself in some forms: words that name it, and that may stay.
_NAMES: Final = (
    *("Tel. ", "aws_secret_access_key = ", "password=", "postgresql://app:", "@db.internal:5432/app"),
    *("https://hooks.slack.com/services/", "-----BEGIN RSA PRIVATE KEY-----"),
    *("-----END RSA PRIVATE KEY-----", " (at) example (dot) org", "@mail.example.org", "@example.co.uk"),
)


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" if c == " " else c for c in text)


def _amid(text: str, hidden: str) -> str:
    return "".join(c + hidden if number % 3 == 2 else c for number, c in enumerate(text))


#: Ways to write a text so that it looks the same, or nearly.
DISGUISES: Final[dict[str, Callable[[str], str]]] = {
    "plain": lambda text: text,
    "full_width": _wide,
    "full_width_digits": lambda text: "".join(_wide(c) if c.isdigit() else c for c in text),
    "zero_width_joiner": lambda text: _amid(text, "\u200d"),
    "zero_width_space": lambda text: _amid(text, "\u200b"),
    "soft_hyphen": lambda text: _amid(text, "\u00ad"),
    "no_break_space": lambda text: text.replace(" ", "\u00a0").replace("-", "\u2011"),
    "thin_space": lambda text: text.replace(" ", "\u202f"),
}


def skeleton(text: str) -> str:
    """Return a text's letters and digits alone, without disguises, to look for one in another."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(character for character in plain if character.isalnum()).casefold()


def pieces(secret: str, length: int = 8) -> list[str]:
    """Return the stretches of a secret's skeleton, without what names it, none of which may be left."""
    plain = unicodedata.normalize("NFKC", secret)
    plain = (
        "".join(c for c in plain if unicodedata.category(c) != "Cf").replace("\u2011", "-").replace("‐", "-")
    )
    for name in _NAMES:
        plain = plain.replace(name, " ")
    found = skeleton(plain)
    length = min(length, len(found))
    return [found[place : place + length] for place in range(len(found) - length + 1)]
