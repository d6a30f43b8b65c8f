"""Trust on a real Postgres: what people say of an answer, sizes of strata, corrected nights, the queue."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.tools import DAY, execute, noon
from trace_core.trust import sampling_number
from trace_pipeline.trust import (
    corrected_nights,
    corrected_range,
    find_in_queue,
    label_queue,
    read_labels,
)
from trace_pipeline.trust.corrected import LEAST_DRAWN
from trace_pipeline.trust.strata import read_sizes
from trace_pipeline.window import day_bounds

FROM, TO = day_bounds(DAY, "UTC")[0], day_bounds(DAY + timedelta(days=9), "UTC")[1]


def scorer(engine: Engine, name: str = "lexical") -> int:
    """Register a scorer; returns its number."""
    execute(engine, "select trace.ensure_evaluation_partitions(:a, :b)", a=DAY, b=DAY + timedelta(days=40))
    with engine.begin() as connection:
        return int(
            connection.exec_driver_sql(
                f"insert into trace.scorer (name, fingerprint, parameters) values ('{name}', 'f', '{{}}')"
                " returning scorer_id"
            ).scalar_one()
        )


def evaluate(engine: Engine, scorer_id: int, log_id: str, at: datetime | None = None, **columns: Any) -> None:
    """Write an evaluation."""
    values = {
        "scorer_id": scorer_id,
        "logged_at": at or noon(),
        "log_id": log_id,
        "input_hash": "h",
        "status": "scored",
        "adherence": 1.0,
        "adherence_probability": 0.95,
        "annotation": '{"response_sentence_keys": ["a", "b"]}',
        "segments": '{"tenant": "acme"}',
        "run_id": "r",
        **columns,
    }
    names = ", ".join(values)
    execute(
        engine,
        f"insert into trace.evaluation ({names}) values ({', '.join(f':{name}' for name in values)})",
        **values,
    )


def label(
    engine: Engine,
    log_id: str,
    verdict: str,
    person: str = "ada",
    *,
    key: str | None = None,
    at: datetime | None = None,
    **columns: Any,
) -> None:
    """Write a label."""
    values = {
        "log_id": log_id,
        "logged_at": at or noon(),
        "level": "sentence" if key else "response",
        "sentence_key": key,
        "verdict": verdict,
        "labelled_by": person,
        "labelled_at": datetime(2026, 11, 1, tzinfo=UTC),
        "source": "ui",
        "input_hash": "h",
        **columns,
    }
    names = ", ".join(values)
    execute(
        engine,
        f"insert into trace.label ({names}) values ({', '.join(f':{name}' for name in values)})",
        **values,
    )


def test_what_people_say_of_an_answer(engine: Engine) -> None:
    """The whole response wins over its sentences, a majority over one; ties, gaps and old texts are left out."""
    number = scorer(engine)
    for name in ("whole", "bad-part", "all-parts", "one-part", "tie", "two-to-one", "stale", "foreign-key"):
        evaluate(engine, number, name)
    label(engine, "whole", "supported")
    label(engine, "whole", "unsupported", key="a")
    label(engine, "bad-part", "unsupported", key="b")
    label(engine, "all-parts", "supported", key="a")
    label(engine, "all-parts", "supported", key="b", drawn=True)
    label(engine, "one-part", "supported", key="a")
    label(engine, "tie", "supported")
    label(engine, "tie", "unsupported", "bob")
    for person, verdict in (("ada", "supported"), ("bob", "unsupported"), ("eve", "unsupported")):
        label(engine, "two-to-one", verdict, person)
    label(engine, "stale", "supported", input_hash="before")
    label(engine, "foreign-key", "unsupported", key="zz")
    label(engine, "never-scored", "supported")
    label(engine, "whole", "unsupported", "bob", kind="tone")
    with engine.connect() as connection:
        found = read_labels(connection, number, FROM, TO)
    said = {answer.log_id: (answer.true, answer.is_drawn) for answer in found.answers}
    assert said == {
        "whole": (True, False),
        "bad-part": (False, False),
        "all-parts": (True, True),
        "two-to-one": (False, False),
    }
    assert (found.stale, found.unsure) == (1, 3)
    assert sorted(found.pairs) == [(False, False), (True, False), (True, False), (True, False)]


def test_a_night_is_counted_by_stratum(engine: Engine) -> None:
    """Verdict and probability; what has no adherence or was not scored is in none."""
    number = scorer(engine)
    for at, (adherence, probability) in enumerate([(1, 0.9), (1, 0.8), (0, 0.7), (0, 0.2), (1, None)]):
        evaluate(engine, number, str(at), adherence=adherence, adherence_probability=probability)
    evaluate(engine, number, "undefined", adherence=None)
    evaluate(engine, number, "skipped", status="skipped", reason="empty_response", adherence=None)
    with engine.connect() as connection:
        sizes = read_sizes(connection, "lexical", number, (DAY, DAY), "UTC")[DAY]
        assert sizes.answers == (1, 1, 1, 2)
        assert (sizes.raw, sizes.effective) == (0.6, 5)
        assert set(read_sizes(connection, "lexical", number, (DAY, DAY), "Pacific/Kiritimati")) == set()


def test_a_sampled_night_is_counted_by_weight(engine: Engine) -> None:
    """The judged ones stand for all whose turn the judge is; a night without any judged has no size."""
    number = scorer(engine, "hybrid")
    for at in range(6):
        evaluate(engine, number, f"sure-{at}", decided_by="lexical")
    judged = {"decided_by": "judge", "adherence_probability": None}
    evaluate(engine, number, "j1", adherence=0, inclusion_probability=0.5, **judged)
    evaluate(engine, number, "j2", adherence=1, inclusion_probability=0.25, **judged)
    for at in range(10):
        evaluate(
            engine, number, f"out-{at}", status="sampled_out", reason="sampling", adherence=None, **judged
        )
    later = noon(DAY + timedelta(days=1))
    evaluate(engine, number, "k", later, decided_by="lexical")
    evaluate(engine, number, "l", later, status="sampled_out", reason="budget", adherence=None, **judged)
    with engine.connect() as connection:
        found = read_sizes(connection, "hybrid", number, (DAY, DAY + timedelta(days=1)), "UTC")
    assert set(found) == {DAY}
    assert found[DAY].answers == pytest.approx((4, 0, 0, 14))  # 12 of the judge, as 2 to 4
    assert found[DAY].squares == pytest.approx(6 + 16 + 64)


@pytest.fixture
def nights(engine: Engine) -> int:
    """Ten nights of forty answers, a quarter called bad; the numbers make half of the bad ones doubtful."""
    number = scorer(engine)
    execute(
        engine,
        "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, adherence,"
        " adherence_probability, segments, run_id)"
        " select :scorer, cast(:at as timestamptz) + d * interval '1 day' + i * interval '1 second',"
        " d || '-' || i, 'h', 'scored', cast(i % 4 > 0 as integer),"
        " case when i % 4 > 0 then 0.85 + i % 2 * 0.1 else 0.2 + i % 8 * 0.12 end, '{}', 'r'"
        " from generate_series(0, 9) as d, generate_series(0, 39) as i",
        scorer=number,
        at=noon(),
    )
    return number


def test_a_night_is_corrected_by_the_labels_before_it(engine: Engine, nights: int) -> None:
    """Not by later ones; a night without any at hand says so, and the raw rate stands beside."""
    last = DAY + timedelta(days=9)
    for i in range(8):
        label(engine, f"5-{i}", "supported", at=noon(DAY + timedelta(days=5), seconds=i))
    with engine.connect() as connection:
        found = corrected_nights(connection, "lexical", nights, (DAY, last), nights=3, zone="UTC")
        whole = corrected_range(connection, "lexical", nights, (DAY, last), nights=3, zone="UTC")
        none = corrected_range(connection, "lexical", nights, (DAY, DAY), nights=3, zone="UTC")
    assert [one.rate.labels for one in found] == [0] * 5 + [8] * 3 + [0] * 2
    assert found[0].rate.reason == "no_label" and found[0].raw == 0.75
    assert found[5].rate.rate == 1.0 and found[5].rate.low is not None and found[5].rate.low < 0.9
    assert "may be biased" in found[5].note and not found[0].note
    assert whole is not None and whole.rate.labels == 8 and none is None


def test_enough_drawn_labels_stand_alone(engine: Engine, nights: int) -> None:
    """Those that people chose are then left out, and nothing is said of a bias."""
    for i in range(LEAST_DRAWN):
        label(engine, f"9-{i}", "supported", at=noon(DAY + timedelta(days=9), seconds=i), drawn=True)
    for i in range(30, 40):
        label(engine, f"9-{i}", "unsupported", at=noon(DAY + timedelta(days=9), seconds=i))
    last = DAY + timedelta(days=9)
    with engine.connect() as connection:
        found = corrected_range(connection, "lexical", nights, (last, last), nights=28, zone="UTC")
    assert found is not None
    assert (found.rate.rate, found.rate.labels, found.note) == (1.0, LEAST_DRAWN, "")


def test_the_queue_draws_at_random_what_shrinks_the_interval(engine: Engine, nights: int) -> None:
    """By the numbers of the ids, every stratum in turn, the doubtful ones more than their share; never twice."""
    last = DAY + timedelta(days=9)
    with engine.connect() as connection:
        queue = label_queue(connection, "lexical", nights, last, nights=28, zone="UTC")
        assert len(queue) == 20 and len({log.log_id for log in queue}) == 20
        assert {log.stratum for log in queue} == {0, 1, 2, 3}
        assert all(log.logged_at >= noon(DAY + timedelta(days=3)) for log in queue)
        for stratum in range(4):
            numbers = [sampling_number(log.log_id, "labels") for log in queue if log.stratum == stratum]
            assert numbers == sorted(numbers)
        first = queue[0]
        key = (first.logged_at, first.log_id)
        assert find_in_queue(connection, nights, last, key, nights=28, zone="UTC")
        assert not find_in_queue(connection, nights, last, (noon(), "0-0"), nights=28, zone="UTC")
    label(engine, first.log_id, "supported", at=first.logged_at, drawn=True)
    with engine.connect() as connection:
        again = label_queue(connection, "lexical", nights, last, nights=28, zone="UTC")
        assert first.log_id not in {log.log_id for log in again}
        assert not find_in_queue(connection, nights, last, key, nights=28, zone="UTC")
        assert label_queue(connection, "lexical", 99, last, nights=28, zone="UTC") == []
