"""Any history of a source ends where a single run over its last state would."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.fakes import FakeScorer, use_scorers
from tests.sql.tools import DAY, MakePipeline, execute, night, noon, rows

DAYS = 4
SOURCE = {"table_schema": "public", "table": "logs"}
ROW = (
    "insert into public.logs values (:id, :at, :question, cast(:documents as jsonb), :response, :truth,"
    " cast(:segments as jsonb), '{}')"
)
ONE = "ctid = (select ctid from public.logs where log_id is distinct from 'anchor' order by random() limit 1)"


def random_row(draw: random.Random) -> dict[str, Any]:
    """Return a log that may share its id or time with another, or be unreadable in some way."""
    return {
        "id": draw.choice([None, "", "a", "a", "b", "c", "ä", "Z", f"log{draw.randrange(30)}"]),
        "at": noon(
            DAY, days=draw.randrange(DAYS), hours=draw.choice([-12, 0, 0, 11]), minutes=draw.randrange(3)
        ),
        "question": draw.choice([None, " ", "Why?", "How?", "When?"]),
        "documents": draw.choice(["null", "{}", "[]", '["One. Two."]', '[{"text": "Three."}]', "[null]"]),
        "response": draw.choice([None, "", "One.", "Four."]),
        "truth": draw.choice([None, None, "One."]),
        "segments": draw.choice(["{}", "[]", '{"tenant": "x"}', '{"tenant": "y"}', '{"tenant": ""}']),
    }


def disturb(engine: Engine, draw: random.Random) -> None:
    """Change the source in a few random ways."""
    execute(engine, f"select setseed({draw.random()})")
    for _ in range(draw.randrange(1, 12)):
        execute(engine, ROW, **random_row(draw))
    for change in draw.sample(
        [
            f"delete from public.logs where {ONE}",
            f"update public.logs set response = 'Five.' where {ONE}",
            f"update public.logs set question = null where {ONE}",
            f"update public.logs set question = 'Why?', documents = '[\"One.\"]', segments = '{{}}' where {ONE}",
            f"update public.logs set logged_at = logged_at + interval '1 day' where {ONE} and logged_at < '2026-10-03'",
            f"insert into public.logs select * from public.logs where {ONE}",
            f"update public.logs set log_id = 'a' where {ONE}",
        ],
        k=3,
    ):
        execute(engine, change)


def without_published(found: dict[str, Any], engine: Engine) -> dict[str, Any]:
    """Return a checksum in which the sums are compared without what was published, and without empty cells."""
    sums = rows(
        engine,
        "select day, scorer_id, dimension, value, metric, n, total, squares, histogram, undefined, unscored"
        " from trace.daily_metric where n + undefined + unscored > 0 order by 1, 2, 3, 4, 5",
    )
    return {**found, "daily_metric": sums}


@pytest.fixture
def scorers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two scorers whose values follow from what they read."""

    def value(salt: bytes) -> Callable[[Any], float | None]:
        def give(log: Any) -> float | None:
            code = zlib.crc32(
                salt + repr((log.question, log.documents, log.response, log.ground_truth)).encode()
            )
            return None if code % 5 == 0 else (code % 1000) / 999

        return give

    use_scorers(monkeypatch, FakeScorer("one", "1", value(b"1")), FakeScorer("two", "2", value(b"2")))


@pytest.mark.parametrize("seed", range(2))
def test_any_history_ends_like_one_run(
    engine: Engine, make_pipeline: MakePipeline, scorers: None, seed: int
) -> None:
    """Rows come, change, move, break, repeat and go between runs of any batch size, scorers and window."""
    draw = random.Random(seed)
    execute(engine, "create table public.logs (like trace.rag_log)")
    execute(engine, "alter table public.logs alter log_id drop not null")
    for number in range(DAYS):  # a day without any log would count as forgotten
        good = {
            "question": "Q",
            "documents": json.dumps(["D."]),
            "response": "R",
            "truth": None,
            "segments": "{}",
        }
        execute(engine, ROW, id="anchor", at=noon(DAY, days=number), **good)
    for _ in range(5):
        disturb(engine, draw)
        pipeline = make_pipeline(
            source=SOURCE,
            scorers=draw.choice(["one", "two", "one,two"]),
            batch_rows=draw.choice([1, 2, 7, 1_000]),
            max_batches=draw.choice([2, 9, 500]),
        )
        first = draw.randrange(DAYS)
        night(
            pipeline,
            DAY + timedelta(days=first),
            nights=DAYS - first,
            late_days=draw.randrange(3),
            force=draw.random() < 0.2,
        )
    last = make_pipeline(source=SOURCE, scorers="one,two", segments="tenant", batch_rows=3)
    night(last, nights=DAYS)
    ended = without_published(checksum(engine), engine)
    assert night(last, nights=DAYS, late_days=2).changed == 0
    assert without_published(checksum(engine), engine) == ended
    for table in ("evaluation", "quarantine", "ledger", "daily_metric"):
        execute(engine, f"delete from trace.{table}")
    night(last, nights=DAYS)
    fresh = without_published(checksum(engine), engine)
    assert fresh["daily_metric"] == ended["daily_metric"]
    assert fresh == ended
