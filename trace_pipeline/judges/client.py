"""One call to an OpenAI-compatible endpoint, and what came of it, in the words of the reason codes.

The whole call has one deadline that covers connecting, headers and body, so that bytes that arrive one by
one do not prolong it. No redirect is followed, no proxy and no key is taken from the environment, and nothing
of a request or an answer is logged.
"""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal

from openai import (
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    OpenAIError,
    Timeout,
)

from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.completion import asked_for_pause, read_completion
from trace_pipeline.judges.contracts import Request, Usage
from trace_pipeline.judges.endpoint import Endpoint
from trace_pipeline.judges.schema import response_format

#: Longest wait for a connection, in seconds: a host that is down is known sooner than a model that thinks.
CONNECT_SECONDS: Final = 10.0
#: Bytes of an answer's body, for each token asked for and on top: beyond, it is no answer to this question.
BYTES_PER_TOKEN: Final = 64
BYTES_ON_TOP: Final = 1_000_000

#: All headers that leave: the client's own would name this machine, and others come from the environment.
_SENT_HEADERS: Final = frozenset(
    (
        *("host", "accept", "accept-encoding", "connection"),
        *("content-type", "content-length", "transfer-encoding"),
        "x-stainless-raw-response",  # the client reads it back from its own request
    )
)
_NEVER_SENT: Final = frozenset(("ConnectError", "ConnectTimeout", "PoolTimeout"))
_LIBRARIES: Final = ("openai", "httpx", "httpcore", "httpx2", "httpcore2")

Next = Literal["take", "again", "stop", "break"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a call.

    outcome: `answered`, or a reason code. text: the message, when answered.
    usage: as the endpoint counted; None where it did not say. paid: it may have cost something.
    then: `take` the answer, ask `again`, `stop` (that cannot help this log), or `break` (nor any other log).
    pause: seconds the endpoint asks to wait, if it does. about_request: it rejects this request, not the key.
    detail: for people who have to mend it; nothing of a log.
    """

    outcome: str
    then: Next
    text: str = ""
    usage: Usage | None = None
    paid: bool = True
    pause: float | None = None
    about_request: bool = False
    detail: str = ""

    def spent(self, request: Request) -> Usage | None:
        """Return what the call cost: as counted, else as reserved; None where it cost nothing for sure."""
        if not self.paid:
            return None
        return self.usage or Usage(request.input_tokens, request.output_tokens)


class Client:
    """Calls an endpoint; safe to use from several threads, because each call has a connection of its own."""

    def __init__(self, endpoint: Endpoint, settings: JudgeSettings) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._model = settings.answering_model or settings.model
        self._limit = "max_tokens"
        # The system's certificates and those of SSL_CERT_FILE, where a private authority is set up.
        secure = endpoint.url.lower().startswith("https:")
        self._verify: ssl.SSLContext | bool = ssl.create_default_context() if secure else False
        for name in _LIBRARIES:  # at their debug level they write whole prompts
            logging.getLogger(name).setLevel(logging.WARNING)

    def ask(self, messages: list[dict[str, str]], seed: int | None, answer_tokens: int) -> Reply:
        """Make one call. Raises nothing for what the endpoint does."""
        options = self._options(messages, seed, answer_tokens)
        try:
            body = asyncio.run(self._call(options, answer_tokens))
        except TimeoutError:
            return Reply("judge_unavailable", "again")
        except APIStatusError as error:
            if self._renames_limit(error, options):
                return Reply("judge_misconfigured", "again", paid=False)
            return _refused(error)
        except APIConnectionError as error:
            sent = type(error.__cause__).__name__ not in _NEVER_SENT
            return Reply("judge_unavailable", "again", paid=sent)
        except (OpenAIError, _BrokenBody):
            return Reply("judge_unavailable", "again")
        return self._read(body)

    def _options(
        self, messages: list[dict[str, str]], seed: int | None, answer_tokens: int
    ) -> dict[str, Any]:
        options: dict[str, Any] = {
            "model": self._settings.model,
            "messages": messages,
            self._limit: answer_tokens,
        }
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        if seed is not None:
            options["seed"] = seed
        form = response_format(self._settings.structured_output)
        if form is not None:
            options["response_format"] = form
        return options

    async def _call(self, options: Mapping[str, Any], answer_tokens: int) -> bytes:
        seconds = self._settings.timeout_seconds
        asyncio.get_running_loop().set_default_executor(_Unawaited())
        http = DefaultAsyncHttpxClient(
            trust_env=False,
            follow_redirects=False,
            verify=self._verify,
            event_hooks={"request": [self._clean_headers]},
        )
        async with asyncio.timeout(seconds), http:
            client = AsyncOpenAI(
                base_url=self._endpoint.url,
                api_key=self._endpoint.key or "none",
                max_retries=0,
                timeout=Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
                http_client=http,
            )
            create = client.chat.completions.with_streaming_response.create
            async with create(**options) as response:
                return await _whole(response, BYTES_ON_TOP + BYTES_PER_TOKEN * answer_tokens)

    def _renames_limit(self, error: APIStatusError, sent: Mapping[str, Any]) -> bool:
        """Note that this model wants the newer name of the answer's limit, as some hosted ones do."""
        wants = error.status_code == 400 and error.param == "max_tokens" and "max_tokens" in sent
        if wants:
            self._limit = "max_completion_tokens"
        return wants

    async def _clean_headers(self, request: Any) -> None:
        for name in list(request.headers):
            if name.lower() not in _SENT_HEADERS:
                del request.headers[name]
        request.headers["user-agent"] = "trace-nightly"
        if self._endpoint.key:
            request.headers["authorization"] = f"Bearer {self._endpoint.key}"

    def _read(self, body: bytes) -> Reply:
        found = read_completion(body)
        if found is None:
            return Reply("judge_invalid_answer", "again")
        usage = found.tokens()
        if found.model and found.model != self._model:
            detail = f"it answers as {found.model[:100]!r}"
            return Reply("judge_other_model", "break", usage=usage, detail=detail)
        if not found.choices:
            return Reply("judge_invalid_answer", "again", usage=usage)
        choice = found.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Reply("judge_refused", "stop", usage=usage)
        if choice.finish_reason == "length":
            return Reply("judge_truncated", "again", usage=usage)
        return Reply("answered", "take", choice.message.content or "", usage)


class _Unawaited(ThreadPoolExecutor):
    """Threads that the end of a call does not wait for: looking a name up cannot be cancelled."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        super().shutdown(wait=False, cancel_futures=cancel_futures)


class _BrokenBody(Exception):
    """The answer's body ended early, could not be decoded, or has no end."""


async def _whole(response: Any, limit: int) -> bytes:
    body = bytearray()
    try:
        async for piece in response.iter_bytes():
            body += piece
            if len(body) > limit:
                raise _BrokenBody
    except _BrokenBody:
        raise
    except Exception as error:  # of whichever HTTP library the client uses: the connection broke in mid-body
        raise _BrokenBody from error
    return bytes(body)


#: Errors of a rejected request that are about one log; endpoints tell them by code, type or words.
_TOO_LONG: Final = re.compile(r"context.?(?:length|size|window)", re.IGNORECASE)
_FILTERED: Final = re.compile(r"content.?(?:filter|policy)", re.IGNORECASE)


def _refused(error: APIStatusError) -> Reply:
    """Return what an HTTP status other than 2xx means. Nothing was paid for what was refused unread."""
    status = error.status_code
    if error.code == "insufficient_quota":
        return Reply("judge_unavailable", "break", paid=False, detail="its quota is used up")
    if status in (408, 425, 429) or status >= 500:
        pause = asked_for_pause(error.response.headers)
        return Reply("judge_unavailable", "again", paid=status not in (425, 429), pause=pause)
    if status == 413:
        return Reply("judge_prompt_too_long", "stop", paid=False)
    said = f"{error.code} {error.type} {error.message}"
    if status in (400, 422) and _TOO_LONG.search(said):
        return Reply("judge_prompt_too_long", "stop", paid=False)
    if status in (400, 422) and _FILTERED.search(said):
        return Reply("judge_refused", "stop", paid=False)
    about_request = status in (400, 422)
    detail = f"HTTP status {status}"
    return Reply("judge_misconfigured", "break", paid=False, about_request=about_request, detail=detail)
