"""What an endpoint's answer holds, read without trust in it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from trace_core.errors import BadInput
from trace_core.texts import decode_json
from trace_pipeline.judges.contracts import Usage


class Message(BaseModel):
    """What the model said."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    """One of the answers; only the first is read."""

    message: Message
    finish_reason: str | None = None


class Completion(BaseModel):
    """The body of an answer, as far as it is used."""

    model: str | None = None
    choices: tuple[Choice, ...] = ()
    usage: Any = None

    def tokens(self) -> Usage | None:
        """Return what the endpoint counted; None where it says nothing that can be true."""
        try:
            counted = _Counted.model_validate(self.usage)
        except ValidationError:
            return None
        return Usage(counted.prompt_tokens, counted.completion_tokens)


Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class _Counted(BaseModel):
    prompt_tokens: Count
    completion_tokens: Count = 0


def read_completion(body: bytes) -> Completion | None:
    """Read the body of an answer; None where it is none."""
    try:
        return Completion.model_validate(decode_json(body.decode("utf-8"), "invalid_json"))
    except (BadInput, UnicodeDecodeError, ValidationError, RecursionError):
        return None


def asked_for_pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date); None without a readable one."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None  # NaN is a number for float()
