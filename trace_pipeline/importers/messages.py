"""The words in a payload: what was asked and answered, out of messages, parts and wrapped objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from trace_core.errors import BadInput
from trace_pipeline.importers.literals import looks_written, printed_text, read_literal

_QUESTION_KEYS: Final = (
    "question query user_input user_query input prompt text content value messages message inputs kwargs args"
).split()
_ANSWER_KEYS: Final = (
    "answer final_answer response output output_text result text content completion reply generated_text"
    " value message messages generations choices candidates outputs kwargs parts"
).split()
_USER: Final = frozenset({"user", "human", "humanmessage"})
_ANSWERER: Final = frozenset({"assistant", "ai", "model", "aimessage", "aimessagechunk"})
_MAX_DEPTH: Final = 12
_ERROR_TEXT: Final = re.compile(
    r"\s*(Error code: \d{3}\b|HTTP(Error)? \d{3}\b"
    r"|(openai|anthropic|google|groq|mistralai|litellm)\.[\w.]*(Error|Exception)\b"
    r"|[\w.]*(RateLimit|APIConnection|APITimeout|Timeout|ServiceUnavailable|InternalServer|Authentication)Error\b"
    r"|\d{3} (Too Many Requests|Service Unavailable|Internal Server Error|Bad Gateway|Gateway Time-?out)\b"
    r"|Traceback \(most recent call last\)"
    r"|(An )?(unexpected |internal )?error( has)? occurred\b|Error: |Internal server error\b"
    r"|(Request timed out|Connection error)\.?\s*$|[A-Za-z]*(Throttling|ServiceUnavailable)Exception\b"
    r"|upstream connect error\b|<(!doctype )?html|The response was filtered due to\b)",
    re.IGNORECASE,
)
_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call"})
_FAILED: Final = frozenset({"error", "failed", "failure"})


def question_of(value: Any) -> Any:
    """Return the text that was asked; the value itself where no text can be found in it."""
    return _found(value, _QUESTION_KEYS, _USER)


def answer_of(value: Any) -> Any:
    """Return the text that was answered, None for an empty list or object.

    Raises BadInput: `provider_error` for an object that reports an error, `response_not_text` for a call
    of a tool.
    """
    opened = _opened(value)
    if isinstance(opened, Mapping) and not any(
        opened.get(key) for key in ("answer", "output", "content", "text")
    ):
        told = str(opened.get("status") or opened.get("type")).lower()
        if opened.get("error") or told in _FAILED:
            raise BadInput("provider_error", "the answer is an error object")
    found = _found(value, _ANSWER_KEYS, _ANSWERER)
    if not (isinstance(found, str) and found.strip()) and _calls_a_tool(opened):
        raise BadInput("response_not_text", "a call of a tool, which is no answer yet")
    return found


def ends_with_an_answer(value: Any) -> bool:
    """Is this a conversation whose last message is the answer?"""
    opened = _opened(value)
    return (
        isinstance(opened, list | tuple)
        and bool(opened)
        and isinstance(opened[-1], Mapping)
        and _role(opened[-1]) in _ANSWERER
    )


def unquoted(value: Any) -> Any:
    """Return the text inside of a JSON string that is stored as text, as tracing tools do; else the value."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            found = json.loads(value)
        except ValueError:
            return value
        return found if isinstance(found, str) else value
    return value


def _found(value: Any, keys: Iterable[str], roles: frozenset[str]) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)  # pandas and JSON make numbers of answers such as 42
    if _plain(value):
        return printed_text(value) if isinstance(value, str) else value
    if value in ([], {}):
        return None
    found = _words(value, keys, roles, 0)
    return value if isinstance(value, str) and not isinstance(found, str) else found


def _calls_a_tool(value: Any, depth: int = 0) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and depth < _MAX_DEPTH and _calls_a_tool(value[-1], depth + 1)
    if depth >= _MAX_DEPTH or not isinstance(value, Mapping):
        return False
    if value.get("tool_calls") or value.get("function_call") or str(value.get("type")) in _CALLS:
        return True
    return any(
        _calls_a_tool(value.get(key), depth + 1)
        for key in ("parts", "content", "messages", "message", "output")
    )


def reads_like_an_error(answer: Any) -> bool:
    """Does a text begin like the error of a provider or an HTTP client?"""
    return isinstance(answer, str) and bool(_ERROR_TEXT.match(answer[:300]))


def _plain(value: Any) -> bool:
    return value is None or (isinstance(value, str) and _opened(value) is value)


def _opened(value: Any) -> Any:
    """Open a text of an object or of a list of objects; other texts are words, whatever they begin with."""
    if isinstance(value, str) and value.lstrip()[:1] in _OPENING and looks_written(value):
        try:
            found = read_literal(value)
        except ValueError:
            return value
        if isinstance(found, Mapping) or (
            isinstance(found, list) and found and isinstance(found[0], Mapping)
        ):
            return found
    return value


_OPENING: Final = ("{", "[", "A", "H", "C")  # also AIMessage(...), HumanMessage(...), ChatMessage(...)


def _words(value: Any, keys: Iterable[str], roles: frozenset[str], depth: int) -> Any:
    value = _opened(value)
    if value is None or isinstance(value, str) or depth > _MAX_DEPTH:
        return value
    if isinstance(value, list | tuple):
        return _of_list(list(value), keys, roles, depth)
    if isinstance(value, Mapping):
        for key in keys:
            if value.get(key) not in (None, "", [], {}):
                inner = value[key][:1] if key == "args" and isinstance(value[key], list) else value[key]
                return _words(inner, keys, roles, depth + 1)
        if len(value) == 1:
            only = next(iter(value.values()))
            return only if isinstance(only, str) else value
    return value


def _of_list(value: list[Any], keys: Iterable[str], roles: frozenset[str], depth: int) -> Any:
    value = [_pair(item) for item in value]
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
        return "\n".join(part for part in parts if part)
    if len(value) == 1 or (value and isinstance(value[0], list | tuple)):
        return _words(value[0], keys, roles, depth + 1)  # one choice; LangChain's list of lists
    return _words(value[-1], keys, roles, depth + 1) if value else value


def _pair(item: Any) -> Any:
    """Return LangChain's pair of role and text, `("human", "...")`, as a message."""
    if isinstance(item, list | tuple) and len(item) == 2 and all(isinstance(part, str) for part in item):
        return {"role": item[0], "content": item[1]} if item[0].lower() in _ROLES else item
    return item


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
