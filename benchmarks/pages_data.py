# ruff: noqa: E501 - statements read best with their columns on one line
"""A year of results for the benchmark of the pages: made in SQL, so that five million rows take minutes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import date, timedelta

from sqlalchemy import Connection, Engine, text

from trace_core.scorers import get_scorer

FIRST = date(2025, 11, 1)
NIGHTS = 365
TENANTS = 50
DOCUMENTS = 400
METRICS = ("relevance", "utilization", "adherence", "completeness", "average")
SCORER = "lexical"
LOGGED_NIGHTS = 2  # nights whose texts are in the source: the pages read few of them, by key


def _annotation(unsupported: int) -> str:
    """Return a stored annotation: four documents of four sentences, a response of four."""
    documents = [f"{number}{letter}" for number in range(4) for letter in "abcd"]
    response = list("abcd")
    support = [
        {
            "response_sentence_key": key,
            "fully_supported": at >= unsupported,
            "supporting_sentence_keys": documents[at : at + 1] if at >= unsupported else [],
            "explanation": "" if at >= unsupported else "No document says: warranty, seven, years.",
            "probability": 0.3 + 0.1 * at,
        }
        for at, key in enumerate(response)
    ]
    return json.dumps(
        {
            "document_sentence_counts": [4, 4, 4, 4],
            "response_sentence_keys": response,
            "all_relevant_sentence_keys": documents[:6],
            "all_utilized_sentence_keys": documents[:4],
            "unsupported_response_sentence_keys": response[:unsupported],
            "sentence_support_information": support,
        }
    )


def fill(engine: Engine, evaluations: int, say: Callable[[str], None]) -> None:
    """Write the year; `evaluations` in all, spread evenly over nights and tenants."""
    per_night = evaluations // NIGHTS
    started = time.monotonic()
    with engine.begin() as connection:
        _scorer(connection)
        indexes = _drop_indexes(connection)
        _evaluations(connection, per_night)
        say(f"{per_night * NIGHTS:,} evaluations in {time.monotonic() - started:.0f} s")
    with engine.begin() as connection:
        connection.execute(text("set local maintenance_work_mem = '1GB'"))
        for statement in indexes:
            connection.execute(text(statement))
    say(f"indexes after {time.monotonic() - started:.0f} s")
    with engine.begin() as connection:
        _sums(connection, per_night)
        _verdicts(connection)
        _texts(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze"))
    say(f"filled after {time.monotonic() - started:.0f} s")


def _scorer(connection: Connection) -> None:
    place = {"name": SCORER, "fingerprint": get_scorer(SCORER).fingerprint}
    connection.execute(
        text("insert into trace.scorer (name, fingerprint, parameters) values (:name, :fingerprint, '{}')"),
        place,
    )
    days = {"first": FIRST, "last": FIRST + timedelta(days=NIGHTS - 1)}
    connection.execute(text("select trace.ensure_evaluation_partitions(:first, :last)"), days)


def _drop_indexes(connection: Connection) -> list[str]:
    """Drop all indexes of the evaluations but the key, and return what makes them again."""
    rows = connection.execute(
        text(
            "select indexname, indexdef from pg_indexes where schemaname = 'trace' and tablename = 'evaluation'"
            " and indexname <> 'evaluation_pkey'"
        )
    ).all()
    for name, _ in rows:
        connection.execute(text(f'drop index trace."{name}"'))
    return [definition.replace(" ON ONLY ", " ON ") for _, definition in rows]


def _evaluations(connection: Connection, per_night: int) -> None:
    kinds = [{"at": count, "annotation": _annotation(count)} for count in range(4)]
    connection.execute(text("create temporary table kind (at integer, annotation jsonb) on commit drop"))
    connection.execute(text("insert into kind values (:at, cast(:annotation as jsonb))"), kinds)
    connection.execute(
        text(
            "insert into trace.evaluation (scorer_id, logged_at, log_id, input_hash, status, reason, response_kind,"
            " relevance, utilization, adherence, completeness, average, adherence_probability, annotation, segments,"
            " run_id, document_ids, document_uses)"
            " select 1, cast(:first as date) + d + n * interval '86399 seconds' / :n, 'log-' || d || '-' || n, 'h',"
            " case when u = 9 then 'skipped' else 'scored' end, case when u = 9 then 'empty_response' end,"
            " case when u = 9 then 'empty' when u = 8 then 'refusal' else 'answer' end,"
            " case when u < 9 then r end, case when u < 9 then r / 2 end,"
            " case when u < 9 then cast(cast(u > 1 as integer) as double precision) end, case when u < 9 then 1 - r / 3 end,"
            " case when u < 9 then r end, case when u < 9 then r end, case when u < 9 then k.annotation end,"
            " jsonb_build_object('tenant', 't' || n % :tenants, 'language', case when n % 3 = 0 then 'de' else 'en' end),"
            " '', array['doc-' || n % :documents, 'doc-' || (n * 7 + 1) % :documents], array[3, 1]::smallint[]"
            " from generate_series(0, :nights - 1) as d cross join generate_series(1, :n) as n"
            " cross join lateral (select (n * 7919 + d * 104729) % 10007 / 10007.0::double precision as r,"
            " case when n % 200 = 0 then 9 when n % 25 = 1 then 8 else (n * 31 + d) % 8 end as u) as v"
            " inner join kind as k on k.at = case u when 0 then 2 when 1 then 1 else 0 end"
        ),
        {"first": FIRST, "n": per_night, "nights": NIGHTS, "tenants": TENANTS, "documents": DOCUMENTS},
    )


def _sums(connection: Connection, per_night: int) -> None:
    place = {"first": FIRST, "n": per_night, "nights": NIGHTS, "tenants": TENANTS, "metrics": list(METRICS)}
    connection.execute(
        text(
            "insert into trace.ledger (scorer_id, day, interval_start, interval_end, source_rows, scored, skipped,"
            " quarantined, sampled_out, failed, reasons, run_id) select 1, cast(:first as date) + d,"
            " cast(:first as date) + d, cast(:first as date) + d + 1, :n + 5, :n, 0, 5, 0, 0,"
            """ '{"missing_question": 5}', '' from generate_series(0, :nights - 1) as d"""
        ),
        place,
    )
    connection.execute(
        text(
            "insert into trace.daily_metric (scorer_id, day, dimension, value, metric, n, total, squares, histogram,"
            " undefined, unscored, published_n, published_total, run_id)"
            " select 1, cast(:first as date) + d, case when v < 0 then '' else 'tenant' end,"
            " case when v < 0 then '' else 't' || v end, m, c, round(c * 0.85), round(c * 0.85),"
            " array_fill(cast(0 as bigint), array[21]), 0, 5, c, round(c * 0.85), ''"
            " from generate_series(0, :nights - 1) as d cross join generate_series(-1, :tenants - 1) as v"
            " cross join unnest(cast(:metrics as text[])) as m"
            " cross join lateral (select case when v < 0 then :n else :n / :tenants end as c) as x"
        ),
        place,
    )
    connection.execute(
        text(
            "insert into trace.daily_document (scorer_id, day, document_id, retrieved, relevant, utilized,"
            " beside_unsupported, run_id) select 1, cast(:first as date) + d, 'doc-' || k, 60, k % 60, k % 40,"
            " k % 20, '' from generate_series(0, :nights - 1) as d cross join generate_series(0, :documents - 1) as k"
        ),
        {**place, "documents": DOCUMENTS},
    )
    connection.execute(
        text(
            "insert into trace.quarantine (log_id, logged_at, reason, detail, input_hash, run_id)"
            " select 'bad-' || d || '-' || k, cast(:first as date) + d + k * interval '1 hour', 'missing_question',"
            " 'question', 'h', '' from generate_series(0, :nights - 1) as d cross join generate_series(1, 5) as k"
        ),
        place,
    )


def _verdicts(connection: Connection) -> None:
    """An incident every month, and for each night and metric its verdict, its mean and twenty segments."""
    place = {"first": FIRST, "nights": NIGHTS, "scorer": SCORER, "print": get_scorer(SCORER).fingerprint}
    contributors = [{"dimension": "tenant", "value": f"t{at}", "difference": -0.02} for at in range(5)]
    parts = [
        {"value": f"t{at}", "before": 0.9, "after": 0.8, "mix": 0.001, "within": -0.005, "noise": 0.0}
        for at in range(10)
    ]
    change = {
        "dimension": "tenant",
        "mix": 0.01,
        "within": -0.05,
        "scorer": 0.0,
        "noise": 0.0,
        "segments": parts,
    }
    evidence = {"measure": "mean", "contributors": contributors, "releases": [], "change": change}
    connection.execute(
        text(
            "insert into trace.incident (scorer, metric, opened_day, onset_day, closed_day, state, dimension, value,"
            " size, evidence, text) select :scorer, 'adherence', cast(:first as date) + d + 4, cast(:first as date) + d,"
            " cast(:first as date) + d + 14, 'closed', case when d % 60 = 0 then 'tenant' else '' end,"
            " case when d % 60 = 0 then 't3' else '' end, -0.04, cast(:evidence as jsonb), 'A change.'"
            " from generate_series(30, :nights - 20, 30) as d order by d"
        ),
        {**place, "evidence": json.dumps(evidence)},
    )
    connection.execute(
        text(
            "insert into trace.drift_check (scorer, metric, day, dimension, value, measure, state, event, observed,"
            " expected, difference, low, high, z, threshold, p, n, window_nights, fired, fingerprint, incident_id,"
            " evidence, text) select :scorer, m, cast(:first as date) + d, case when v < 2 then '' else 'tenant' end,"
            " case when v < 2 then '' else 't' || v end, case v when 0 then '' else 'mean' end, 'ok',"
            " case when v = 0 and i.opened_day = cast(:first as date) + d then 'opened' end, 0.85, 0.86, -0.01, -0.02, 0,"
            " -1.2, 3.9, 0.2, 10000, 5, false, :print, case when v = 0 then i.incident_id end, '{\"tau\": 0.01}',"
            " case when v = 0 then 'As expected.' else '' end"
            " from generate_series(21, :nights - 1) as d cross join unnest(array['adherence', 'completeness']) as m"
            " cross join generate_series(0, 21) as v left join trace.incident as i"
            " on m = i.metric and cast(:first as date) + d between i.opened_day and i.closed_day"
        ),
        place,
    )


def _texts(connection: Connection) -> None:
    sentence = (
        "The warranty lasts two years. Returns are free within thirty days. Ask the shop. Keep the bill. "
    )
    connection.execute(
        text(
            "insert into trace.rag_log (log_id, logged_at, question, documents, response, segments)"
            " select log_id, logged_at, 'How long is the warranty?',"
            " jsonb_build_array(cast(:text as text), cast(:text as text), cast(:text as text), cast(:text as text)), :text, segments"
            " from trace.evaluation where scorer_id = 1 and logged_at >= :from_at"
        ),
        {"text": sentence, "from_at": FIRST + timedelta(days=NIGHTS - LOGGED_NIGHTS)},
    )
