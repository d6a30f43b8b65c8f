"""Does memory stay flat over a long stream of logs whose words are always new?

    python -m benchmarks.memory [--logs N] [--scorer NAME]

Each log has two documents of three sentences and a response of two, in which every fourth word has never been
seen before, so that nothing learned of one log helps with the next. Prints the memory of the process at ten
points of the stream; the exit code is 1 when it grew by a tenth or more after the first.
"""

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from trace_core import DEFAULT_SCORER, Document, Log, get_scorer

MOST_GROWTH = 0.10
COMMON = (
    "the tower was built in stone by a company that also made the bridge of this old town near rivers".split()
)


def sentence(number: int) -> str:
    """Twelve words, three of which no other number has."""
    start = number * 7 % len(COMMON)
    mixed = []
    for i in range(3):
        mixed += [COMMON[(start + 3 * i + j) % len(COMMON)] for j in range(3)]
        mixed.append(f"w{number:x}{'xyz'[i]}")
    return " ".join(mixed).capitalize() + "."


def logs(count: int) -> Iterator[Log]:
    """A stream of logs; the first response sentence repeats one of a document, the second does not."""
    for n in range(count):
        first = 10 * n
        documents = tuple(Document(" ".join(sentence(first + 3 * d + i) for i in range(3))) for d in range(2))
        yield Log(
            str(n), "What was built near rivers?", documents, f"{sentence(first)} {sentence(first + 9)}"
        )


def resident() -> float:
    """Megabytes in memory now; where the system does not say, the most there ever were."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def main() -> None:
    """Stream and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--logs", type=int, default=1_000_000, help="length of the stream (default: %(default)s)"
    )
    parser.add_argument("--scorer", default=DEFAULT_SCORER, help="default: %(default)s")
    options = parser.parse_args()
    step = max(1, options.logs // 10)
    seen: list[float] = []
    start = time.process_time()
    print("| logs | MB in memory | logs/s of CPU |\n|---|---|---|")
    for number, result in enumerate(get_scorer(options.scorer).score_many(logs(options.logs)), 1):
        if result.status != "scored":
            raise SystemExit(f"log {result.log_id}: {result.status}, {result.reason}")
        if number % step == 0:
            seen.append(resident())
            rate = number / (time.process_time() - start)
            print(f"| {number:,} | {seen[-1]:.0f} | {rate:,.0f} |", flush=True)
    growth = max(seen) / seen[0] - 1
    print(f"\nGrowth after the first {step:,} logs: {100 * growth:.1f} %.")
    sys.exit(1 if growth >= MOST_GROWTH else 0)


if __name__ == "__main__":
    main()
