"""A worker that spends a night's budget at random: run as a thread, or as a process that may be killed."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from threading import Timer

from trace_pipeline.database import connect
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.account import PostgresAccount
from trace_pipeline.judges.contracts import LogPlace, Request, Usage

NIGHT = date(2026, 10, 1)
AT = datetime(2026, 10, 1, 12, tzinfo=UTC)
FINGERPRINT = "f" * 16
ANSWER: Mapping[str, object] = {"overall_supported": True}
MOST_TOKENS = 500


def a_request(number: int, input_tokens: int = 100, output_tokens: int = 20) -> Request:
    """Return a question about the log of this number."""
    return Request(f"hash-{number}", LogPlace(f"log-{number}", AT), input_tokens, output_tokens)


@dataclass
class Spender:
    """Asks for kept answers, reserves, settles, settles twice, or forgets to; what it saw is for the test.

    answered: content hashes whose answers were kept, as all threads of a process know them.
    """

    url: str
    settings: JudgeSettings
    seed: int
    questions: int
    answered: set[str] = field(default_factory=set)
    asked_in_vain: list[str] = field(default_factory=list)
    refused: int = 0

    def spend(self, steps: int) -> None:
        """Do this many things at random, on a connection of its own."""
        draw = random.Random(self.seed)
        engine = connect(self.url, setting="test")
        account = PostgresAccount(engine, self.settings, NIGHT, FINGERPRINT, f"worker-{self.seed}")
        for _ in range(steps):
            self._step(draw, account)
        engine.dispose()

    def _step(self, draw: random.Random, account: PostgresAccount) -> None:
        most = draw.randint(1, MOST_TOKENS)
        request = a_request(draw.randrange(self.questions), most, draw.randint(0, MOST_TOKENS - most))
        was_answered = request.content_hash in self.answered
        if account.kept(request.content_hash) is not None:
            return
        if was_answered:
            self.asked_in_vain.append(request.content_hash)
        call_id = account.reserve(request, 1)
        if call_id is None:
            self.refused += 1
            return
        end = draw.random()
        if end < 0.2:
            return  # as a task that died
        usage = Usage(draw.randint(0, request.input_tokens), draw.randint(0, request.output_tokens))
        if end < 0.5:
            account.settle(call_id, request, "judge_unavailable", usage if end < 0.35 else None, None)
        else:
            account.settle(call_id, request, "answered", usage, ANSWER)
            self.answered.add(request.content_hash)
        if end > 0.9:
            account.settle(call_id, request, "judge_truncated", Usage(10**6, 10**6), None)


def main() -> None:
    """Spend by processes: URL, settings, questions, steps, and when each is killed, in seconds (0: never).

    One that is killed would spend on and on. Prints how each ended: 0, or minus the signal that killed it.
    They are forked here, where no thread runs.
    """
    url, settings, questions, steps, *lives = sys.argv[1:]
    children = []
    for seed, life in enumerate(map(float, lives)):
        child = os.fork()
        if not child:
            if life:
                timer = Timer(life, os.kill, (os.getpid(), signal.SIGKILL))
                timer.daemon = True
                timer.start()
            Spender(url, JudgeSettings.model_validate_json(settings), seed, int(questions)).spend(
                10**6 if life else int(steps)
            )
            os._exit(0)
        children.append(child)
    sys.stdout.write(" ".join(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])) for child in children))


if __name__ == "__main__":
    main()
