"""The judge as a whole over real HTTP: kept answers, windows, threads, redaction, and what leaves."""

from __future__ import annotations

import json
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.fakes import MemoryAccount, WordRedaction
from tests.judge_stub import FAULTS, Asked, Reply, Stub, judge_stub, verdict
from trace_core import ConfigurationError
from trace_core.records import Document, Log
from trace_core.sentences import SPLITTER
from trace_pipeline.judges.contracts import Judge, LogPlace
from trace_pipeline.judges.endpoint import make_judge
from trace_pipeline.judges.prompt import PROMPT_HASH, SYSTEM
from trace_pipeline.redaction import RedactionFailed
from trace_pipeline.settings import Settings, load_settings

WHEN = datetime(2026, 1, 5, 12, tzinfo=UTC)
LOG = Log("log-1", "How?", (Document("It runs. It is blue."), Document("It hums.")), "It runs. It is red.")


def settings_for(stub: Stub | None = None, **judge: Any) -> Settings:
    """Settings with a model, and the stub's address if there is one."""
    endpoint = {"endpoint": stub.url} if stub else {}
    return load_settings(judge={"model": "m", "timeout_seconds": 10, **endpoint, **judge})


def a_judge(
    stub: Stub, account: MemoryAccount | None = None, redaction: WordRedaction | None = None, **judge: Any
) -> Judge:
    """A judge in front of the stub."""
    return make_judge(
        settings_for(stub, **judge), account or MemoryAccount(), redaction or WordRedaction(), "", ""
    )


def test_an_answer_becomes_an_annotation_of_the_logs_sentences() -> None:
    """Counts and keys of the whole log, sets and reasons from the answer."""
    with judge_stub(lambda asked: verdict(asked, ["0a", "0b"], ["0a"], unsupported=["b"])) as stub:
        judged = a_judge(stub).judge(LOG, WHEN)
    found = judged.annotation
    assert found is not None
    assert (found.document_sentence_counts, found.response_sentence_keys) == ((2, 1), ("a", "b"))
    assert (found.relevant_keys, found.utilized_keys, found.unsupported_keys) == (
        ("0a", "0b"),
        ("0a",),
        ("b",),
    )
    assert [(s.key, s.supported, s.supporting_keys, s.reason) for s in found.support] == [
        ("a", True, ("0a",), "About sentence a."),
        ("b", False, (), "About sentence b."),
    ]
    assert (judged.reason, judged.calls, judged.kept) == (None, 1, 0)


def test_a_kept_answer_is_taken_without_a_call() -> None:
    """Also by another judge and for another log of the same texts; its annotation is the same."""
    account = MemoryAccount()
    with judge_stub() as stub:
        first = a_judge(stub, account).judge(LOG, WHEN)
        second = a_judge(stub, account).judge(replace(LOG, log_id="log-2"), WHEN)
        assert len(stub.asked) == 1
    assert second == replace(first, calls=0, kept=1)
    assert account.calls[0].request.place == LogPlace("log-1", WHEN)
    assert list(account.answers) == [first.content_hash]


@pytest.mark.parametrize("damage", [{}, {"all_relevant_sentence_keys": 3}, {"x": None}])
def test_a_damaged_kept_answer_is_asked_again(damage: dict[str, Any]) -> None:
    """And replaced."""
    account = MemoryAccount()
    with judge_stub() as stub:
        judge = a_judge(stub, account)
        account.answers[judge.content_hash(LOG)] = damage
        judged = judge.judge(LOG, WHEN)
    assert (judged.calls, judged.kept) == (1, 0)
    assert account.answers[judged.content_hash] != damage


def test_a_long_log_is_asked_about_in_windows_and_merged() -> None:
    """Each window is kept under a hash of its own; a window that fails is asked alone the next time."""
    long = Log("long", "How?", tuple(Document("word " * 200 + f"number {i}.") for i in range(9)), "Yes. No.")
    account = MemoryAccount()

    def third_fails(asked: Asked) -> Reply:
        supported_by = ["b"] if "8a" in asked.document_keys else ["a", "b"]
        return FAULTS["refusal"](asked) if asked.number == 3 else verdict(asked, unsupported=supported_by)

    with judge_stub(third_fails) as stub:
        judge = a_judge(stub, account, context_tokens=2_000)
        failed = judge.judge(long, WHEN)
        assert (failed.reason, failed.annotation, failed.calls) == ("judge_refused", None, 3)
        judged = judge.judge(long, WHEN)
        asked_keys = [key for asked in stub.asked[:2] + stub.asked[3:] for key in asked.document_keys]
    assert judged.kept == 2
    assert judged.annotation is not None
    assert asked_keys == [f"{i}a" for i in range(9)] == list(judged.annotation.relevant_keys)
    assert judged.annotation.unsupported_keys == ("b",)
    assert len(account.answers) == judged.calls + judged.kept
    assert judged.content_hash not in account.answers
    most = judge.estimate(long)
    reserved = [call.request for call in account.calls if call.outcome == "answered"]
    assert most.input_tokens == sum(request.input_tokens for request in reserved)
    assert most.output_tokens == sum(request.output_tokens for request in reserved)


def test_a_sentence_that_no_prompt_holds_ends_with_a_reason() -> None:
    """Without a call, and its estimate is nothing."""
    account = MemoryAccount()
    long = Log("long", "How?", (Document("x", sentences=("word " * 9_000,)),), "Yes.")
    with judge_stub() as stub:
        judge = a_judge(stub, account, context_tokens=2_000)
        judged = judge.judge(long, WHEN)
        assert (judged.reason, judged.calls) == ("judge_prompt_too_long", 0)
        assert judge.estimate(long).input_tokens == 0
        assert stub.asked == []


def test_several_threads_may_ask_at_once_and_the_same_question_is_paid_once() -> None:
    """Eight threads, four texts each three times: four calls."""
    logs = [replace(LOG, log_id=str(i), question=f"How {i % 4}?") for i in range(12)]
    account, barrier = MemoryAccount(), Barrier(12)

    def at_once(log: Log) -> Any:
        barrier.wait()
        return judge.judge(log, WHEN)

    with judge_stub(lambda asked: replace(verdict(asked), delay=0.1)) as stub:
        judge = a_judge(stub, account)
        with ThreadPoolExecutor(12) as threads:
            ends = list(threads.map(at_once, logs))
    assert [end.reason for end in ends] == [None] * 12
    assert sum(end.calls for end in ends) == len(account.calls) == 4
    assert sum(end.kept for end in ends) == 8


def test_calls_at_once_never_exceed_the_budget() -> None:
    """Those that do not fit are told so; nothing is asked beyond."""
    logs = [replace(LOG, log_id=str(i), question=f"How {i}?") for i in range(16)]
    account = MemoryAccount(calls=5)
    with judge_stub() as stub:
        judge = a_judge(stub, account)
        with ThreadPoolExecutor(8) as threads:
            ends = list(threads.map(lambda log: judge.judge(log, WHEN), logs))
        assert len(stub.asked) == 5
    assert sorted(str(end.reason) for end in ends) == ["None"] * 5 + ["budget"] * 11


def test_texts_are_redacted_once_a_log_and_hashed_as_they_are() -> None:
    """The value never leaves; the hash does not depend on the rules, the parameters do."""
    redaction = WordRedaction({"Mirabelle": "[PERSON_1]"})
    long = Log(
        "l",
        "Who is Mirabelle?",
        tuple(Document(f"Mirabelle {i} " + "word " * 300) for i in range(4)),
        "Mirabelle.",
    )
    with judge_stub() as stub:
        judge = a_judge(stub, redaction=redaction, context_tokens=2_000)
        judged = judge.judge(long, WHEN)
        assert judged.calls > 1
        assert all("Mirabelle" not in json.dumps(asked.body) for asked in stub.asked)
        assert all(asked.prompt.count("[PERSON_1]") >= 3 for asked in stub.asked)
        assert judged.content_hash == judge.content_hash(long) == a_judge(stub).content_hash(long)
    assert redaction.logs == 1
    assert judge.parameters["redaction"] == {"words": ["Mirabelle"]}


def test_explanations_have_the_logs_own_words_and_kept_answers_have_placeholders() -> None:
    """From a new answer and from a kept one; a redaction that fails by then leaves the placeholders."""

    class Failing(WordRedaction):
        def open(self, texts: Any) -> Any:
            raise RedactionFailed("gone")

    def quote(asked: Asked) -> Reply:
        value = json.loads(verdict(asked).content or "")
        for entry in value["sentence_support_information"]:
            entry["explanation"] = "[PERSON_1] hums. " + "x" * 300
        return Reply(json.dumps(value))

    words, account = {"Mirabelle": "[PERSON_1]"}, MemoryAccount()
    log = Log("l", "Who?", (Document("Mirabelle hums."),), "Mirabelle.")
    with judge_stub(quote) as stub:
        reasons = [
            a_judge(stub, account, redaction).judge(log, WHEN).annotation.support[0].reason  # type: ignore[union-attr]
            for redaction in (WordRedaction(words), WordRedaction(words), Failing(words))
        ]
        assert len(stub.asked) == 1
    assert reasons[0] == reasons[1] and reasons[0].startswith("Mirabelle hums. xxx")
    assert len(reasons[0]) <= 300 and reasons[2].startswith("[PERSON_1] hums. xxx")
    assert "Mirabelle" not in json.dumps(dict(account.answers)) and "[PERSON_1]" in str(account.answers)


def test_explanations_are_kept_only_if_wanted() -> None:
    """Neither in what is kept nor in the annotation, even where an older kept answer has them."""
    account = MemoryAccount()
    with judge_stub() as stub:
        a_judge(stub, account).judge(LOG, WHEN)
        assert "About sentence" in json.dumps(list(account.answers.values()))
        judged = a_judge(stub, account, store_explanations=False).judge(LOG, WHEN)
        assert judged.kept == 1
        assert judged.annotation is not None
        assert {entry.reason for entry in judged.annotation.support} == {""}
        account.answers.clear()
        a_judge(stub, account, store_explanations=False).judge(LOG, WHEN)
    assert "About sentence" not in json.dumps(list(account.answers.values()))


def test_a_request_holds_what_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Model, temperature, seed, limit, form; nothing of this machine, nothing from the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-something-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-something-else")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: something else")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with judge_stub() as stub:
        a_judge(stub, temperature=0.5, seed=3, answer_tokens=700, structured_output="json_object").judge(
            LOG, WHEN
        )
        asked = stub.asked[0]
    assert {name: asked.body[name] for name in asked.body if name != "messages"} == {
        "model": "m",
        "temperature": 0.5,
        "seed": 3,
        "max_tokens": 700,
        "response_format": {"type": "json_object"},
    }
    assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]
    assert asked.body["messages"][0]["content"] == SYSTEM
    assert "else" not in json.dumps(dict(asked.headers))
    assert "authorization" not in asked.headers
    assert asked.headers["user-agent"] == "trace-nightly"
    own = {name for name in asked.headers if name.startswith(("x-", "openai"))}
    assert own == {"x-stainless-raw-response"}


def test_a_model_that_refuses_them_is_sent_neither_temperature_nor_seed() -> None:
    with judge_stub() as stub:
        a_judge(stub, temperature=None, seed=None).judge(LOG, WHEN)
        asked = stub.asked[0]
    assert not {"temperature", "seed"} & set(asked.body)


def test_the_key_is_sent_and_comes_from_the_connection_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The connection's beats the environment's; a line break at its end is no part of it."""
    monkeypatch.setenv("TRACE_JUDGE_API_KEY", "of-the-environment\n")
    with judge_stub() as stub:
        settings = settings_for(stub)
        for key in ("", "of-the-connection"):
            make_judge(settings, MemoryAccount(), WordRedaction(), "", key).judge(LOG, WHEN)
        sent = [asked.headers["authorization"] for asked in stub.asked]
    assert sent == ["Bearer of-the-environment", "Bearer of-the-connection"]


def test_the_setting_beats_the_address_of_the_connection() -> None:
    """A connection's address serves where the setting is empty, with or without what is added to call it."""
    with judge_stub() as stub:
        for end in ("", "/", "/chat/completions"):
            used = make_judge(settings_for(), MemoryAccount(), WordRedaction(), stub.url + end, "")
            assert used.judge(LOG, WHEN).annotation is not None
        other = make_judge(settings_for(stub), MemoryAccount(), WordRedaction(), "http://127.0.0.1:9/v1", "")
        assert other.judge(LOG, WHEN).annotation is not None


@pytest.mark.parametrize(
    ("judge", "key", "named"),
    [
        ({"model": "m"}, "", "judge.endpoint"),
        ({"endpoint": "http://127.0.0.1:9/v1"}, "", "judge.model"),
        ({"endpoint": "http://127.0.0.1:9/v1", "model": "m"}, "k\u00e9y", "TRACE_JUDGE_API_KEY"),
    ],
)
def test_what_is_missing_is_named(judge: dict[str, Any], key: str, named: str) -> None:
    """One sentence, with the name of the setting and without the key."""
    with pytest.raises(ConfigurationError) as caught:
        make_judge(load_settings(judge=judge), MemoryAccount(), WordRedaction(), "", key)
    assert named in str(caught.value)
    assert not key or key not in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is an extra: without it no judge can be made."""
    for name in ("judge", "asking", "client"):
        monkeypatch.delitem(sys.modules, f"trace_pipeline.judges.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    settings = load_settings(judge={"endpoint": "http://127.0.0.1:9/v1", "model": "m"})
    with pytest.raises(ConfigurationError, match=r"extra 'judge'.*openai"):
        make_judge(settings, MemoryAccount(), WordRedaction(), "", "")


def test_parameters_name_all_that_shapes_an_answer() -> None:
    """As JSON; the endpoint's address, the key and the budget are no part of it."""
    with judge_stub() as stub:
        parameters = a_judge(stub, answering_model="m-2026").parameters
    assert json.loads(json.dumps(parameters)) == {
        "prompt": PROMPT_HASH,
        "model": "m",
        "answering_model": "m-2026",
        "temperature": 0.0,
        "seed": 1,
        "structured_output": "json_schema",
        "context_tokens": 16_000,
        "answer_tokens": 4_000,
        "splitter": SPLITTER,
        "redaction": {"words": []},
    }


def test_the_answering_model_may_have_another_name() -> None:
    """Where the setting says so, and only that one."""
    with judge_stub(lambda asked: replace(verdict(asked), model="m-2026")) as stub:
        assert a_judge(stub, answering_model="m-2026").judge(LOG, WHEN).annotation is not None
        assert a_judge(stub).judge(LOG, WHEN).reason == "judge_other_model"


def test_log_and_endpoint_may_be_of_any_script() -> None:
    """Right-to-left, combining marks and emoji arrive as they were."""
    texts = ("هل تعمل المضخة؟", "पंप चलता है।", "👩‍🔧 yes")
    log = Log("l", texts[0], (Document(texts[1]),), texts[2])
    with judge_stub() as stub:
        assert a_judge(stub).judge(log, WHEN).annotation is not None
        assert all(text in stub.asked[0].prompt for text in texts)


def certificate_of(folder: Path) -> Path:
    """A new certificate of an authority of one's own, for 127.0.0.1, with its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "certificate.pem"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return file


def test_tls_is_checked_against_the_systems_certificates_and_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown authority is refused before anything is sent; SSL_CERT_FILE makes it known."""
    file = certificate_of(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with judge_stub(certificate=context) as stub:
        unknown = a_judge(stub, attempts=1).judge(LOG, WHEN)
        assert (unknown.reason, stub.asked) == ("judge_unavailable", [])
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        assert a_judge(stub).judge(LOG, WHEN).annotation is not None


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/v1", "127.0.0.1", "http://user:secret@127.0.0.1/v1"])
def test_a_connection_with_a_wrong_address_is_refused(url: str) -> None:
    """Before any call, without the password that it may hold."""
    with pytest.raises(ConfigurationError, match="connection trace_judge") as caught:
        make_judge(settings_for(), MemoryAccount(), WordRedaction(), url, "")
    assert "secret" not in str(caught.value)
