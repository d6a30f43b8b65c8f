"""Speed beside other projects' metrics that need no language model, as ratios in one run.

    python -m benchmarks.peers [--work DIR] [--logs N] [--repeat N]

The first run builds an environment of its own in DIR. The logs are those of `benchmarks.speed`. They hold no
reference answer, so the peers that compare two texts are given the response and all documents, and the peers
that compare two lists of contexts the documents and the sentences of the response. None of the peers says
which sentence is supported by which, or why.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks.environments import ROOT
from benchmarks.speed import Traffic, measure, tokenise
from trace_core import Log
from trace_core.scorers.heuristic import HeuristicScorer
from trace_core.scorers.lexical import LexicalScorer
from trace_core.sentences import sentence_texts

Run = Callable[[Sequence[Log]], object]


def ours() -> dict[str, Run]:
    """Tokenising alone, and the scorers with every annotation and reason."""
    heuristic, lexical = HeuristicScorer(), LexicalScorer(cached_words=0)
    return {
        "tokenising alone": tokenise,
        "`heuristic`, all metrics with annotation": lambda logs: deque(heuristic.score_many(logs), maxlen=0),
        "`lexical`, all metrics with annotation": lambda logs: deque(lexical.score_many(logs), maxlen=0),
    }


def _context(log: Log) -> str:
    return " ".join(document.text for document in log.documents)


def rouge() -> dict[str, Run]:
    """Google's rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    def runner(scorer: Any) -> Run:
        return lambda logs: [scorer.score(_context(log), log.response) for log in logs]

    return {f"rouge-score {name}": runner(RougeScorer([name])) for name in ("rouge1", "rougeL")}


def ragas() -> dict[str, Run]:
    """Ragas' metrics that call no model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ragas import SingleTurnSample
        from ragas.metrics import (
            BleuScore,
            NonLLMContextPrecisionWithReference,
            NonLLMContextRecall,
            NonLLMStringSimilarity,
            RougeScore,
        )

    def runner(metric: Any) -> Run:
        async def score(logs: Sequence[Log]) -> list[float]:
            samples = [
                SingleTurnSample(
                    response=log.response,
                    reference=_context(log),
                    retrieved_contexts=[document.text for document in log.documents],
                    reference_contexts=list(sentence_texts(log.response)),
                )
                for log in logs
            ]
            return [await metric.single_turn_ascore(sample) for sample in samples]

        return lambda logs: asyncio.run(score(logs))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metrics = (
            NonLLMStringSimilarity(),
            BleuScore(),
            RougeScore(),
            NonLLMContextPrecisionWithReference(),
            NonLLMContextRecall(),
        )
    return {f"ragas {type(metric).__name__.lstrip('_')}": runner(metric) for metric in metrics}


def compare(count: int, repeat: int) -> None:
    """Time everything that can be imported, and print."""
    logs = list(Traffic(1).logs(count, repeat_chunks=False))
    runs = ours()
    for others in (rouge, ragas):
        try:
            runs |= others()
        except ImportError as error:
            print(f"{others.__name__} cannot be imported: {error}\n")
    print("| | logs/s/core | of tokenising alone | `lexical` is as fast, times |\n|---|---|---|---|")
    figures: dict[str, float] = {}
    for name, run in runs.items():
        run(logs[:10])
        figures[name] = measure(run, logs, repeat)
    floor, lexical = (
        figures[name] for name in ("tokenising alone", "`lexical`, all metrics with annotation")
    )
    for name, figure in figures.items():
        print(f"| {name} | {figure:,.0f} | {figure / floor:.3f} | {lexical / figure:,.2f} |")


def main() -> None:
    """Build the environment once, then compare inside it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=ROOT / ".local" / "peers", help="default: %(default)s")
    parser.add_argument("--logs", type=int, default=300, help="logs a run (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="runs, the best counts (default: %(default)s)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        compare(options.logs, options.repeat)
        return
    requirements = ROOT / "benchmarks" / "requirements-peers.txt"
    python = environments.create(options.work.resolve(), requirements=requirements)
    command = [python, "-m", "benchmarks.peers", "--inside"]
    command += ["--logs", str(options.logs), "--repeat", str(options.repeat)]
    # Ragas sends usage figures home unless told otherwise; one thread makes "per core" true.
    environment = {**os.environ, "RAGAS_DO_NOT_TRACK": "true", "OPENBLAS_NUM_THREADS": "1"}
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment).returncode)


if __name__ == "__main__":
    main()
