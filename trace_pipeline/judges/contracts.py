"""What the parts of a judge give each other: an answer, the account of its calls, and what must not leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from trace_core.annotation import Annotation
from trace_core.records import Log


@dataclass(frozen=True, slots=True)
class LogPlace:
    """The log on whose account a call is made: its id and time."""

    log_id: str
    logged_at: datetime


@dataclass(frozen=True, slots=True)
class Request:
    """One question to the judge.

    content_hash: of the texts asked about (before redaction), with the part asked about where a log is split.
    input_tokens, output_tokens: the most that the call can take, for the reservation.
    """

    content_hash: str
    place: LogPlace
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call as the endpoint counted them; as reserved where it did not say."""

    input_tokens: int
    output_tokens: int


class Account(Protocol):
    """The account of all calls of a night, shared by all tasks. Each method is a transaction of its own."""

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        """Return the kept answer to this question, if it was ever answered."""

    def reserve(self, request: Request, attempt: int) -> int | None:
        """Promise a call its most tokens and money; None when the night's budget has no room for it."""

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Replace what was promised by what was used, and keep the answer, in one transaction.

        outcome: `answered`, or the reason why there is no answer. usage None: nothing was paid for sure
        (refused before it was read, such as by 429), so tokens and money go back; the call still counts.
        """


class Opened(Protocol):
    """The texts of one log as they may leave, and the way back, which is in memory only."""

    @property
    def texts(self) -> list[str]:
        """The texts with placeholders; equal values have equal placeholders."""

    def restore(self, text: str) -> str:
        """Return a text that quotes placeholders with the values they stand for."""


class Redaction(Protocol):
    """Replaces what must not leave, consistently within one log."""

    @property
    def rules(self) -> Mapping[str, Any]:
        """What it replaces and by which version of its rules: part of the judge's fingerprint."""

    def open(self, texts: Sequence[str]) -> Opened:
        """Redact the texts of one log. TraceError when they must not be sent."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What asking about one log came to: an annotation, or the reason code why there is none.

    reason: a failure reason of `trace_core.reasons`, or `budget`.
    calls, kept: calls made, and parts answered from kept answers.
    """

    content_hash: str
    annotation: Annotation | None
    reason: str | None
    calls: int
    kept: int


class Judge(Protocol):
    """Asks about one log; safe to use from several threads. Never raises for what an endpoint does."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All that shapes an answer: prompt, model, temperature, seed, splitting, redaction."""

    def content_hash(self, log: Log) -> str:
        """Return the hash of what a log would be asked with."""

    def estimate(self, log: Log) -> Usage:
        """Return the most tokens that asking about a log can take, retries left out."""

    def judge(self, log: Log, logged_at: datetime) -> Judged:
        """Ask, or take the kept answer."""
