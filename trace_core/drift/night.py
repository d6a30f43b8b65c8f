"""What a detector reads: the aggregated scores of one night."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol


class Cell(Protocol):
    """Sums of one metric over the scored logs of one night and segment; `trace_core.aggregates.Sums` is one.

    `n` is a count of logs, `total` and `squares` the sums of their scores and squared scores (scores in
    0..1), `histogram[i]` the number of scores that round to i/20. Cells of disjoint sets of logs add up.
    """

    @property
    def n(self) -> int: ...

    @property
    def total(self) -> float: ...

    @property
    def squares(self) -> float: ...

    @property
    def histogram(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class Night:
    """One metric of one night: the total and every segment value of every dimension.

    The cells of one dimension sum to `total`: logs without the dimension are the value "(missing)", rare
    values are "other". A night without data has `total.n == 0`. `fingerprint` names the scorer; nights of
    two fingerprints are never compared.

    Cells of a night that was judged in part are effective sums: their `n` says how much is known, not how
    many logs there were, and they add up only roughly. `traffic` has the logs that such a cell stands for,
    by dimension (empty for the total) and value; a cell that is not in it stands for its `n`.
    """

    day: date
    fingerprint: str
    total: Cell
    segments: Mapping[str, Mapping[str, Cell]] = field(default_factory=dict)
    traffic: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def stands_for(self, dimension: str, value: str, cell: Cell) -> float:
        """The logs that a cell of this night stands for."""
        return self.traffic.get(dimension, {}).get(value, float(cell.n))
