"""Speed of scoring on one core, as logs per second and as ratios in one run.

    python -m benchmarks.speed [--logs N] [--repeat N]

A log has 3 documents of 10 sentences of some 23 words and a response of 5 sentences. Words are drawn
with a fixed seed from a made-up vocabulary in which, as in prose, nearly half of all are function words.
Every competitor gets the same logs, whose documents never repeat and bring no sentences along, except where
its name says otherwise. Each round measures all of them once, so that a busy moment harms none alone; the
best round counts, in CPU time. Three floors: cutting texts into words with `str.translate` and `split`, with
the regular expression `\\w+`, and what any scorer by sentence must do: sentences, words and stems.
"""

import argparse
import random
import re
import string
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import Stemmer

from trace_core import Document, Log
from trace_core.scorers.heuristic import HeuristicScorer
from trace_core.scorers.lexical import LexicalScorer
from trace_core.sentences import sentence_texts
from trace_core.words import words

FUNCTION_WORDS = (
    "the of and a to in is was for on that with as by it be are at from or an this has not which".split()
)
CHUNKS = 500
_WORD = re.compile(r"\w+")
Run = Callable[[Sequence[Log]], object]


class Traffic:
    """Made-up logs of the shape above."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        letters = string.ascii_lowercase
        self._content = [
            "".join(self._random.choices(letters, k=self._random.randint(3, 11))) for _ in range(8000)
        ]
        self._weights = [1 / (rank + 20) for rank in range(len(self._content))]

    def sentence(self) -> str:
        """Some 23 words, nearly half of them function words."""
        count = self._random.randint(18, 28)
        content = self._random.choices(self._content, self._weights, k=count)
        mixed = [w if self._random.random() < 0.55 else self._random.choice(FUNCTION_WORDS) for w in content]
        return " ".join(mixed).capitalize() + "."

    def chunk(self) -> list[str]:
        """The sentences of a document."""
        return [self.sentence() for _ in range(10)]

    def log(self, number: int, chunks: Sequence[list[str]]) -> Log:
        """A log over chunks; four of five response sentences lean on them."""
        said = []
        for i in range(5):
            source = self._random.choice(self._random.choice(chunks)).rstrip(".").split()
            fresh = self.sentence().rstrip(".").split()
            share = 0.7 if i < 4 else 0.0
            mixed = [a if self._random.random() < share else b for a, b in zip(source, fresh, strict=False)]
            said.append(" ".join(mixed).capitalize() + ".")
        question = " ".join(["What", "is", *self._random.sample(chunks[0][0].rstrip(".").split(), 6)]) + "?"
        documents = tuple(Document(" ".join(chunk)) for chunk in chunks)
        return Log(str(number), question, documents, " ".join(said))

    def logs(self, count: int, repeat_chunks: bool) -> Iterator[Log]:
        """Many logs, over fresh chunks or over a small store of them."""
        store = [self.chunk() for _ in range(CHUNKS)] if repeat_chunks else []
        for number in range(count):
            chunks = self._random.sample(store, 3) if store else [self.chunk() for _ in range(3)]
            yield self.log(number, chunks)


def tokenise(logs: Sequence[Log]) -> None:
    """The lowest floor: every text cut into words once, by the project's own rule."""
    for log in logs:
        for text in (log.question, log.response, *(d.text for d in log.documents)):
            words(text)


def tokenise_by_expression(logs: Sequence[Log]) -> None:
    """The same in the way most programs do it."""
    for log in logs:
        for text in (log.question, log.response, *(d.text for d in log.documents)):
            _WORD.findall(text.casefold())


def split_and_stem(logs: Sequence[Log]) -> None:
    """The floor of any scorer by sentence: every text cut into sentences and words once, and stemmed."""
    stem = Stemmer.Stemmer("english").stemWords
    for log in logs:
        stem(words(log.question))
        for text in (log.response, *(d.text for d in log.documents)):
            for sentence in sentence_texts(text):
                stem(words(sentence))


def naive(logs: Sequence[Log]) -> None:
    """Nested loops over lists: every response sentence against every document sentence."""
    for log in logs:
        documents = [words(s) for d in log.documents for s in sentence_texts(d.text)]
        for said in map(words, sentence_texts(log.response)):
            max((sum(word in found for word in said) / len(said) for found in documents), default=0.0)


def drain(results: Iterable[object]) -> None:
    """Take every result and keep none, as a pipeline that writes them does."""
    for _ in results:
        pass


def measure(run: Run, logs: Sequence[Log], repeat: int = 1) -> float:
    """Logs per second of CPU time, the best of some runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        run(logs)
        best = min(best, time.process_time() - start)
    return len(logs) / best


def with_sentences(log: Log) -> Log:
    """The log as one that brings its sentences along."""
    documents = tuple(replace(d, sentences=sentence_texts(d.text)) for d in log.documents)
    return replace(log, documents=documents, response_sentences=sentence_texts(log.response))


def competitors(count: int) -> dict[str, tuple[Run, Sequence[Log]]]:
    """Who is measured, on which logs."""
    logs = list(Traffic(1).logs(count, False))
    heuristic = HeuristicScorer()
    # Repeating a run must not find the documents of the run before.
    lexical, caching = LexicalScorer(cached_words=0), LexicalScorer()
    return {
        "words by `translate` and `split`": (tokenise, logs),
        "words by `\\w+`": (tokenise_by_expression, logs),
        "sentences, words and stems": (split_and_stem, logs),
        "naive lists, overlaps alone": (naive, logs),
        "heuristic": (lambda batch: drain(heuristic.score_many(batch)), logs),
        "lexical": (lambda batch: drain(lexical.score_many(batch)), logs),
        "lexical, sentences given": (
            lambda batch: drain(lexical.score_many(batch)),
            list(map(with_sentences, logs)),
        ),
        "lexical, documents from 500 chunks": (
            lambda batch: drain(caching.score_many(batch)),
            list(Traffic(2).logs(count, True)),
        ),
        "lexical, one by one": (lambda batch: drain(map(lexical.score, batch)), logs),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=int, default=1000, help="logs a run (default: %(default)s)")
    parser.add_argument(
        "--repeat", type=int, default=3, help="rounds, the best counts (default: %(default)s)"
    )
    options = parser.parse_args()
    runs = competitors(options.logs)
    figures = dict.fromkeys(runs, 0.0)
    for run, logs in runs.values():
        run(logs[:50])
    for _ in range(options.repeat):
        for name, (run, logs) in runs.items():
            figures[name] = max(figures[name], measure(run, logs))
    print("| | logs/s/core | of `translate` and `split` | of `\\w+` | of sentences, words and stems |")
    print("|---|---|---|---|---|")
    for name, figure in figures.items():
        shares = " | ".join(f"{figure / figures[floor]:.2f}" for floor in list(figures)[:3])
        print(f"| {name} | {figure:,.0f} | {shares} |")


if __name__ == "__main__":
    main()
