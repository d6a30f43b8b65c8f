"""Redaction: no planted secret leaves, what is none stays, and equal things stay equal."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.redaction.planted import DISGUISES, FORMS, iban, luhn, pieces, skeleton, some
from trace_core.errors import ConfigurationError
from trace_pipeline.redaction import PatternRedaction, RedactionFailed, make_redaction
from trace_pipeline.settings import load_settings

ALPHANUMERIC = string.ascii_letters + string.digits


def redaction(**judge: object) -> PatternRedaction:
    """Return the redaction of some settings."""
    return make_redaction(load_settings(judge=judge))


ALL = redaction()


def email(source: random.Random) -> str:
    name = some(source, string.ascii_lowercase + string.digits, 6)
    return f"{name}.{some(source, string.ascii_lowercase, 4)}@mail-{source.randint(1, 99)}.example.org"


def phone(source: random.Random) -> str:
    forms = (
        f"+49 30 {source.randint(200000, 999999)} {source.randint(10, 99)}",
        f"+1-415-555-{source.randint(1000, 9999)}",
        f"(415) 555-{source.randint(1000, 9999)}",
        f"+44 20 7946 {source.randint(1000, 9999)}",
        f"0049 89 {source.randint(2000000, 9999999)}",
    )
    return source.choice(forms)


def card(source: random.Random) -> str:
    number = luhn("4" + some(source, string.digits, 14))
    between = source.choice(("", " ", "-", "\u00a0", "."))
    return between.join(number[place : place + 4] for place in range(0, 16, 4))


def account(source: random.Random) -> str:
    number = iban("DE", some(source, string.digits, 18))
    return source.choice((number, " ".join(number[place : place + 4] for place in range(0, 22, 4))))


def key(source: random.Random) -> str:
    forms = (
        "AKIA" + some(source, string.ascii_uppercase + string.digits, 16),
        "sk-" + some(source, ALPHANUMERIC, 30) + "1A",
        "ghp_" + some(source, ALPHANUMERIC, 36),
        "xoxb-" + some(source, string.digits, 12) + "-" + some(source, ALPHANUMERIC, 24),
        "AIza" + some(source, ALPHANUMERIC, 35),
        "sk_live_" + some(source, ALPHANUMERIC, 24),
        ".".join(
            ["eyJ" + some(source, ALPHANUMERIC, 20), *[some(source, ALPHANUMERIC, 30) for _ in range(2)]]
        ),
    )
    return source.choice(forms)


#: Parted by a text's end, what looks like one half of these may come from two numbers.
NATIONAL = [form for form in FORMS if form.startswith("phone") and form not in ("phone_in", "phone_int")]
SECRETS = {"email": email, "phone": phone, "card": card, "iban": account, "key": key}
#: What stands around: no letters or digits that would make another thing of it.
AROUND = st.text(alphabet=" \n\t.,;:!?()[]\"'„“。、|*#ÄßяИनなي", max_size=12)


def plain(texts: Sequence[str]) -> str:
    """Return the letters and digits of texts, to look for what is left of a secret."""
    return "".join(character for text in texts for character in text if character.isalnum())


@pytest.mark.parametrize("kind", SECRETS)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), before=AROUND, after=AROUND)
def test_no_planted_secret_is_left(kind: str, seed: int, before: str, after: str) -> None:
    """Whatever stands around it, in whichever of the log's texts: a placeholder is there instead."""
    secret = SECRETS[kind](random.Random(seed))
    texts = ["What is it?", f"It is {before} {secret} {after} as you know.", "Nothing else."]
    done = ALL.redact(texts)
    assert secret not in "".join(done)
    assert plain([secret]) not in plain(done)
    assert f"[{kind.upper()}_1]" in done[1]
    assert (done[0], done[2]) == (texts[0], texts[2])


@pytest.mark.parametrize("kind", ["email", "card", "iban", "key"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), share=st.floats(0.2, 0.8))
def test_a_secret_that_a_sentence_end_parts_is_left_in_neither(kind: str, seed: int, share: float) -> None:
    """Sentences are split before they are redacted; the texts of a log are read as one as well."""
    secret = SECRETS[kind](random.Random(seed))
    at = max(1, int(len(secret) * share))
    done = ALL.redact([f"Take {secret[:at]}", f"{secret[at:]} with you."])
    assert plain([secret]) not in plain(done)
    assert not (secret[:at] in done[0] and secret[at:] in done[1])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("CARD", "4111\u00a01111\u00a01111\u00a01111"),
        ("CARD", "４１１１ １１１１ １１１１ １１１１"),
        ("CARD", "4111-1111-1111-1111"),
        ("CARD", "4111\u200b1111\u200b1111\u200b1111"),
        ("CARD", "٤١١١ ١١١١ ١١١١ ١١١١"),
        ("EMAIL", "anna (at) example (dot) org"),
        ("EMAIL", "anna@example.org"),
        ("EMAIL", "anna\u200b@\u200bexample.org"),
        ("IBAN", "de89 3704 0044 0532 0130 00"),
        ("PHONE", "+49\u00a030\u00a0123456"),
        ("KEY", "password=hunter2!x"),
        ("KEY", "api_key: 8f2kd93kdl29dk"),
        ("EMAIL", "postgresql://app:s3cret@db.example.org/x"),  # the longest finding gives the name
        ("KEY", "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----"),
    ],
)
def test_disguises_are_seen_through(kind: str, text: str) -> None:
    """Digits of other scripts, blanks that do not break, hidden characters, spelled-out addresses."""
    (done,) = ALL.redact([f"See: {text} please"])
    assert f"[{kind}_1]" in done


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_no_stretch_of_a_planted_secret_is_left(form: str, disguise: str) -> None:
    """In every form and disguise not eight characters of it in a row, also when a text's end parts it."""
    source = random.Random(f"{form} {disguise}")
    for _ in range(5):
        secret = DISGUISES[disguise](FORMS[form](source))
        at = len(secret) * 3 // 5
        whole = ALL.redact(["Why?", f"Please use {secret} for this.", "Nothing else."])
        assert not [piece for piece in pieces(secret) if piece in skeleton("".join(whole))]
        if form in NATIONAL:
            continue
        parted = ALL.redact([f"Please use {secret[:at]}", f"{secret[at:]} for this."])
        assert not [piece for piece in pieces(secret) if piece in skeleton("".join(parted))]


def test_a_hidden_character_where_a_text_ends_says_that_a_word_was_parted() -> None:
    """A splitter of sentences may take a full stop in a disguised address for an end."""
    done = ALL.redact(["Ask anna.", "\u200dmueller@example.org now."])
    assert done == ["Ask [EMAIL_1]", "[EMAIL_1] now."]
    assert ALL.redact(["Ask anna.", "mueller@example.org now."]) == ["Ask anna.", "[EMAIL_1] now."]


def test_a_word_after_a_key_is_no_part_of_it() -> None:
    """A text may end with a key without a full stop; the next one begins with a word."""
    key = "ghp_" + "aB3" * 12
    assert ALL.redact([f"Use {key}", "It works."]) == ["Use [KEY_1]", "It works."]


@pytest.mark.parametrize(
    "text",
    [
        "The price is 1,234,567.89 EUR, down from 2,000,000.00.",
        "Version 2.4.0 came on 2026-10-01 at 12:30:45.",
        "Order 123456 has 17 items; invoice RE-2026-00017.",
        "Pi is 3.14159265358979 and the ratio 0.5772156649.",
        "From 01.10.2026 to 31.12.2026 the office is open 9-17.",
        "The ISBN is 978-3-16-148410-0.",
        "IPv4 192.168.0.1, port 8080, 10,000 requests.",
        "Chapter 4.1.1.1 of the 2019 edition, pages 100 to 245.",
        "Her password is a secret, and the key is under the mat.",
        "Meet at noon at the market, 3 at a time.",
        "SELECT a, b FROM t WHERE x = 5;",
        "Since march 2009 has spread to more countries.",
        "The poorest 10 percent earned less than that.",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Numbers, dates, versions and words are what an answer is judged by."""
    assert ALL.redact([text]) == [text]


def test_equal_things_stay_equal_and_different_ones_different() -> None:
    """A judge can still see whether an answer names the address that the document has."""
    done = ALL.redact(["Write to A@example.org or b@example.org.", "a@example.org", "b@example.org"])
    assert done == ["Write to [EMAIL_1] or [EMAIL_2].", "[EMAIL_1]", "[EMAIL_2]"]
    opened = ALL.open(["Call +49 30 123456."])
    assert opened.restore(opened.texts[0]) == "Call +49 30 123456."
    assert "123456" not in repr(opened)


def test_texts_that_hold_placeholders_are_not_confused_with_ours() -> None:
    """A number that a text has already is not given again."""
    assert ALL.redact(["[EMAIL_1] and a@example.org"]) == ["[EMAIL_1] and [EMAIL_2]"]


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=80), max_size=4))
def test_any_text_is_taken_and_redacting_twice_changes_nothing(texts: list[str]) -> None:
    """Half surrogates, NUL and all: as many texts come back, and they are clean."""
    done = ALL.redact(texts)
    assert len(done) == len(texts)
    assert ALL.redact(done) == done


def test_a_kind_that_is_not_named_stays() -> None:
    """The setting says what is replaced; the rules, part of the fingerprint, say so too."""
    only = redaction(redact="email")
    assert only.redact(["a@example.org, 4111 1111 1111 1111"]) == ["[EMAIL_1], 4111 1111 1111 1111"]
    assert only.rules != ALL.rules
    assert ALL.rules == redaction().rules


def find_names(texts: Sequence[str]) -> list[str | tuple[str, str]]:
    """A hook: names of persons."""
    if any("boom" in text for text in texts):
        raise ValueError(texts[0])
    return ["Ada Byron", ("customer", "C-17")]


def test_the_hook_finds_more() -> None:
    """What it returns goes wherever it occurs, as `private` or under the kind it names."""
    mine = redaction(redaction_hook="test_redaction:find_names")
    assert mine.redact(["Ada Byron is C-17.", "So is Ada", " Byron?"]) == [
        "[PRIVATE_1] is [CUSTOMER_1].",
        "So is [PRIVATE_1]",
        "[PRIVATE_1]?",
    ]


def test_a_hook_that_fails_keeps_the_log_back() -> None:
    """The error names the hook and its kind of failure, and nothing of the log."""
    mine = redaction(redaction_hook="test_redaction:find_names")
    with pytest.raises(RedactionFailed) as caught:
        mine.redact(["boom and 4111 1111 1111 1111"])
    assert "boom" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "hook", ["no.such.module:find", "test_redaction:ALPHANUMERIC", f"{__name__}:missing"]
)
def test_a_hook_that_is_none_is_refused_at_the_start(hook: str) -> None:
    """One sentence that names the setting."""
    with pytest.raises(ConfigurationError, match=r"judge\.redaction_hook"):
        redaction(redaction_hook=hook)
