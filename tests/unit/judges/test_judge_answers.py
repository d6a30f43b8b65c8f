"""What is taken for an answer: the form asked for, about the sentences asked about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trace_core import score_annotation
from trace_core.records import Document, Log
from trace_pipeline.judges.merge import annotate
from trace_pipeline.judges.schema import (
    ANSWER_SCHEMA,
    EXPLANATION_CHARACTERS,
    Answer,
    KnownKeys,
    check_answer,
    read_answer,
    response_format,
)
from trace_pipeline.judges.windows import Sentences, Window

KNOWN = KnownKeys(frozenset(("0a", "0b")), frozenset(("a", "b")))


def entry(key: str, supported: Any = True, **more: Any) -> dict[str, Any]:
    """One response sentence of an answer."""
    return {"response_sentence_key": key, "fully_supported": supported, **more}


def answer(**changes: Any) -> dict[str, Any]:
    """A good answer with changes; a member of value None is left out."""
    value = {
        "all_relevant_sentence_keys": ["0a"],
        "all_utilized_sentence_keys": ["0a"],
        "sentence_support_information": [entry("a"), entry("b")],
        "unsupported_response_sentence_keys": [],
        **changes,
    }
    return {name: member for name, member in value.items() if member is not None}


def read(**changes: Any) -> Answer | None:
    """Read a good answer with changes."""
    return read_answer(json.dumps(answer(**changes)), KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "%s",
        "```json\n%s\n```",
        "Here it is:\n%s\nThat is all.",
        "<think>Perhaps {this}?</think>\n%s",
    ],
)
def test_what_surrounds_the_object_is_passed_over(text: str) -> None:
    """Models without structured output write around it."""
    assert read_answer(text % json.dumps(answer()), KNOWN) == read()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        "[]",
        "{}",
        "{'a': 1}",
        "}{",
        '{"all_relevant_sentence_keys": ' + "[" * 100_000,
        "null",
        "{" * 9,
    ],
)
def test_what_has_not_the_form_is_no_answer(text: str) -> None:
    """However deep or short."""
    assert read_answer(text, KNOWN) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"all_relevant_sentence_keys": None},
        {"all_relevant_sentence_keys": "0a"},
        {"all_utilized_sentence_keys": [["0a"]]},
        {"sentence_support_information": None},
        {"sentence_support_information": [entry("a", None), entry("b")]},
        {"sentence_support_information": [entry("a", "perhaps"), entry("b")]},
        {"sentence_support_information": [{"fully_supported": True}]},
        {"unsupported_response_sentence_keys": 3},
    ],
)
def test_a_missing_or_misshapen_member_is_no_answer(changes: dict[str, Any]) -> None:
    """A verdict is never guessed."""
    assert read(**changes) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"all_relevant_sentence_keys": ["7a", "7b", "7c"], "all_utilized_sentence_keys": ["8a", "8b", "8c"]},
        {"sentence_support_information": [entry("x"), entry("y")]},
        {"sentence_support_information": []},
        {"unsupported_response_sentence_keys": ["x"]},
    ],
)
def test_an_answer_about_other_sentences_is_no_answer(changes: dict[str, Any]) -> None:
    """Keys that do not exist, or no response sentence judged."""
    assert read(**changes) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"all_relevant_sentence_keys": [], "all_utilized_sentence_keys": []},
        {"all_relevant_sentence_keys": ["0a.", "[0b]", "0A", "general", "9z"]},
        {"all_relevant_sentence_keys": ["general"], "all_utilized_sentence_keys": ["well_known_fact"]},
        {"sentence_support_information": [entry("a.")]},
        {"sentence_support_information": [], "unsupported_response_sentence_keys": ["b"]},
        {"sentence_support_information": [entry("a", "true"), entry("b", 0)]},
        {"more": {"of": "it"}},
    ],
)
def test_small_faults_do_not_spoil_an_answer(changes: dict[str, Any]) -> None:
    """Punctuation, pseudo-keys and a stray key are what annotators write."""
    assert read(**changes) is not None


def test_keys_are_kept_as_given() -> None:
    """Cleaning them is the metrics' business."""
    given = ["0b.", "0a", "0a", "general"]
    found = read(all_relevant_sentence_keys=given)
    assert found is not None
    assert found.all_relevant_sentence_keys == tuple(given)


def test_a_sentence_in_the_place_of_a_key_is_not_kept() -> None:
    """Log text must not come back into the results by way of a key."""
    found = read(all_relevant_sentence_keys=["0a", "0b: The pump runs.", "x" * 50, "0\x00a"])
    assert found is not None
    assert found.all_relevant_sentence_keys == ("0a", "not_a_key", "not_a_key", "not_a_key")


def adherence(**changes: Any) -> float | None:
    """Adherence of an answer about a log of two document and two response sentences."""
    documents = (Document("x", sentences=("It runs.", "It is blue.")),)
    sentences = Sentences.of(Log("l", "Q?", documents, "x", response_sentences=("It runs.", "It is blue.")))
    found = read(**changes)
    assert found is not None
    return score_annotation(annotate(sentences, [Window(("0a", "0b"), True)], [found], True)).adherence


def test_the_list_of_unsupported_sentences_decides() -> None:
    """Where it is given; the verdicts decide where it is not."""
    one_not = [entry("a"), entry("b", False)]
    assert adherence() == 1
    assert adherence(unsupported_response_sentence_keys=["b"]) == 0
    assert adherence(sentence_support_information=one_not) == 1
    assert adherence(sentence_support_information=one_not, unsupported_response_sentence_keys=None) == 0
    assert adherence(unsupported_response_sentence_keys=None) == 1


def test_a_missing_verdict_never_counts_as_supported() -> None:
    """Without the list every response sentence must be judged."""
    assert read(sentence_support_information=[entry("a")], unsupported_response_sentence_keys=None) is None


def test_explanations_are_short_plain_and_left_out_if_not_wanted() -> None:
    """No NUL, no half of a surrogate pair, one line."""
    long = "It\x00 says\n\ud800 so. " + "x" * 1_000
    found = read(sentence_support_information=[entry("a", explanation=long), entry("b")])
    assert found is not None
    kept = found.to_json(explanations=True)
    text = kept["sentence_support_information"][0]["explanation"]
    assert text.startswith("It says \ufffd so. xxx")
    assert len(text) == EXPLANATION_CHARACTERS
    json.dumps(kept, ensure_ascii=False).encode()
    assert "expla" not in json.dumps(found.to_json(explanations=False))


def test_what_is_kept_reads_back_to_the_same_answer() -> None:
    """With and without the list of unsupported sentences."""
    for changes in ({}, {"unsupported_response_sentence_keys": None}):
        found = read(**changes)
        assert found is not None
        assert check_answer(json.loads(json.dumps(found.to_json(explanations=True))), KNOWN) == found


def test_the_schema_is_strict_and_names_what_is_read() -> None:
    """Every object has all members required and no others; every member that is read is asked for."""
    objects = [ANSWER_SCHEMA, ANSWER_SCHEMA["properties"]["sentence_support_information"]["items"]]
    for item in objects:
        assert item["additionalProperties"] is False
        assert item["required"] == list(item["properties"])
    assert set(ANSWER_SCHEMA["properties"]) == set(Answer.model_fields)


def test_the_form_is_told_as_the_setting_says() -> None:
    """By schema, as any JSON object, or in the prompt alone."""
    told = response_format("json_schema")
    assert told is not None
    assert told["json_schema"]["strict"] is True
    assert told["json_schema"]["schema"] == ANSWER_SCHEMA
    assert response_format("json_object") == {"type": "json_object"}
    assert response_format("none") is None
