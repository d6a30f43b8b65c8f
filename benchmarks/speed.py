"""Speed of scoring on one core, as logs per second and as ratios in one run.

    python -m benchmarks.speed [--logs N] [--repeat N] [--repeat-chunks]

A log has 3 documents of 10 sentences of some 23 words and a response of 5 sentences. Words are drawn
with a fixed seed from a made-up vocabulary in which, as in prose, nearly half of all are function words.
Every competitor gets the same logs; the best of the repetitions counts, in CPU time. Documents never repeat,
unless `--repeat-chunks` draws them from 500 chunks as a real retriever does. `rouge-score` is measured
as well where it is installed.
"""

import argparse
import random
import string
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec

from trace_core import Document, Log
from trace_core.scorers.heuristic import HeuristicScorer
from trace_core.scorers.lexical import LexicalScorer
from trace_core.sentences import sentence_texts
from trace_core.words import words

FUNCTION_WORDS = (
    "the of and a to in is was for on that with as by it be are at from or an this has not which".split()
)
CHUNKS = 500
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
    """The floor: every text cut into words once."""
    for log in logs:
        for text in (log.question, log.response, *(d.text for d in log.documents)):
            words(text)


def split_and_tokenise(logs: Sequence[Log]) -> None:
    """The floor of any scorer by sentence: every text cut into sentences and words once."""
    for log in logs:
        words(log.question)
        for text in (log.response, *(d.text for d in log.documents)):
            for sentence in sentence_texts(text):
                words(sentence)


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


def optional() -> dict[str, Run]:
    """Other projects' overlap metrics, where they are installed."""
    runs: dict[str, Run] = {}
    if find_spec("rouge_score"):
        from rouge_score.rouge_scorer import RougeScorer

        rouge = RougeScorer(["rouge1", "rougeL"])
        runs["rouge-score (1, L)"] = lambda logs: [
            rouge.score(" ".join(d.text for d in log.documents), log.response) for log in logs
        ]
    return runs


def measure(run: Run, logs: Sequence[Log], repeat: int) -> float:
    """Logs per second of CPU time, the best of some runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        run(logs)
        best = min(best, time.process_time() - start)
    return len(logs) / best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=int, default=1000, help="logs a run (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="runs, the best counts (default: %(default)s)")
    parser.add_argument("--repeat-chunks", action="store_true", help="draw documents from 500 chunks")
    options = parser.parse_args()
    logs = list(Traffic(1).logs(options.logs, options.repeat_chunks))
    heuristic = HeuristicScorer()
    # Repeating a run must not find the documents of the run before.
    lexical = LexicalScorer(cached_words=None if options.repeat_chunks else 0)
    runs: dict[str, Run] = {
        "tokenising alone": tokenise,
        "sentences and words alone": split_and_tokenise,
        "naive lists, overlaps alone": naive,
        "heuristic": lambda batch: drain(heuristic.score_many(batch)),
        "lexical": lambda batch: drain(lexical.score_many(batch)),
        **optional(),
    }
    print("| | logs/s/core | of tokenising alone | of sentences and words alone |")
    print("|---|---|---|---|")
    figures: dict[str, float] = {}
    for name, run in runs.items():
        run(logs[:50])
        figures[name] = measure(run, logs, options.repeat)
        shares = [figures[name] / figures[floor] for floor in list(runs)[:2] if floor in figures]
        cells = " | ".join(f"{share:.2f}" for share in shares) + (" | " if len(shares) < 2 else "")
        print(f"| {name} | {figures[name]:,.0f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
