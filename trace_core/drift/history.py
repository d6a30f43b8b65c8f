"""The nights a detector remembers, as arrays: a bounded window over the sums of every series."""

from __future__ import annotations

from datetime import date

import numpy as np

from trace_core.drift.arrays import Flags, Floats, Integers
from trace_core.drift.night import Cell, Night

Series = tuple[str, str]
TOTAL: Series = ("", "")
# Shares of rows, by histogram cells: poor, complete and in between. When scores move to both ends at once
# the mean may stay, but fewer are in between.
SHARES = {
    "share_below_0.5": slice(0, 10),
    "share_from_0.95": slice(19, 21),
    "share_from_0.25_to_0.95": slice(5, 19),
}
MEASURES = ("mean", *SHARES)
# Which sign of a change is for the better when higher scores are; 0 where neither is.
BETTER = np.array([1.0, -1.0, 1.0, 0.0])


class History:
    """Sums per measure, night and series. Nights without data are not kept.

    Column 0 is the total. A segment value gets a column on its first night and loses it when no kept night
    has it any more, so the cost of a night depends on neither the number of logs nor the length of history.

    Parameters: `measures` is 1 (the mean) or 4 (also the shares of scores in SHARES);
    `keep` is the number of nights that must stay available.
    """

    def __init__(self, measures: int, keep: int) -> None:
        self.measures = measures
        self.keep = keep
        self.series: list[Series] = [TOTAL]
        self._column: dict[Series, int] = {TOTAL: 0}
        self._start = self._end = 0
        self._allocate(nights=2 * keep, columns=8)

    def _allocate(self, nights: int, columns: int) -> None:
        self._n = np.zeros((nights, columns))
        self._traffic = np.zeros((nights, columns))
        self._sums = np.zeros((2 * self.measures, nights, columns))
        self._days = np.zeros(nights, dtype=np.int64)
        self._accepted = np.zeros(nights, dtype=np.bool_)

    def __len__(self) -> int:
        return self._end - self._start

    @property
    def n(self) -> Floats:
        """Logs, (nights, series)."""
        return self._n[self._start : self._end, : len(self.series)]

    @property
    def traffic(self) -> Floats:
        """Logs stood for, (nights, series): `n` unless a night was judged in part."""
        return self._traffic[self._start : self._end, : len(self.series)]

    @property
    def total(self) -> Floats:
        """Sums of scores, (measures, nights, series)."""
        return self._sums[: self.measures, self._start : self._end, : len(self.series)]

    @property
    def squares(self) -> Floats:
        """Sums of squared scores, (measures, nights, series)."""
        return self._sums[self.measures :, self._start : self._end, : len(self.series)]

    @property
    def days(self) -> Integers:
        """Proleptic ordinals of the days, (nights,)."""
        return self._days[self._start : self._end]

    @property
    def accepted(self) -> Flags:
        """Nights that may serve as baseline, (nights,); a writable view."""
        return self._accepted[self._start : self._end]

    def day(self, row: int) -> date:
        """The day of a kept night; negative rows count from the end."""
        return date.fromordinal(int(self.days[row]))

    def columns_of(self, dimension: str) -> Integers:
        """Columns of a dimension's values, in order of appearance."""
        found = [i for i, (name, _) in enumerate(self.series) if name == dimension and i]
        return np.array(found, dtype=np.int64)

    def push(self, night: Night, accepted: bool) -> None:
        """Add a night with data after those that are there."""
        if self._end == len(self._days):
            self._roll()
        row = self._end
        self._end += 1
        self._start = max(self._start, self._end - self.keep)
        self._n[row] = self._traffic[row] = 0.0
        self._sums[:, row] = 0.0
        self._days[row] = night.day.toordinal()
        self._accepted[row] = accepted
        self._write(row, 0, night.total, night.stands_for("", "", night.total))
        for dimension, cells in night.segments.items():
            for value, cell in cells.items():
                if cell.n:
                    stands_for = night.stands_for(dimension, value, cell)
                    self._write(row, self._column_of((dimension, value)), cell, stands_for)

    def drop_before(self, row: int) -> None:
        """Forget the nights before `row` (a reset drops all of them with `len(history)`)."""
        self._start += row

    def _write(self, row: int, column: int, cell: Cell, stands_for: float) -> None:
        self._n[row, column] = cell.n
        self._traffic[row, column] = stands_for
        if self.measures == 1:
            self._sums[:, row, column] = (cell.total, cell.squares)
            return
        shares = [sum(cell.histogram[cells]) for cells in SHARES.values()]
        # Whether a score is in a cell is a 0/1 score: its square is itself.
        self._sums[:, row, column] = (cell.total, *shares, cell.squares, *shares)

    def _column_of(self, series: Series) -> int:
        column = self._column.get(series)
        if column is None:
            column = self._column[series] = len(self.series)
            self.series.append(series)
            if column == self._n.shape[1]:
                self._n = np.pad(self._n, ((0, 0), (0, column)))
                self._traffic = np.pad(self._traffic, ((0, 0), (0, column)))
                self._sums = np.pad(self._sums, ((0, 0), (0, 0), (0, column)))
        return column

    def _roll(self) -> None:
        """Move the kept nights to the front of the buffers and drop columns that are empty by now."""
        rows, alive = slice(self._start, self._end), np.flatnonzero(self.n.any(axis=0))
        n, sums, days, accepted = self._n[rows], self._sums[:, rows], self._days[rows], self._accepted[rows]
        traffic = self._traffic[rows]
        self.series = [self.series[i] for i in alive]
        self._column = {series: i for i, series in enumerate(self.series)}
        self._allocate(len(self._days), max(8, len(alive) + len(alive) // 2))
        kept = len(days)
        self._n[:kept, : len(alive)] = n[:, alive]
        self._traffic[:kept, : len(alive)] = traffic[:, alive]
        self._sums[:, :kept, : len(alive)] = sums[:, :, alive]
        self._days[:kept], self._accepted[:kept] = days, accepted
        self._start, self._end = 0, kept
