"""A whole judged night with secrets in every text: none reaches the endpoint, a log line or the kept answers."""

from __future__ import annotations

import json
import logging
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.judge_stub import Asked, Reply, Stub, judge_stub, verdict
from tests.sql.tools import MakePipeline, a_log, insert, night, noon, rows
from tests.unit.redaction.planted import DISGUISES, FORMS, pieces, skeleton

KEY = "sk-judge-T0psecretKeyOfTheEndpoint99"
#: Tables that hold texts of logs by their purpose: the source, and evaluations with their explanations.
WITH_TEXTS = ("rag_log", "evaluation")
PLACES = ("question", "documents", "response", "ground_truth", "parted_documents", "two_sentences")


@dataclass(frozen=True)
class Planted:
    """A secret, and the log and text that it was put into."""

    log_id: str
    place: str
    form: str
    secret: str


def plant() -> tuple[list[dict[str, Any]], list[Planted]]:
    """Return logs, and what was planted in them: every form and disguise, in turn in every place."""
    source = random.Random(20261001)
    pairs = [(form, disguise) for form in FORMS for disguise in DISGUISES]
    source.shuffle(pairs)
    logs: list[dict[str, Any]] = []
    planted: list[Planted] = []
    for number in range(0, len(pairs), len(PLACES)):
        log_id = f"log-{number:03d}"
        texts: dict[str, str] = {}
        for place, (form, disguise) in zip(PLACES, pairs[number:], strict=False):
            if place == "parted_documents" and form.startswith("phone"):
                continue  # parted at a text's end, half a national number may be half of another one
            texts[place] = DISGUISES[disguise](FORMS[form](source))
            planted.append(Planted(log_id, place, form, texts[place]))
        logs.append(a_log(log_id, noon(seconds=number), **_fields(texts)))
    return logs, planted


def _fields(texts: dict[str, str]) -> dict[str, Any]:
    parted = texts.get("parted_documents", "nothing at all")
    at = len(parted) * 3 // 5
    return {
        "question": f"What is {texts.get('question', 'it')} about?",
        "documents": [
            f"The warranty lasts two years. Ask for {texts.get('documents', 'it')} at the desk. Keep it.",
            f"This page was cut in two at {parted[:at]}",
            f"{parted[at:]} and goes on here.",
            f"Note:\n{texts.get('two_sentences', 'none')}\nEnd of the note.",
        ],
        "response": f"Our cats eat fish. See {texts.get('response', 'it')} for more.",
        "ground_truth": f"It is {texts.get('ground_truth', 'it')}.",
    }


def echo(asked: Asked) -> Reply:
    """Answer with explanations that quote the sentence they are about, as models do."""
    value = json.loads(verdict(asked).content or "")
    for entry in value["sentence_support_information"]:
        entry["explanation"] = "It says: " + asked.sentences[entry["response_sentence_key"]]
    return Reply(json.dumps(value))


def left_of(planted: list[Planted], text: str) -> list[Planted]:
    """Return what can still be found of the planted secrets in a text, however it is written there."""
    found = skeleton(text)
    return [one for one in planted if any(piece in found for piece in pieces(one.secret))]


@pytest.fixture
def talkative(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Every logger at its most talkative level, those of the libraries by name."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpcore", "httpcore2", "httpx2", "sqlalchemy.engine", "trace_pipeline"):
        caplog.set_level(logging.DEBUG, name)
    yield caplog


def run(engine: Engine, make_pipeline: MakePipeline, stub: Stub, **judge: Any) -> list[Planted]:
    """Plant, and run a night of `lexical` and `judge` that asks about every log."""
    logs, planted = plant()
    insert(engine, *logs)
    settings = {"endpoint": stub.url, "model": "m", "sampling_rate": 1.0, "calls_per_night": None, **judge}
    pipeline = replace(make_pipeline(scorers="lexical,judge", judge=settings), judge_key=KEY)
    night(pipeline)
    pipeline.close()
    assert rows(
        engine,
        "select count(*) from trace.evaluation e join trace.scorer s using (scorer_id)"
        " where s.name = 'judge' and e.status = 'scored' and e.decided_by = 'judge'",
    ) == [(len(logs),)]
    return planted


def tables(engine: Engine) -> list[str]:
    """Return the names of all tables of the schema, partitions by their parent."""
    statement = (
        "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = 'trace' and c.relkind in ('r', 'p') and not c.relispartition order by 1"
    )
    return [name for (name,) in rows(engine, statement)]


def contents(engine: Engine, table: str) -> str:
    """Return all rows of a table as text."""
    return "\n".join(row[0] for row in rows(engine, f"select cast(t as text) from trace.{table} as t"))


def test_no_planted_secret_leaves(
    engine: Engine,
    make_pipeline: MakePipeline,
    talkative: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Not in a request, nor in any log line, nor in the kept answers; only the log's own evaluation quotes it."""
    with judge_stub(echo) as stub:
        planted = run(engine, make_pipeline, stub)
    assert len(planted) > 250 and {one.place for one in planted} == set(PLACES)
    assert len(stub.asked) >= len({one.log_id for one in planted})
    # What arrived, whole: bodies as JSON and as text, and headers but the key's own.
    for asked in stub.asked:
        bare = {name: value for name, value in asked.headers.items() if name != "authorization"}
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        sent = asked.prompt + json.dumps(asked.body, ensure_ascii=False) + json.dumps(bare)
        assert left_of(planted, sent) == []
        assert "ground_truth" not in sent and "[" in asked.prompt
    # What was said: log lines of all loggers, standard output and error.
    out, err = capfd.readouterr()
    said = "\n".join(f"{record.getMessage()} {record.args} {record.exc_info}" for record in talkative.records)
    assert talkative.records and left_of(planted, said + out + err) == []
    assert KEY not in said + out + err
    assert "cats eat fish" not in said + out + err and "warranty lasts" not in said + out + err
    # What is kept.
    kept = contents(engine, "annotation_cache")
    assert "_1]" in kept and "It says" in kept
    for table in tables(engine):
        if table not in WITH_TEXTS:
            stored = contents(engine, table)
            assert left_of(planted, stored) == [], table
            assert KEY not in stored and "cats eat fish" not in (
                stored if table != "annotation_cache" else ""
            ), table


def test_explanations_are_put_back_in_memory(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The evaluation quotes the log's own words, from a new answer and from a kept one alike."""
    reasons = (
        "select e.log_id, (e.annotation #> '{sentence_support_information}')::text from trace.evaluation e"
        " join trace.scorer s using (scorer_id) where s.name = 'judge' order by 1"
    )
    with judge_stub(echo) as stub:
        planted = run(engine, make_pipeline, stub)
        asked = len(stub.asked)
        first = rows(engine, reasons)
        judge = {"endpoint": stub.url, "model": "m", "sampling_rate": 1.0, "calls_per_night": None}
        night(make_pipeline(scorers="lexical,judge", judge=judge), force=True)
        assert len(stub.asked) == asked
    assert rows(engine, reasons) == first
    stored = {log_id: json.loads(text) for log_id, text in first}
    assert not re.search(r"\[(?:EMAIL|PHONE|CARD|IBAN|KEY)_\d+\]", str(stored))
    short = [one for one in planted if one.place == "response" and len(one.secret) < 150]
    assert len(short) > 30
    for one in short:
        told = skeleton(" ".join(entry["explanation"] for entry in stored[one.log_id]))
        found = [piece in told for piece in pieces(one.secret, 4)]
        assert sum(found) >= 0.8 * len(found), one  # a sentence may end amid it


def test_without_redaction_the_secrets_would_arrive(engine: Engine, make_pipeline: MakePipeline) -> None:
    """The proof that the look above finds what is there."""
    with judge_stub(echo) as stub:
        planted = run(engine, make_pipeline, stub, redact=())
    sent = "\n".join(asked.prompt for asked in stub.asked)
    expected = [one for one in planted if one.place != "ground_truth"]
    assert len(left_of(planted, sent)) >= 0.95 * len(expected)
    arrived = skeleton(sent)
    assert not [one for one in planted if one.place == "ground_truth" and skeleton(one.secret) in arrived]


def test_nothing_of_a_log_is_told_when_the_endpoint_fails(
    engine: Engine,
    make_pipeline: MakePipeline,
    talkative: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """An endpoint that repeats the request in its error does not bring it into the log, nor the key."""

    def repeats(asked: Asked) -> Reply:
        body = {"error": {"message": asked.prompt + asked.headers["authorization"], "type": "x", "code": "y"}}
        return Reply(status=400, raw=json.dumps(body).encode())

    insert(engine, a_log("log", response="Our cats eat fish."))
    with judge_stub(repeats) as stub:
        settings = {"endpoint": stub.url, "model": "m", "sampling_rate": 1.0}
        night(replace(make_pipeline(scorers="judge", judge=settings), judge_key=KEY))
        assert stub.asked
    out, err = capfd.readouterr()
    said = talkative.text + out + err + "".join(contents(engine, t) for t in tables(engine) if t != "rag_log")
    assert "cats eat fish" not in said and KEY not in said
    assert rows(engine, "select reason from trace.evaluation") == [("judge_misconfigured",)]
