"""A whole night of the scorer nli, with the tiny model: what is written, what a retry and a new model change."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.conftest import checksum
from tests.nli_model import NLI_LABELS, make_folder
from tests.sql.test_doctor import findings, texts
from tests.sql.tools import DAY, LEDGER, MakePipeline, a_log, insert, night, noon, rows
from trace_core.errors import ConfigurationError
from trace_pipeline.cli.main import main
from trace_pipeline.doctor import local_model
from trace_pipeline.nli.model import NliModel
from trace_pipeline.steps.check_source import check_source

EVALUATIONS = (
    "select log_id, status, coalesce(reason, ''), adherence, adherence_probability, utilization, decided_by"
    " from trace.evaluation join trace.scorer using (scorer_id) where name = 'nli' order by 1"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tiny model's folder."""
    return make_folder(tmp_path / "model")


def nli(folder: Path, scorers: str = "nli", **settings: Any) -> dict[str, Any]:
    """Return the settings of a run."""
    return {"scorers": scorers, "nli": {"model_folder": str(folder), **settings}}


def some(engine: Engine) -> None:
    """Write a night of each kind of log."""
    insert(
        engine,
        a_log("both", response="The warranty lasts two years within thirty days."),
        a_log("empty", response=""),
        a_log("good"),
        a_log("invented", response="The warranty lasts two years. Zebras adore fish."),
        a_log("no documents", documents=[]),
        a_log("refusal", response="I don't know."),
        a_log("unreadable", question=None),
        a_log("unsaid", response="The warranty not lasts two years."),
    )


def test_a_night_of_nli_is_written_and_balanced(
    engine: Engine, make_pipeline: MakePipeline, folder: Path
) -> None:
    """Each log has its outcome, the ledger balances, and the day has its sums."""
    some(engine)
    night(make_pipeline(**nli(folder)))
    assert rows(engine, EVALUATIONS) == [
        ("both", "scored", "", 1.0, 0.8789, 1.0, None),
        ("empty", "skipped", "empty_response", None, None, None, None),
        ("good", "scored", "", 1.0, 0.8789, 0.5, None),
        ("invented", "scored", "", 0.0, 0.0, 0.5, None),
        ("no documents", "scored", "", 0.0, None, None, None),
        ("refusal", "scored", "", 1.0, None, 0.0, None),
        ("unsaid", "scored", "", 0.0, 0.0, 0.0, None),
    ]
    assert rows(engine, LEDGER) == [(DAY, 8, 6, 1, 1, 0)]
    adherence = "select n, mean from trace.metric_trend where metric = 'adherence' and dimension = ''"
    assert rows(engine, adherence) == [(6, 0.5)]
    reason = (
        "select annotation -> 'sentence_support_information' -> 0 ->> 'explanation' from trace.evaluation"
        " where log_id = 'unsaid'"
    )
    assert rows(engine, reason)[0][0].endswith("contradicted by 0a with probability 0.9820")


def test_a_second_run_changes_nothing_and_a_forced_one_writes_the_same(
    engine: Engine, make_pipeline: MakePipeline, folder: Path
) -> None:
    """Whatever the size of its batches, of rows and of pairs."""
    some(engine)
    night(make_pipeline(**nli(folder)))
    before = checksum(engine)
    assert night(make_pipeline(**nli(folder)), late_days=3).changed == 0
    night(make_pipeline(**nli(folder, batch_pairs=1, threads=2), batch_rows=1), force=True)
    assert checksum(engine) == before


def test_nli_beside_lexical_leaves_its_rows_alone(
    engine: Engine, make_pipeline: MakePipeline, folder: Path
) -> None:
    """The trend is that of the first scorer; relevance is the same for both, where nothing is by rule."""
    some(engine)
    night(make_pipeline())
    lexical = "select * from trace.evaluation join trace.scorer using (scorer_id) where name = 'lexical' order by log_id"
    alone = [row[:-1] for row in rows(engine, lexical)]
    night(make_pipeline(**nli(folder, "lexical,nli")))
    assert [row[:-1] for row in rows(engine, lexical)] == alone
    same = (
        "select count(*) from trace.evaluation a join trace.evaluation b using (logged_at, log_id)"
        " where a.scorer_id < b.scorer_id and a.relevance is not distinct from b.relevance"
    )
    assert rows(engine, same) == [(7,)]


def test_another_model_is_another_version(
    engine: Engine, make_pipeline: MakePipeline, folder: Path, tmp_path: Path
) -> None:
    """Its rows stand beside those of the earlier one."""
    some(engine)
    night(make_pipeline(**nli(folder)))
    other = make_folder(tmp_path / "other", NLI_LABELS[::-1])
    night(make_pipeline(**nli(other)))
    versions = "select parameters #>> '{model,files,model.onnx}' from trace.scorer where name = 'nli'"
    assert len({row[0] for row in rows(engine, versions)}) == 2


def test_a_log_on_which_the_runtime_breaks_is_failed_and_the_night_goes_on(
    engine: Engine, make_pipeline: MakePipeline, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in the ledger with scorer_error."""
    judge = NliModel.judge

    def breaks(self: NliModel, pairs: Any) -> Any:
        if any("Zebras" in pair.hypothesis for pair in pairs):
            raise RuntimeError("out of memory")
        return judge(self, pairs)

    monkeypatch.setattr(NliModel, "judge", breaks)
    some(engine)
    night(make_pipeline(**nli(folder)))
    assert rows(engine, LEDGER) == [(DAY, 8, 5, 1, 1, 1)]
    assert rows(engine, EVALUATIONS)[3][:3] == ("invented", "failed", "scorer_error")


def test_a_model_that_is_not_there_stops_the_run_in_its_first_step(
    engine: Engine, make_pipeline: MakePipeline, tmp_path: Path
) -> None:
    """Nothing is planned, nothing is written."""
    some(engine)
    with pytest.raises(ConfigurationError, match=r"setting 'nli\.model_folder': there is no folder"):
        check_source(make_pipeline(**nli(tmp_path / "gone")))
    assert rows(engine, "select count(*) from trace.evaluation") == [(0,)]


def test_doctor_names_a_missing_model_and_mixed_up_labels(
    engine: Engine, database: str, make_pipeline: MakePipeline, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault before a night fails; advice where the model says nonsense."""
    insert(engine, a_log("one", noon() - timedelta(days=1)))
    monkeypatch.setenv("TRACE_SCORERS", "nli")
    monkeypatch.setenv("TRACE_NLI__MODEL_FOLDER", str(folder / "gone"))
    found = findings(database)
    assert [(f.level, f.part) for f in found] == [("fault", "settings")], texts(found)
    assert "there is no folder" in found[0].text and "the file it names" in found[0].remedy
    monkeypatch.setenv("TRACE_NLI__MODEL_FOLDER", str(folder))
    assert not [f for f in findings(database) if f.part == "nli"]
    turned = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    (folder / "config.json").write_text(json.dumps({"id2label": turned}), encoding="utf-8")
    found = [f for f in findings(database) if f.part == "nli"]
    assert [(f.level, "config.json" in f.remedy) for f in found] == [("advice", True)], texts(found)


def test_doctor_says_when_a_batch_would_take_longer_than_its_task_has(
    engine: Engine, make_pipeline: MakePipeline, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the number of logs that would do; measured, not guessed from the model's size."""
    pipeline = make_pipeline(**nli(folder), batch_rows=2_000)
    assert local_model.pairs_per_second(pipeline.scorers[0].model) > 1  # type: ignore[attr-defined]
    for rate, said in ((40.0, []), (8.0, ["Lower batch_rows to 480, or take a smaller model."])):
        monkeypatch.setattr(local_model, "pairs_per_second", lambda model, rate=rate: rate)
        assert [f.remedy for f in local_model.check(pipeline) if f.level == "advice"] == said
    monkeypatch.setattr(local_model, "pairs_per_second", lambda model: 8.0)
    *_, finding = local_model.check(pipeline)
    assert "a batch of 2,000 logs of 5 sentences takes 125 minutes; its task has 60" in finding.text


def test_a_file_is_scored_by_nli_without_a_database(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """trace-pipeline score --scorer nli."""
    monkeypatch.setenv("TRACE_NLI__MODEL_FOLDER", str(folder))
    logs, out = tmp_path / "logs.jsonl", tmp_path / "scored.jsonl"
    logs.write_text(json.dumps({**a_log("one"), "logged_at": noon().isoformat()}), encoding="utf-8")
    command = ["trace-pipeline", "score", "--scorer", "nli", "--input", str(logs), "--output", str(out)]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["status"], found["adherence"], found["adherence_probability"]) == ("scored", 1.0, 0.8789)
