"""The form of a judge's answer: RAGBench's annotation names, told to the endpoint, read back and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from trace_core.errors import BadInput
from trace_core.keys import PSEUDO_KEYS, tidy
from trace_core.texts import decode_json, encodable

#: Characters of an explanation that are kept.
EXPLANATION_CHARACTERS: Final = 300
#: Fewer existing keys than this share of all keys of documents: the answer is about something else.
LEAST_KNOWN_SHARE: Final = 0.2
#: Takes the place of a key that cannot be one: a model may write a sentence there, and text is not kept.
NO_KEY: Final = "not_a_key"

_KEY: Final = re.compile(r"[^\s\x00-\x1f\x7f]{1,40}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_THOUGHTS: Final = re.compile(r"<think>.*?</think>", re.DOTALL)
_KEYS: Final = {"type": "array", "items": {"type": "string"}}


def _object(**properties: Any) -> dict[str, Any]:
    # Strict structured output wants every member required and no others.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


#: JSON schema of an answer. An explanation stands before its verdict, so that the verdict follows from it.
ANSWER_SCHEMA: Final[Mapping[str, Any]] = _object(
    all_relevant_sentence_keys=_KEYS,
    sentence_support_information={
        "type": "array",
        "items": _object(
            response_sentence_key={"type": "string"},
            explanation={"type": "string"},
            supporting_sentence_keys=_KEYS,
            fully_supported={"type": "boolean"},
        ),
    },
    all_utilized_sentence_keys=_KEYS,
    unsupported_response_sentence_keys=_KEYS,
    overall_supported_explanation={"type": "string"},
    overall_supported={"type": "boolean"},
)


def response_format(structured_output: str) -> dict[str, Any] | None:
    """Return the request's `response_format` for the setting judge.structured_output; None = none is sent."""
    if structured_output == "json_schema":
        schema = {"name": "sentence_annotation", "strict": True, "schema": dict(ANSWER_SCHEMA)}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if structured_output == "json_object" else None


def plain_explanation(text: str) -> str:
    """Return an explanation as it is kept: one line that can be stored, cut off at EXPLANATION_CHARACTERS."""
    return encodable(" ".join(_CONTROL.sub(" ", text).split()))[:EXPLANATION_CHARACTERS]


def _key(text: str) -> str:
    text = text.strip()
    return encodable(text) if _KEY.fullmatch(text) else NO_KEY


class Support(BaseModel):
    """One response sentence of an answer."""

    model_config = ConfigDict(frozen=True)
    response_sentence_key: str
    explanation: str = ""
    supporting_sentence_keys: tuple[str, ...] = ()
    fully_supported: bool

    @field_validator("response_sentence_key")
    @classmethod
    def _one_key(cls, value: str) -> str:
        return _key(value)

    @field_validator("supporting_sentence_keys")
    @classmethod
    def _keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(_key, value))

    @field_validator("explanation")
    @classmethod
    def _explanation(cls, value: str) -> str:
        return plain_explanation(value)


class Answer(BaseModel):
    """One answer about one window: keys as given, whatever they name. Other members are ignored."""

    model_config = ConfigDict(frozen=True)
    all_relevant_sentence_keys: tuple[str, ...]
    all_utilized_sentence_keys: tuple[str, ...]
    sentence_support_information: tuple[Support, ...]
    unsupported_response_sentence_keys: tuple[str, ...] | None = None
    overall_supported: bool | None = None
    overall_supported_explanation: str = ""

    @field_validator("all_relevant_sentence_keys", "all_utilized_sentence_keys")
    @classmethod
    def _keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(_key, value))

    @field_validator("unsupported_response_sentence_keys")
    @classmethod
    def _optional_keys(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else tuple(map(_key, value))

    @field_validator("overall_supported_explanation")
    @classmethod
    def _explanation(cls, value: str) -> str:
        return plain_explanation(value)

    def unsupported(self) -> tuple[str, ...]:
        """Return the unsupported response sentences: the list where there is one, else from the verdicts."""
        if self.unsupported_response_sentence_keys is not None:
            return self.unsupported_response_sentence_keys
        entries = self.sentence_support_information
        return tuple(entry.response_sentence_key for entry in entries if not entry.fully_supported)

    def to_json(self, explanations: bool) -> dict[str, Any]:
        """Return what is kept of the answer; explanations only if wanted."""
        value = self.model_dump(mode="json")
        if not explanations:
            value.pop("overall_supported_explanation")
            for entry in value["sentence_support_information"]:
                entry.pop("explanation")
        return value


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """Keys of the sentences that were asked about."""

    documents: frozenset[str]
    response: frozenset[str]


def read_answer(text: str, known: KnownKeys) -> Answer | None:
    """Read a model's message; None where it has not the form asked for or is about other sentences.

    What surrounds the JSON object (thoughts, a code fence, a word of introduction) is passed over.
    """
    text = _THOUGHTS.sub("", text)
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = decode_json(text[start : end + 1], "invalid_json")
    except BadInput:
        return None
    return check_answer(value, known)


def check_answer(value: object, known: KnownKeys) -> Answer | None:
    """Return the answer that a JSON value is, if it is one about the known sentences."""
    try:
        answer = Answer.model_validate(value)
    except (ValidationError, RecursionError):
        return None
    return answer if _about_documents(answer, known) and _about_response(answer, known) else None


def _tidied(keys: Iterable[str]) -> list[str]:
    return [key for key in map(tidy, keys) if key not in PSEUDO_KEYS]


def _about_documents(answer: Answer, known: KnownKeys) -> bool:
    given = _tidied((*answer.all_relevant_sentence_keys, *answer.all_utilized_sentence_keys))
    existing = sum(key in known.documents for key in given)
    return not given or existing >= LEAST_KNOWN_SHARE * len(given)


def _about_response(answer: Answer, known: KnownKeys) -> bool:
    """Is every response sentence judged, or are the unsupported ones listed and is one judged at least?"""
    judged = frozenset(_tidied(entry.response_sentence_key for entry in answer.sentence_support_information))
    listed = answer.unsupported_response_sentence_keys
    if listed is None:
        return known.response <= judged
    unsupported = frozenset(_tidied(listed))
    if unsupported and not unsupported & known.response:
        return False
    return not known.response or bool((judged | unsupported) & known.response)
