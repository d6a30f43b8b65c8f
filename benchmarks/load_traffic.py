"""Made-up logs of realistic size for the load benchmark, written as fast as COPY takes them.

A log has a question, 3 retrieved documents of 10 sentences of some 23 words (1.4 kB each) and a response of 5
sentences: 4 lean on sentences of its documents, of whose words they keep some 70 %, one is new. Documents
come from a store of 20,000 chunks, popular ones more often, as retrieval over a company's documents does: the
most popular chunk is in about 1 % of the logs, and the 5,000 most popular ones are three quarters of what is
retrieved. Each question and response holds a number that no other has. One log in 200 has no response.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate

from sqlalchemy import Engine

from benchmarks.speed import FUNCTION_WORDS

CHUNKS = 20_000
_HEAD = 60  # flattens the most popular chunks: popularity is 1 / (rank + _HEAD)
_SENTENCES = 12  # ready-made sentences a chunk: 10 of its own, retold, and 2 new ones
_EMPTY_ONE_IN = 200
_COPIED_BYTES = 4_000_000
_TENANTS = ("acme", "globex", "initech", "umbrella", "hooli")
_MODELS = ("orca-large", "orca-small", "heron-2")
COLUMNS = "log_id, logged_at, question, documents, response, ground_truth, segments, metadata"


class Store:
    """Chunks as JSON, and sentences about them, ready to be put together."""

    def __init__(self, seed: int = 1, chunks: int = CHUNKS) -> None:
        self.random = random.Random(seed)
        letters = string.ascii_lowercase
        self._words = [
            "".join(self.random.choices(letters, k=self.random.randint(3, 11))) for _ in range(8_000)
        ]
        self._words_weights = list(accumulate(1 / (rank + 20) for rank in range(len(self._words))))
        self.documents: list[str] = []
        self.said: list[list[str]] = []
        self.asked: list[str] = []
        spare = [self._sentence() for _ in range(5_000)]
        for number in range(chunks):
            chunk = [self._sentence() for _ in range(10)]
            self.documents.append(json.dumps({"id": f"chunk-{number}", "text": " ".join(chunk)}))
            retold = [self._retold(sentence, spare[int(5_000 * self.random.random())]) for sentence in chunk]
            self.said.append([*retold, *self.random.choices(spare, k=_SENTENCES - len(chunk))])
            self.asked.append("What is " + " ".join(self.random.sample(chunk[0].rstrip(".").split(), 6)))
        self.weights = list(accumulate(1 / (rank + _HEAD) for rank in range(chunks)))

    def _sentence(self) -> str:
        """Some 23 words, nearly half of them function words."""
        draw = self.random.random
        count = 18 + int(11 * draw())
        drawn = self.random.choices(self._words, cum_weights=self._words_weights, k=count)
        common = FUNCTION_WORDS
        mixed = [word if draw() < 0.55 else common[int(len(common) * draw())] for word in drawn]
        return " ".join(mixed).capitalize() + "."

    def _retold(self, sentence: str, other: str) -> str:
        kept = zip(sentence.rstrip(".").split(), other.rstrip(".").split(), strict=False)
        mixed = [a if self.random.random() < 0.7 else b for a, b in kept]
        return " ".join(mixed).capitalize() + "."

    def lines(self, count: int, day: date) -> Iterator[str]:
        """Yield `count` lines in COPY's text form, in order of time, over the whole of `day` (UTC)."""
        draw = self.random
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
        picked = range(len(self.documents))
        for number in range(count):
            moment = midnight + timedelta(seconds=86_400 * number / count)
            a, b, c = draw.choices(picked, cum_weights=self.weights, k=3)
            said = f"Case {number} is as follows. " + " ".join(
                [
                    self.said[a][number % 10],
                    self.said[a][(number + 3) % 10],
                    self.said[b][number % 10],
                    self.said[c][10 + number % 2],
                ]
            )
            if number % _EMPTY_ONE_IN == _EMPTY_ONE_IN - 1:
                said = ""
            documents = f"[{self.documents[a]}, {self.documents[b]}, {self.documents[c]}]"
            tenant, model = _TENANTS[number * 7 % 5], _MODELS[number % 3]
            segments = (
                f'{{"app_version": "2.4.0", "tenant": "{tenant}", "model": "{model}", "language": "en"}}'
            )
            question = f"{self.asked[a]} in case {number}?"
            fields = (f"load-{number:08d}", moment.isoformat(), question, documents, said, "\\N", segments)
            yield "\t".join(fields) + "\t{}\n"


class LineReader:
    """A file of lines that are made while COPY reads it; counts its bytes."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._rest = b""
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; none at the end."""
        size = _COPIED_BYTES if size < 0 else size
        parts, found = [self._rest], len(self._rest)
        while found < size and (line := next(self._lines, None)) is not None:
            parts.append(line.encode())
            found += len(parts[-1])
        whole = b"".join(parts)
        self._rest = whole[size:]
        self.bytes += min(size, len(whole))
        return whole[:size]


def fill(engine: Engine, count: int, day: date) -> int:
    """Write `count` logs of `day` into trace.rag_log; returns their bytes in COPY's text form."""
    reader = LineReader(Store().lines(count, day))
    with engine.begin() as connection:
        cursor = connection.connection.cursor()
        cursor.copy_expert(f"copy trace.rag_log ({COLUMNS}) from stdin", reader, 1 << 20)
        cursor.close()
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("vacuum (analyze) trace.rag_log")
    return reader.bytes
