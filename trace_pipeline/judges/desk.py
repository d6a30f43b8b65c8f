"""Asking: the judge of a run over the account of a night, which stays shut once it has refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Protocol

from trace_core.digests import digest
from trace_core.errors import ConfigurationError, TemporaryFault, TraceError
from trace_core.records import Log
from trace_pipeline.judges.contracts import Account, Judge, Judged, Request, Usage


class Maker(Protocol):
    """Makes the parts of a judge: its account of a night, and the judge itself over an account."""

    def account(self, night: date, fingerprint: str) -> Account:
        """Open the account of a night."""

    def judge(self, account: Account) -> Judge:
        """Make the judge; the same parameters whatever the account."""


class Gate:
    """An account that stays shut once it has refused: a smaller log must not be asked out of its turn.

    Kept answers are given all the same: they cost nothing.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self.is_shut = False

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        """Return the kept answer, if there is one."""
        return self._account.kept(content_hash)

    def reserve(self, request: Request, attempt: int) -> int | None:
        """Promise a call its cost; None once the budget is spent."""
        call_id = None if self.is_shut else self._account.reserve(request, attempt)
        if call_id is None:
            self.is_shut = True
        return call_id

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Settle a call."""
        self._account.settle(call_id, request, outcome, usage, answer)


class FreshAccount:
    """An account without kept answers: it gives none and keeps none; calls and budget are the night's own."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        """Return nothing."""
        del content_hash
        return None

    def reserve(self, request: Request, attempt: int) -> int | None:
        """Promise a call its cost."""
        return self._account.reserve(request, attempt)

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Settle a call; its answer is not kept."""
        del answer
        self._account.settle(call_id, request, outcome, usage, None)


class OpenDesk:
    """The judge of one batch on the account of its night; safe to use from several threads."""

    def __init__(self, judge: Judge, gate: Gate) -> None:
        self.judge = judge
        self._gate = gate

    def ask(self, log: Log, logged_at: datetime) -> Judged:
        """Ask about a log, or take its kept answer; one that must not be sent ends with `scorer_error`."""
        try:
            return self.judge.judge(log, logged_at)
        except (ConfigurationError, TemporaryFault):
            raise
        except TraceError:  # its texts could not be redacted: the batch goes on without it
            return Judged(self.judge.content_hash(log), None, "scorer_error", 0, 0)

    def close(self) -> None:
        """Ask no more: calls under way end, no further one begins."""
        self._gate.is_shut = True


class Desk:
    """Where a scorer's judge is opened, once a batch."""

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self.parameters: Mapping[str, Any] = dict(maker.judge(NoAccount()).parameters)
        #: Of all that shapes an answer. Scorers that ask alike share their answers.
        self.fingerprint = digest("judge", self.parameters)

    def open(self, night: date, *, fresh: bool = False) -> OpenDesk:
        """Open the desk on the account of a night; fresh: no kept answer is taken, and none is kept."""
        account = self._maker.account(night, self.fingerprint)
        gate = Gate(FreshAccount(account) if fresh else account)
        return OpenDesk(self._maker.judge(gate), gate)


class NoAccount:
    """The account of a judge that is not asked."""

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        del content_hash
        return None

    def reserve(self, request: Request, attempt: int) -> int | None:
        del request, attempt
        return None

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        raise LookupError(call_id, request, outcome, usage, answer)
