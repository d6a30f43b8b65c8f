"""The default settings: a primary scorer and another one beside it, over logs that are read once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.sql.tools import DAY, LEDGER, MakePipeline, a_log, insert, night, rows
from trace_core import DEFAULT_SCORER
from trace_core.errors import TemporaryFault
from trace_pipeline.report.csv_export import to_csv
from trace_pipeline.settings import Settings
from trace_pipeline.show import ledger_frame, trend_frame
from trace_pipeline.source import Source
from trace_pipeline.steps import score_batch as step

DEFAULT = Settings.model_fields["scorers"].default


@pytest.fixture
def logs(engine: Engine) -> None:
    """Three logs that can be scored, an empty one and one that cannot be read."""
    bad = a_log("bad", response="Zebras adore purple marzipan.")
    insert(
        engine, a_log("a"), a_log("b"), bad, a_log("empty", response=""), a_log("unreadable", question=None)
    )


def test_a_log_is_fetched_and_parsed_once_for_all_scorers(
    engine: Engine, make_pipeline: MakePipeline, logs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One pass over the source and one parse a log give a row of each scorer, and count as one changed log."""
    done: Counter[str] = Counter()
    texts, parse = Source.texts, step.parse_log

    def counted_texts(self: Source, connection: Any, entries: Any) -> Any:
        done["fetched"] += len(entries)
        return texts(self, connection, entries)

    def counted_parse(row: Any, limits: Any) -> Any:
        done["parsed"] += 1
        return parse(row, limits)

    monkeypatch.setattr(Source, "texts", counted_texts)
    monkeypatch.setattr(step, "parse_log", counted_parse)
    report = night(make_pipeline(scorers=DEFAULT))
    assert done == {"fetched": 5, "parsed": 5}
    assert (report.read, report.changed) == (5, 5)
    found = rows(
        engine,
        "select name, count(*) from trace.evaluation join trace.scorer using (scorer_id) group by name",
    )
    assert dict(found) == dict.fromkeys(DEFAULT, 4)
    assert rows(engine, LEDGER) == [(DAY, 5, 3, 1, 1, 0)] * 2


def test_running_twice_changes_nothing(engine: Engine, make_pipeline: MakePipeline, logs: None) -> None:
    """Neither scorer scores anything again."""
    night(make_pipeline(scorers=DEFAULT))
    before = checksum(engine)
    assert night(make_pipeline(scorers=DEFAULT), late_days=7).changed == 0
    assert checksum(engine) == before


def test_both_scorers_are_written_or_neither(
    engine: Engine, make_pipeline: MakePipeline, logs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault between the scorers leaves nothing of the batch."""
    pipeline = make_pipeline(scorers=DEFAULT)
    whole = step.BatchWriter.evaluations
    last = list(pipeline.scorer_ids)[-1]

    def broken(self: step.BatchWriter, scorer_id: int, scored: Any) -> None:
        if scorer_id == last:
            raise TemporaryFault("The connection is gone.")
        whole(self, scorer_id, scored)

    monkeypatch.setattr(step.BatchWriter, "evaluations", broken)
    with pytest.raises(TemporaryFault):
        night(pipeline)
    assert rows(engine, "select count(*) from trace.evaluation") == [(0,)]


def test_trend_ledger_and_export_are_the_primary_scorers(
    engine: Engine, make_pipeline: MakePipeline, logs: None, tmp_path: Any
) -> None:
    """What people read by default is of the first scorer alone, whichever that is."""
    for scorers in (DEFAULT, tuple(reversed(DEFAULT))):
        pipeline = make_pipeline(scorers=scorers)
        night(pipeline)
        assert set(trend_frame(pipeline, nights=7)["scorer"]) == {scorers[0]}
        assert list(ledger_frame(pipeline, nights=7)["scorer"]) == [scorers[0]]
        to_csv(trend_frame(pipeline, nights=7), tmp_path / "trend.csv")
        assert scorers[0] in (tmp_path / "trend.csv").read_text()
        assert scorers[1] not in (tmp_path / "trend.csv").read_text()


def test_an_upgraded_installation_keeps_the_earlier_trend_beside_the_new_one(
    engine: Engine, make_pipeline: MakePipeline, logs: None
) -> None:
    """Rescoring adds the new primary scorer and leaves the rows of the earlier one as they are."""
    night(make_pipeline(scorers="heuristic"))
    earlier = "select md5(string_agg(cast(e as text), '' order by log_id)) from trace.evaluation as e join trace.scorer using (scorer_id) where name = 'heuristic'"
    before = rows(engine, earlier)
    assert night(make_pipeline(scorers=DEFAULT)).changed == 4
    assert rows(engine, earlier) == before
    assert rows(engine, "select name from trace.scorer order by scorer_id") == [("heuristic",), ("lexical",)]
    assert DEFAULT[0] == DEFAULT_SCORER
