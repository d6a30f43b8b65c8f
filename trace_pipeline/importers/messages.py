"""The words in a payload: what was asked and answered, out of messages, parts and wrapped objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from trace_core.errors import BadInput
from trace_pipeline.importers.literals import looks_written, read_literal

_QUESTION_KEYS: Final = (
    "question query user_input user_query input prompt text content value messages message inputs kwargs"
).split()
_ANSWER_KEYS: Final = (
    "answer response output result text content completion value message messages generations choices"
    " outputs kwargs parts"
).split()
_USER: Final = frozenset({"user", "human", "humanmessage"})
_ANSWERER: Final = frozenset({"assistant", "ai", "model", "aimessage", "aimessagechunk"})
_MAX_DEPTH: Final = 12
_ERROR_TEXT: Final = re.compile(
    r"\s*(Error code: \d{3}\b|HTTP(Error)? \d{3}\b"
    r"|(openai|anthropic|google|groq|mistralai|litellm)\.[\w.]*(Error|Exception)\b"
    r"|[\w.]*(RateLimit|APIConnection|APITimeout|Timeout|ServiceUnavailable|InternalServer|Authentication)Error\b"
    r"|\d{3} (Too Many Requests|Service Unavailable|Internal Server Error|Bad Gateway|Gateway Time-?out)\b"
    r"|Traceback \(most recent call last\))"
)


def question_of(value: Any) -> Any:
    """Return the text that was asked; the value itself where no text can be found in it."""
    return _words(value, _QUESTION_KEYS, _USER, 0) if not _plain(value) else value


def answer_of(value: Any) -> Any:
    """Return the text that was answered; BadInput `provider_error` for an object that reports an error."""
    opened = _opened(value)
    if (
        isinstance(opened, Mapping)
        and opened.get("error")
        and not any(opened.get(key) for key in ("answer", "output", "content", "text"))
    ):
        raise BadInput("provider_error", "the answer is an error object")
    return _words(value, _ANSWER_KEYS, _ANSWERER, 0) if not _plain(value) else value


def reads_like_an_error(answer: Any) -> bool:
    """Does a text begin like the error of a provider or an HTTP client?"""
    return isinstance(answer, str) and bool(_ERROR_TEXT.match(answer[:300]))


def _plain(value: Any) -> bool:
    return value is None or (isinstance(value, str) and _opened(value) is value)


def _opened(value: Any) -> Any:
    """Open a text of an object or of a list of objects; other texts are words, whatever they begin with."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and looks_written(value):
        try:
            found = read_literal(value)
        except ValueError:
            return value
        if isinstance(found, Mapping) or (
            isinstance(found, list) and found and isinstance(found[0], Mapping)
        ):
            return found
    return value


def _words(value: Any, keys: Iterable[str], roles: frozenset[str], depth: int) -> Any:
    value = _opened(value)
    if value is None or isinstance(value, str) or depth > _MAX_DEPTH:
        return value
    if isinstance(value, list | tuple):
        return _of_list(list(value), keys, roles, depth)
    if isinstance(value, Mapping):
        for key in keys:
            if value.get(key) not in (None, "", [], {}):
                return _words(value[key], keys, roles, depth + 1)
        if len(value) == 1:
            only = next(iter(value.values()))
            return only if isinstance(only, str) else value
    return value


def _of_list(value: list[Any], keys: Iterable[str], roles: frozenset[str], depth: int) -> Any:
    messages = [item for item in value if isinstance(item, Mapping) and _role(item)]
    chosen = [item for item in messages if _role(item) in roles]
    if messages:
        return (
            _words(chosen[-1], ("content", "parts", "text", "kwargs", "message"), roles, depth + 1)
            if chosen
            else value
        )
    parts = [_part(item) for item in value]
    if parts and all(isinstance(part, str) for part in parts):
        return "\n".join(parts)
    if len(value) == 1 or (value and isinstance(value[0], list | tuple)):
        return _words(value[0], keys, roles, depth + 1)  # one choice; LangChain's list of lists
    return _words(value[-1], keys, roles, depth + 1) if value else value


def _role(message: Mapping[str, Any]) -> str:
    kind = message.get("id")
    named = kind[-1] if isinstance(kind, list) and kind else None
    for found in (message.get("role"), named, message.get("type")):
        if isinstance(found, str) and found.lower() in _ROLES:
            return found.lower()
    return ""


_ROLES: Final = (
    _USER | _ANSWERER | {"system", "tool", "function", "developer", "systemmessage", "toolmessage"}
)


def _part(item: Any) -> Any:
    """Return the text of a part of a message; parts that are no text (a tool call, an image) are empty."""
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping) and isinstance(item.get("type"), str):
        found = item.get("text", item.get("content"))
        return found if isinstance(found, str) else "" if item["type"] != "text" else None
    if isinstance(item, Mapping) and set(item) == {"text"}:
        return item["text"]
    return None
