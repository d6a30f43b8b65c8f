"""The account of a night in Postgres: what the judge may still cost, what it did cost, and kept answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine

from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.contracts import Request, Usage
from trace_pipeline.sqlfiles import query


def price(usage: Usage, settings: JudgeSettings) -> Decimal:
    """Return what tokens cost, in the unit of the prices, exactly.

    >>> price(Usage(1_000, 100), JudgeSettings(price_per_million_input_tokens=2.5))
    Decimal('0.0025000')
    """
    sent = usage.input_tokens * _exact(settings.price_per_million_input_tokens)
    answered = usage.output_tokens * _exact(settings.price_per_million_output_tokens)
    return (sent + answered).scaleb(-6)


def _exact(value: float) -> Decimal:
    # As it was written in the settings: Decimal(0.1) has 55 digits.
    return Decimal(str(value))


class PostgresAccount:
    """The account of one night for one judge; all tasks of a run share it, whatever machine they are on.

    Beyond a limit nothing is promised, so that calls under way and calls made never pass it together. A task
    that dies leaves its calls under way: they count as paid, by the most they can take. The limits bound what
    is asked for: an endpoint that counts more tokens than a call was promised is booked as it counts, and the
    rest of the night has less.

    Limits are the settings' at each call; one that was changed holds from the next call on. One that was
    lowered below what is spent takes nothing back. Safe to use from several threads.
    """

    def __init__(
        self, engine: Engine, settings: JudgeSettings, night: date, fingerprint: str, run_id: str
    ) -> None:
        # A task waits for the night's row and then needs its latest sums, whatever the server's default.
        self._engine = engine.execution_options(isolation_level="READ COMMITTED")
        self._settings = settings
        self._run_id = run_id
        self._judge = {"night": night, "fingerprint": fingerprint}
        money = settings.money_per_night
        self._limits = {
            "night": night,
            "calls_limit": settings.calls_per_night,
            "tokens_limit": settings.tokens_per_night,
            "money_limit": None if money is None else _exact(money),
        }

    def kept(self, content_hash: str) -> Mapping[str, Any] | None:
        """Return the kept answer to this question, if it was ever answered; the night counts it."""
        place = {**self._judge, **self._limits, "content_hash": content_hash}
        with self._engine.begin() as connection:
            answer: Mapping[str, Any] | None = connection.execute(query("kept_answer"), place).scalar()
        return answer

    def reserve(self, request: Request, attempt: int) -> int | None:
        """Promise a call its most tokens and money; None when the night's budget has no room for it."""
        most = Usage(request.input_tokens, request.output_tokens)
        place = {
            **self._judge,
            **self._limits,
            "content_hash": request.content_hash,
            "log_id": request.place.log_id,
            "logged_at": request.place.logged_at,
            **_taken(most, self._settings),
            "attempt": attempt,
            "run_id": self._run_id,
        }
        with self._engine.begin() as connection:
            call_id: int | None = connection.execute(query("reserve_call"), place).scalar()
            if call_id is None:
                connection.execute(query("refuse_call"), self._limits)
        return call_id

    def settle(
        self,
        call_id: int,
        request: Request,
        outcome: str,
        usage: Usage | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Replace what was promised by what was used, and keep the answer; a settled call stays as it is.

        usage None: nothing was paid for sure, so tokens and money go back; the call still counts. The answer
        is kept for the log that the call was reserved for; of a log that was erased meanwhile nothing is.
        """
        del request  # the call itself knows what it was promised, and for which log
        taken = _taken(usage or Usage(0, 0), self._settings)
        with self._engine.begin() as connection:
            if answer is not None:
                kept = {"call_id": call_id, "answer": json.dumps(answer)}
                connection.execute(query("keep_answer"), kept)
            connection.execute(query("settle_call"), {"call_id": call_id, "outcome": outcome, **taken})


def _taken(usage: Usage, settings: JudgeSettings) -> dict[str, object]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "money": price(usage, settings),
    }
