"""Does the watch find the sample's planted release, once and soon, and nothing else? Over many seeds.

    python -m benchmarks.release [--seeds 50] [--first-seed 1] [--scorer lexical]

Every seed is sample traffic of 60 nights scored by the real scorer and judged by the detector the DAG runs;
only the database is left out. All metrics watched by default are judged, and a page of any of them counts.
Prints how many seeds paged before the release, and how soon it was found.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from datetime import date
from itertools import tee

from rich.console import Console
from rich.table import Table

from trace_core import DEFAULT_SCORER, BadInput, Log, get_scorer, parse_log
from trace_core.aggregates import Sums
from trace_core.drift import Night, make_detector
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import Settings

_FIRST_DAY = date(2026, 9, 1)
_NIGHTS, _RELEASE = 60, 45
_ROLLBACK = 52


def judge(seed: int, scorer_name: str, rollback: bool) -> list[tuple[int, str, bool, bool]]:
    """Return (night, event, names the tenant, names the release) of every event of one seed, in order."""
    settings = SampleSettings(
        first_day=_FIRST_DAY,
        nights=_NIGHTS,
        seed=seed,
        release_night=_RELEASE,
        rollback_night=_ROLLBACK if rollback else None,
    )
    scorer = get_scorer(scorer_name)
    dimensions = Settings.model_fields["segments"].default
    metrics = Settings.model_fields["watch_metrics"].default
    scores: dict[tuple[str, date], list[tuple[float, dict[str, str]]]] = defaultdict(list)
    logs, copy = tee(_readable(settings))
    for log, evaluation in zip(logs, scorer.score_many(copy), strict=True):
        segments = {name: log.segments.get(name) or "(missing)" for name in dimensions}
        for metric in metrics:
            value = getattr(evaluation, metric)
            if value is not None:
                scores[metric, settings.day(int(log.log_id.split("-")[1]))].append((value, segments))
    events = []
    for metric in metrics:
        detector = make_detector(metric)
        for number in range(_NIGHTS):
            day = settings.day(number)
            verdict = detector.observe(_night(day, scores[metric, day], scorer.fingerprint))
            if verdict.event:
                named = verdict.text + str(verdict.incident)
                events.append((number, str(verdict.event), "acme" in named, "2.4.0" in named))
    return sorted(events)


def _readable(settings: SampleSettings) -> Iterator[Log]:
    for row in generate(settings):
        with suppress(BadInput):
            yield parse_log(row)


def _night(day: date, scores: list[tuple[float, dict[str, str]]], fingerprint: str) -> Night:
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for value, segments in scores:
        for name, segment in segments.items():
            cells[name][segment].append(value)
    by_dimension = {
        name: {segment: Sums.of(values) for segment, values in values_of.items()}
        for name, values_of in cells.items()
    }
    return Night(day, fingerprint, Sums.of(value for value, _ in scores), by_dimension)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--scorer", default=DEFAULT_SCORER)
    parser.add_argument("--rollback", action="store_true", help="roll the release back after a week")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    found: Counter[str] = Counter()
    early, again, recovered, named = 0, 0, 0, 0
    with ProcessPoolExecutor(options.processes) as pool:
        count = len(seeds)
        results = list(pool.map(judge, seeds, [options.scorer] * count, [options.rollback] * count))
    for events in results:
        early += any(night < _RELEASE for night, event, *_ in events if event == "opened")
        pages = [page for page in events if page[0] >= _RELEASE and page[1] in ("opened", "worsened")]
        found[str(pages[0][0] - _RELEASE + 1) if pages else "never"] += 1
        again += len(pages) > 1
        named += bool(pages and pages[0][2] and pages[0][3])
        recovered += any(event == "recovered" for _, event, *_ in events)
    table = Table(title=f"{len(seeds)} seeds of sample traffic, scorer {options.scorer}")
    table.add_column("what")
    table.add_column("seeds", justify="right")
    table.add_row("a page before the release", str(early))
    for nights, seeds_found in sorted(found.items()):
        table.add_row(f"found on night {nights} of the release", str(seeds_found))
    table.add_row("first page names tenant and release", str(named))
    table.add_row("a second page about it", str(again))
    table.add_row("recovery told", str(recovered))
    Console().print(table)


if __name__ == "__main__":
    main()
