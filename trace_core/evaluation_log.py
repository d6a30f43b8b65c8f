"""The log of an evaluation: what was found, in lines a person reads."""

from collections.abc import Iterable
from typing import Final

from trace_core.metrics.readings import read_value
from trace_core.reasons import describe
from trace_core.scorers.base import Evaluation

#: The first line of every rendered log, and never another one.
HEADER: Final = "Evaluation log"
_ORDER: Final = ("relevance", "utilization", "adherence", "completeness", "average")


class EvaluationLog:
    """Collects lines; rendering puts the header in front, once, however many lines or renderings there are.

    >>> log = EvaluationLog()
    >>> log.add("adherence 1.00: fully grounded")
    >>> print(log.render())
    Evaluation log
    adherence 1.00: fully grounded
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._lines: list[str] = []
        for line in lines:
            self.add(line)

    def add(self, text: str) -> None:
        """Add a text of one or more lines; blank lines and headers of other logs are left out."""
        self._lines += [
            line.rstrip() for line in text.splitlines() if line.strip() and line.strip() != HEADER
        ]

    def add_evaluation(self, evaluation: Evaluation) -> None:
        """Add what an evaluation says: a line a metric, a line for each unsupported sentence."""
        if evaluation.status != "scored":
            self.add(f"{evaluation.log_id}: {evaluation.status}. {describe(evaluation.reason or '')}")
            return
        self.add(f"{evaluation.log_id}: {evaluation.response_kind}")
        for metric in _ORDER:
            value = getattr(evaluation, metric)
            self.add(f"  {read_value(metric, value, evaluation.undefined.get(metric))}")
        if evaluation.annotation:
            for entry in evaluation.annotation.support:
                if not entry.supported:
                    self.add(f"  sentence {entry.key} is not supported: {entry.reason}")

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines so far, without the header."""
        return tuple(self._lines)

    def render(self) -> str:
        """Header and lines as one text."""
        return "\n".join((HEADER, *self._lines))

    __str__ = render
