"""Pairs of texts as token numbers: never too long, and put together in batches of like length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from trace_core.errors import ConfigurationError
from trace_core.texts import encodable

Ids = NDArray[np.int64]

#: To be raised when the tokens of a pair change.
PAIR_RULES: Final = "pairs-1"


class Pair(NamedTuple):
    """What holds, and what should follow from it."""

    premise: str
    hypothesis: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs side by side, padded to the longest: one row each. `places` says which pairs they are."""

    places: tuple[int, ...]
    input_ids: Ids
    attention_mask: Ids
    token_type_ids: Ids


class PairTokenizer:
    """Turns pairs into batches of tokens.

    max_tokens: of a pair with its special tokens. A pair that is longer loses the end of its premise; a
    hypothesis is never cut, but parted beforehand by `parts`.
    """

    def __init__(self, path: Path, max_tokens: int, pad_id: int) -> None:
        try:
            self._whole = Tokenizer.from_file(str(path))
            self._cut = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises Exception itself
            raise ConfigurationError(f"{path}: not a tokenizer: {first_line(error)}") from error
        for tokenizer in (self._whole, self._cut):
            padding = tokenizer.padding or {}
            self.pad_id = int(padding.get("pad_id", pad_id))
            tokenizer.no_padding()
            tokenizer.no_truncation()
        special = self._whole.num_special_tokens_to_add(True)
        self._most_hypothesis = (max_tokens - special) // 2
        if self._most_hypothesis < 1:
            raise ConfigurationError(f"setting 'nli.max_tokens': {max_tokens} leave no room for two texts")
        self._cut.enable_truncation(max_tokens, strategy="only_first")

    def parts(self, hypothesis: str) -> tuple[str, ...]:
        """Part a hypothesis that would take more than half of a pair; nearly always it is one part.

        Parts are cut between tokens, and together they are the whole text.
        """
        text = encodable(hypothesis)
        with _panic_is_an_error():
            offsets = self._whole.encode(text, add_special_tokens=False).offsets
        most = self._most_hypothesis
        if len(offsets) <= most:
            return (text,)
        cuts = sorted({0, *(offsets[at][0] for at in range(most, len(offsets), most)), len(text)})
        return tuple(text[a:b] for a, b in pairwise(cuts) if text[a:b].strip())

    def batches(self, pairs: Sequence[Pair], size: int) -> Iterator[Batch]:
        """Yield batches of at most `size` pairs, the shortest pairs first."""
        # Numbers alone are kept: an encoding holds texts and offsets too, a hundred bytes for each token.
        with _panic_is_an_error():
            rows = [_Row.of(self._cut.encode(encodable(p.premise), p.hypothesis)) for p in pairs]
        order = sorted(range(len(pairs)), key=lambda at: len(rows[at].ids))
        for first in range(0, len(order), size):
            places = tuple(order[first : first + size])
            yield self._batch(places, [rows[at] for at in places])

    def _batch(self, places: tuple[int, ...], rows: Sequence[_Row]) -> Batch:
        shape = (len(rows), max(len(row.ids) for row in rows))
        ids, mask, types = np.full(shape, self.pad_id), np.zeros(shape, int), np.zeros(shape, int)
        for at, row in enumerate(rows):
            ids[at, : len(row.ids)] = row.ids
            mask[at, : len(row.ids)] = 1
            types[at, : len(row.ids)] = row.types
        return Batch(places, ids, mask, types)


@contextmanager
def _panic_is_an_error() -> Iterator[None]:
    """Turn a panic of the Rust library, which no `except Exception` meets, into ValueError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # its class has no place to be imported from
            raise ValueError(f"the tokenizer broke: {first_line(error)}") from None
        raise


class _Row(NamedTuple):
    """The tokens of a pair, and to which of the two texts each belongs."""

    ids: NDArray[np.int32]
    types: NDArray[np.int8]

    @classmethod
    def of(cls, encoding: Encoding) -> _Row:
        return cls(np.array(encoding.ids, np.int32), np.array(encoding.type_ids, np.int8))


def first_line(error: BaseException) -> str:
    """Return what an error of a library says first."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
