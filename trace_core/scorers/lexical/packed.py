"""Words of plain ASCII texts found and looked up by array operations.

Cutting texts into strings and looking each up in a dictionary takes most of a scorer's time. Here the words
of many texts are the runs between blanks of one byte string, and a word of up to 16 letters is two numbers
of 8 bytes, compared exactly. Longer words and other scripts take the slow road of `trace_core.words`.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
Halves = NDArray[np.uint64]

LONGEST: Final = 16  # letters of a word that fit in two halves
#: Each byte in lower case, or 0 where it separates words: the ASCII part of the rules of `trace_core.words`.
_LETTERS: Final = bytes(ord(chr(c).lower()) if c < 128 and chr(c).isalnum() else 0 for c in range(256))
_MASKS: Final = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
_MIX_FIRST: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_SECOND: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_SLOTS: Final = 1 << 13


class PlainWords:
    """The words of one ASCII text: where each starts and how long it is."""

    def __init__(self, text: str) -> None:
        # A blank before, and behind the last word as many as its halves may reach over.
        self.letters = f" {text}{' ' * LONGEST}".encode("ascii").translate(_LETTERS)
        in_word = np.frombuffer(self.letters, dtype=np.int8) > 0
        edges = (in_word[1:] != in_word[:-1]).nonzero()[0] + 1
        self.starts: Ints = edges[0::2]
        self.lengths: Ints = edges[1::2] - self.starts

    def halves(self) -> tuple[Halves, Halves]:
        """The first and the next 8 letters of each word, as numbers; 0 beyond its end."""
        eights = np.ndarray((len(self.letters) - 7,), dtype="<u8", buffer=self.letters, strides=(1,))
        first = eights[self.starts] & _MASKS[np.minimum(self.lengths, 8)]
        second = eights[self.starts + 8] & _MASKS[np.clip(self.lengths - 8, 0, 8)]
        return first, second

    def word(self, at: int) -> str:
        """The word at a place."""
        start = int(self.starts[at])
        return self.letters[start : start + int(self.lengths[at])].decode("ascii")


class PackedTable:
    """Number of each packed word, in an open hash table that is at most half full."""

    def __init__(self) -> None:
        self._clear(_SLOTS)

    def _clear(self, slots: int) -> None:
        self._first: Halves = np.zeros(slots, dtype=np.uint64)
        self._second: Halves = np.zeros(slots, dtype=np.uint64)
        self._numbers: Ids = np.full(slots, -1, dtype=np.int32)
        self._shift = np.uint64(65 - slots.bit_length())
        self._held = 0

    def find(self, first: Halves, second: Halves) -> Ids:
        """The number of each word, -1 for words it does not hold."""
        slot = self._slots(first, second)
        found: Ids = self._numbers[slot]
        other = (self._first[slot] != first) | (self._second[slot] != second)
        at = (other & (found >= 0)).nonzero()[0]
        found[other] = -1
        while len(at):  # the slot is another word's: look in the next one
            slot[at] = (slot[at] + 1) & (len(self._numbers) - 1)
            there = self._numbers[slot[at]]
            same = (self._first[slot[at]] == first[at]) & (self._second[slot[at]] == second[at])
            found[at] = np.where(same, there, -1)
            at = at[~same & (there >= 0)]
        return found

    def add(self, first: Halves, second: Halves, numbers: Ids) -> None:
        """Hold these words, distinct and new."""
        if 2 * (self._held + len(numbers)) > len(self._numbers):
            kept = (self._numbers >= 0).nonzero()[0]
            old = self._first[kept], self._second[kept], self._numbers[kept]
            slots = len(self._numbers)
            while 2 * (len(kept) + len(numbers)) > slots:
                slots *= 2
            self._clear(2 * slots)
            self._put(*old)
        self._put(first, second, numbers)

    def _put(self, first: Halves, second: Halves, numbers: Ids) -> None:
        slot = self._slots(first, second)
        self._held += len(numbers)
        at = np.arange(len(numbers))
        while len(at):  # of several words for one free slot one gets it, the others try the next
            free = at[self._numbers[slot[at]] < 0]
            self._numbers[slot[free]] = numbers[free]
            won = free[self._numbers[slot[free]] == numbers[free]]
            self._first[slot[won]], self._second[slot[won]] = first[won], second[won]
            at = np.setdiff1d(at, won, assume_unique=True)
            slot[at] = (slot[at] + 1) & (len(self._numbers) - 1)

    def _slots(self, first: Halves, second: Halves) -> Ints:
        slots: Ints = (((first * _MIX_FIRST) ^ (second * _MIX_SECOND)) >> self._shift).astype(np.int64)
        return slots
