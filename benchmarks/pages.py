"""Server time of each page over a year of results: python -m benchmarks.pages

The real app answers in this process, with the sign-in replaced: what is timed is routing, queries on a real
Postgres, read models and templates, not Airflow's session check and not the network.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from fastapi import Depends
from sqlalchemy import create_engine, text

from benchmarks.pages_data import FIRST, METRICS, NIGHTS, SCORER, fill
from trace_pipeline.database import connect
from trace_pipeline.local import postgres
from trace_pipeline.local.stack import ROOT
from trace_pipeline.migrations import migrate
from trace_pipeline.pages.database import PageUrls

LAST = FIRST + timedelta(days=NIGHTS - 1)
REPEATS = 2


def addresses(per_night: int) -> Iterator[tuple[str, str]]:
    """Yield page and address, over many choices."""
    segments = [
        "",
        "&dimension=tenant&value=t3",
        "&dimension=tenant&value=t49",
        "&dimension=language&value=de",
    ]
    for nights in (7, 30, 90, 365):
        for segment in segments[:3]:
            for metric in METRICS[:2]:
                yield "Overview", f"/?nights={nights}&metric={metric}{segment}"
        yield "Runs", f"/runs?nights={nights}"
        yield "Runs", f"/quarantine?nights={nights}&reason=missing_question"
        yield "Corpus", f"/corpus?nights={nights}"
        for segment in segments:
            for own in ("", "&kind=refusal", "&status=skipped", "&sort=time", "&unsupported=yes"):
                yield "Logs", f"/logs?nights={nights}{segment}{own}"
        for metric in ("completeness", "relevance"):
            yield "Logs", f"/logs?nights={nights}&sort={metric}"
            yield "Logs", f"/logs?nights={nights}&by={metric}&low=20&high=30"
        yield "Logs", f"/logs?nights={nights}&document=doc-17"
        yield "Logs", f"/logs?nights={nights}&day={LAST}"
    for own in ("", "?about=adherence", "?state=closed", "?dimension=tenant&value=t3"):
        yield "Incidents", f"/incidents{own}"
    for number in range(1, 12):
        yield "Incident", f"/incidents/{number}"
    for number in range(1, per_night, max(1, per_night // 12)):
        log_id = f"log-{NIGHTS - 1}-{number}"
        yield "Log", f"/log?log={quote(log_id)}&day={LAST}"


async def measure(app: Any, wanted: list[tuple[str, str]]) -> dict[str, list[tuple[float, str]]]:
    """Return milliseconds and address by page; an unknown one ends it."""
    found: dict[str, list[tuple[float, str]]] = {}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://pages.test") as client:
        await client.get("/")
        for page, address in wanted:
            for _ in range(REPEATS):
                began = time.perf_counter()
                answer = await client.get(address)
                spent = 1_000 * (time.perf_counter() - began)
                if answer.status_code == 503:  # stopped by the pages' own limit of five seconds
                    print(f"stopped after {spent:.0f} ms: {address}", file=sys.stderr, flush=True)
                elif answer.status_code != 200:
                    raise SystemExit(f"{address}: {answer.status_code} {answer.text[-400:]}")
                found.setdefault(page, []).append((spent, address))
    return found


def main() -> None:
    """Fill, measure, print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=5_000_000)
    parser.add_argument(
        "--keep", type=Path, help="folder whose server is kept, and used again when it is filled"
    )
    options = parser.parse_args()
    home = options.keep or Path(tempfile.mkdtemp(prefix="trace-pages-"))
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)
    sys.path.insert(0, str(ROOT / "plugins"))
    from rag_quality.app import create_app
    from rag_quality.viewer import Viewer

    try:
        server = postgres.start(home / "postgres")
        url = _filled(server, options.evaluations)
        app = create_app(
            lambda: PageUrls(url, url), Depends(lambda: None), lambda: Viewer("bench", may_label=False)
        )
        wanted = list(addresses(options.evaluations // NIGHTS))
        found = asyncio.run(measure(app, wanted))
        app.state.database.close()
    finally:
        if options.keep is None:
            postgres.destroy(home / "postgres")
    report(found)


def _filled(server: postgres.Server, evaluations: int) -> str:
    admin = create_engine(server.url(), isolation_level="AUTOCOMMIT")
    url = server.url("pages")
    with admin.connect() as connection:
        if not connection.scalar(text("select 1 from pg_database where datname = 'pages'")):
            connection.execute(text("create database pages"))
    admin.dispose()
    engine = connect(url, setting="benchmark")
    migrate(engine)
    with engine.connect() as connection:
        is_empty = (
            connection.scalar(text("select count(*) from trace.scorer where name = :name"), {"name": SCORER})
            == 0
        )
    if is_empty:
        fill(engine, evaluations, lambda said: print(said, file=sys.stderr, flush=True))
    engine.dispose()
    return url


def report(found: dict[str, list[tuple[float, str]]]) -> None:
    """Print median and worst of each page, and which address was worst."""
    print("| page | answers | median, ms | worst, ms | worst at |")
    print("|---|---|---|---|---|")
    for page, timed in found.items():
        worst, where = max(timed)
        median = statistics.median(spent for spent, _ in timed)
        print(f"| {page} | {len(timed)} | {median:.0f} | {worst:.0f} | `{where}` |")


if __name__ == "__main__":
    main()
