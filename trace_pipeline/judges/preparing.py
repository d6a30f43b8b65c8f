"""Asking about a batch before its transaction: plan over all due logs, ask in threads, keep the answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from datetime import date
from itertools import tee
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from trace_core.records import Log
from trace_core.scorers import Evaluation
from trace_core.scorers.base import JSON, LogSentences
from trace_pipeline.judges.contracts import Judged, Usage
from trace_pipeline.judges.desk import OpenDesk
from trace_pipeline.judges.selection import Candidate, is_drawn, select
from trace_pipeline.source import Entry

if TYPE_CHECKING:
    from trace_pipeline.judges.scorer import JudgeScorer

#: Answers that a task holds in memory; of more it holds the probabilities, and takes the kept answers again.
MOST_HELD: Final = 5_000

Placed = tuple[Entry, Log]


@dataclass(frozen=True)
class DueLogs:
    """The logs of a batch that are due for one scorer.

    drawn: of those that an earlier night drew and could not ask, or got no answer about, with which
    probability. read: gives the logs of some entries in their order; those that have changed since, or cannot
    be read, are left out. read_in_turn: the same for entries far apart, of which fewer are held at a time.
    usual: what one call of the judge took in the nights before, if that is known.
    """

    entries: Sequence[Entry]
    drawn: Mapping[Entry, float]
    read: Callable[[Sequence[Entry]], Iterator[Placed]]
    read_in_turn: Callable[[Sequence[Entry]], Iterator[Placed]]
    usual: Usage | None = None


@runtime_checkable
class Costly(Protocol):
    """A scorer that asks before a batch's transaction, so that none is open while a model thinks."""

    @property
    def answers(self) -> str:
        """The fingerprint under which its judge's answers and calls are kept."""

    def prepare(self, due: DueLogs, night: date, share: float) -> JudgedBatch:
        """Ask; returns the scorer of that batch."""


class JudgedBatch:
    """A costly scorer for one batch: it has asked, and knows what was planned for each log."""

    def __init__(self, scorer: JudgeScorer, desk: OpenDesk, probabilities: Mapping[Entry, float]) -> None:
        self._scorer = scorer
        self._desk = desk
        self._probabilities = probabilities
        self._answers: dict[Entry, Judged] = {}

    def hold(self, entry: Entry, judged: Judged) -> None:
        """Keep an answer for the transaction; above MOST_HELD the account's kept one does."""
        if len(self._answers) < MOST_HELD or judged.annotation is None:
            self._answers[entry] = judged

    def score_placed(self, logs: Iterable[Placed]) -> Iterator[Evaluation]:
        """Score a stream in its order; a log that was not there before is planned and asked now."""
        placed, again = tee(logs)
        cheap = self._scorer.cheap.score_many(log for _, log in again)
        for (entry, log), lexical in zip(placed, cheap, strict=True):
            yield self._scorer.settle(lexical) or self._judged(entry, log, lexical)

    def _judged(self, entry: Entry, log: Log, lexical: Evaluation) -> Evaluation:
        probability = self._probabilities.get(entry, self._scorer.rate)
        judged = self._answers.get(entry)
        if judged is None and is_drawn(entry.log_id, probability):
            judged = self._desk.ask(log, entry.logged_at)
        return self._scorer.evaluation(lexical, judged, probability)

    @property
    def name(self) -> str:
        """The scorer's."""
        return self._scorer.name

    @property
    def fingerprint(self) -> str:
        """The scorer's."""
        return self._scorer.fingerprint

    @property
    def parameters(self) -> Mapping[str, JSON]:
        """The scorer's."""
        return self._scorer.parameters

    def score(self, log: Log) -> Evaluation:
        """Score a log that is not of the batch."""
        return self._scorer.score(log)

    def sentences(self, log: Log) -> LogSentences:
        """The scorer's."""
        return self._scorer.sentences(log)

    def score_many(self, logs: Iterable[Log]) -> Iterator[Evaluation]:
        """Score logs that are not of the batch."""
        return self._scorer.score_many(logs)


def prepare(scorer: JudgeScorer, due: DueLogs, night: date, share: float) -> JudgedBatch:
    """Plan a batch for a scorer, and ask about the drawn logs in the order of the plan."""
    desk = scorer.desk.open(night)
    candidates = list(_candidates(scorer, desk, due))
    selection = select(candidates, scorer.rate, scorer.settings, share, due.usual)
    batch = JudgedBatch(scorer, desk, selection.probabilities)
    _ask(batch, desk, due.read_in_turn(selection.drawn), scorer.settings.concurrency)
    return batch


def _candidates(scorer: JudgeScorer, desk: OpenDesk, due: DueLogs) -> Iterator[Candidate]:
    """Yield the logs that are the judge's turn; of none more than its numbers is kept."""
    segment = scorer.settings.sampling_segment
    placed, again = tee(due.read(due.entries))
    for (entry, log), lexical in zip(placed, scorer.cheap.score_many(log for _, log in again), strict=True):
        if scorer.settle(lexical) is None:
            stratum = log.segments.get(segment, "") if segment else ""
            chance = lexical.adherence_probability
            yield Candidate(entry, chance, stratum, desk.judge.estimate(log), due.drawn.get(entry))


def _ask(batch: JudgedBatch, desk: OpenDesk, logs: Iterator[Placed], concurrency: int) -> None:
    """Ask in threads, as many at a time as the setting says; only their logs are held."""
    waiting: deque[tuple[Entry, Future[Judged]]] = deque()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="judge")
    try:
        for entry, log in logs:
            if len(waiting) >= 2 * concurrency:
                first, answer = waiting.popleft()
                batch.hold(first, answer.result())
            waiting.append((entry, pool.submit(copy_context().run, desk.ask, log, entry.logged_at)))
        while waiting:
            first, answer = waiting.popleft()
            batch.hold(first, answer.result())
    except BaseException:
        desk.close()  # the task is ending: what is under way is not repeated
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
