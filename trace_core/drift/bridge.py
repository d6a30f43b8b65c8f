"""A bridge between two scorers: what a change of the scorer alone did, from logs scored by both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trace_core.aggregates import HISTOGRAM_CELLS, Sums, whole_counts
from trace_core.drift.night import Cell

MIN_LOGS = 200
"""Fewer logs scored by both are no bridge: the shift would be known to no better than several points."""
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class Passage:
    """Logs that went from one histogram cell to another; the sums are over them.

    `difference` sums new - old, `square_difference` new² - old², `squared_difference` (new - old)².
    """

    old_cell: int
    new_cell: int
    n: int
    difference: float
    square_difference: float
    squared_difference: float


@dataclass(frozen=True, slots=True)
class _From:
    """Where the logs of one old cell went: per log, and by new cell."""

    n: int = 0
    difference: float = 0.0
    square_difference: float = 0.0
    to: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bridge:
    """The shift (new - old, score units) with its 95 % interval over `n` logs, and its detail by old cell.

    A night of other traffic has other cells, so its shift differs: `carry` moves a night cell by cell.
    """

    n: int
    shift: float
    low: float
    high: float
    cells: Mapping[int, _From]

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Bridge:
        """Build a bridge. The interval takes logs as independent. ValueError for no logs."""
        rows = list(passages)
        n = sum(row.n for row in rows)
        if not n:
            raise ValueError("a bridge needs logs that both scorers have scored")
        shift = math.fsum(row.difference for row in rows) / n
        spread = max(0.0, math.fsum(row.squared_difference for row in rows) / n - shift * shift)
        half = _NORMAL_95 * math.sqrt(spread / n)
        cells = {
            cell: _from([row for row in rows if row.old_cell == cell])
            for cell in {row.old_cell for row in rows}
        }
        return cls(n, shift, shift - half, shift + half, cells)

    def carry(self, cell: Cell) -> Sums:
        """Return what the new scorer would have given for a cell of the old one, on average.

        Each histogram cell goes where the logs of the overlap went; a cell the overlap does not have stays.
        """
        histogram = [0.0] * HISTOGRAM_CELLS
        total, squares = cell.total, cell.squares
        for position, count in enumerate(cell.histogram):
            known = self.cells.get(position)
            if known is None or not known.n:
                histogram[position] += count
                continue
            total += count * known.difference / known.n
            squares += count * known.square_difference / known.n
            for target, moved in known.to.items():
                histogram[target] += count * moved / known.n
        total = min(max(total, 0.0), float(cell.n))
        floor = total * total / cell.n if cell.n else 0.0  # squares below this would be a negative variance
        return Sums(cell.n, total, min(max(squares, floor), total), whole_counts(histogram, cell.n))

    def to_json(self) -> dict[str, Any]:
        """The detail by old cell as JSON."""
        return {
            str(cell): {
                "n": known.n,
                "difference": known.difference,
                "square_difference": known.square_difference,
                "to": {str(target): moved for target, moved in sorted(known.to.items())},
            }
            for cell, known in sorted(self.cells.items())
        }

    @classmethod
    def from_json(cls, cells: Mapping[str, Any], shift: float = 0.0) -> Bridge:
        """Read `to_json`'s form; `shift` is for people, `carry` does not use it."""
        known = {
            int(cell): _From(
                int(row["n"]),
                float(row["difference"]),
                float(row["square_difference"]),
                {int(target): int(moved) for target, moved in row["to"].items()},
            )
            for cell, row in cells.items()
        }
        return cls(sum(row.n for row in known.values()), shift, shift, shift, known)


def _from(rows: Sequence[Passage]) -> _From:
    return _From(
        sum(row.n for row in rows),
        math.fsum(row.difference for row in rows),
        math.fsum(row.square_difference for row in rows),
        {row.new_cell: row.n for row in rows},
    )
