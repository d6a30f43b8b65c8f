"""The anchors of a night: asked afresh, once; a judge that has changed is told apart from answers that have."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from typer.testing import CliRunner

from tests.fakes import FakeChannel, use_channel
from tests.judge_stub import FAULTS, Asked, Behaviour, Reply, Stub, judge_stub, verdict
from tests.sql.pages import site
from tests.sql.test_judge_night import some
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, noon, rows, url_of
from tests.sql.watching import day, publish
from trace_core.errors import ConfigurationError
from trace_pipeline.anchor.checks import scorer_states
from trace_pipeline.cli.main import app
from trace_pipeline.nightly import run_window
from trace_pipeline.nights import load_nights
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.score_anchor import score_anchor
from trace_pipeline.steps.send_alerts import send_alerts
from trace_pipeline.window import Window

COUNT = 60
USUAL = 20
STATES = "select night, metric, state from trace.anchor_check where metric = 'adherence' order by night"
VERDICTS = "select night, status, reason, count(*) from trace.anchor_verdict group by 1, 2, 3 order by 1, 2"


def write_anchors(path: Path, count: int = COUNT, changed: Sequence[int] = ()) -> Path:
    """Write a set of anchors, of which the judge finds the first ones unsupported."""
    lines = [
        {
            "anchor_id": f"a{number:02d}",
            "question": f"Which colour has thing {number}?",
            "documents": [
                f"Thing {number} is blue. It was painted {'twice' if number in changed else 'once'}."
            ],
            "response": f"Thing number {number} is blue.",
        }
        for number in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


def strict(unsupported: int) -> Behaviour:
    """A judge that finds the first anchors unsupported, and every other log supported."""

    def behaviour(asked: Asked) -> Reply:
        found = re.search(r"Thing number (\d+) is", asked.prompt)
        is_bad = found is not None and int(found[1]) < unsupported
        return verdict(asked, unsupported=asked.response_keys if is_bad else ())

    return behaviour


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A judge's endpoint, for a client that does not wait long."""
    monkeypatch.setattr("trace_pipeline.judges.asking.FIRST_PAUSE_SECONDS", 0.005)
    with judge_stub(strict(USUAL)) as running:
        yield running


@pytest.fixture
def options(stub: Stub, tmp_path: Path) -> dict[str, Any]:
    """Settings of a pipeline that asks the stub about sixty anchors and, of traffic, about every log."""
    own = {"endpoint": stub.url, "model": "m", "timeout_seconds": 20, "attempts": 2, "sampling_rate": 1.0}
    own |= {"calls_per_night": None, "anchor_file": str(write_anchors(tmp_path / "anchors.jsonl"))}
    return {"scorers": "judge", "judge": own, "watch_metrics": "adherence"}


@dataclass
class Nights:
    """Nights of a judge: its traffic published as sums, its anchors asked over HTTP; what was told is kept."""

    engine: Engine
    stub: Stub
    channel: FakeChannel
    options: dict[str, Any]
    make_pipeline: MakePipeline
    told: dict[int, list[str]] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        return self.make_pipeline(**self.options).scorers[0].fingerprint

    def start(self, quality: int = 60, anchors: int = 8) -> int:
        """Let the judge be as usual; returns the number of the next night."""
        publish(self.engine, range(quality - 1), self.fingerprint, n=1000, kept=900, scorer="judge")
        score_anchor(self.make_pipeline(**self.options), day(quality - anchors))
        # The nights after it were alike; they are not asked, as that takes seconds.
        execute(
            self.engine,
            "insert into trace.anchor_verdict (scorer_id, night, anchor_id, content_hash, status, relevance,"
            " utilization, adherence, completeness, run_id) select scorer_id, night + n, anchor_id, content_hash,"
            " status, relevance, utilization, adherence, completeness, run_id"
            " from trace.anchor_verdict cross join generate_series(1, :more) as n",
            more=anchors - 1,
        )
        self.night(quality - 1, 900, ask=False)
        return quality

    def night(self, number: int, kept: int, unsupported: int = USUAL, *, ask: bool = True) -> list[str]:
        """Run one night: of its thousand logs so many are adherent; returns the events told."""
        self.stub.behaviour = strict(unsupported)
        pipeline = self.make_pipeline(**self.options)
        publish(self.engine, [number], self.fingerprint, n=1000, kept=kept, scorer="judge")
        if ask:
            score_anchor(pipeline, day(number))
        detect_drift(pipeline)
        self.told[number] = [":".join(key.split(":")[:2]) for key in send_alerts(pipeline, "fake")]
        return self.told[number]


@pytest.fixture
def nights(
    engine: Engine,
    stub: Stub,
    options: dict[str, Any],
    make_pipeline: MakePipeline,
    monkeypatch: pytest.MonkeyPatch,
) -> Nights:
    """A judge whose nights can be run."""
    channel = FakeChannel()
    use_channel(monkeypatch, channel)
    return Nights(engine, stub, channel, options, make_pipeline)


def test_a_judge_ten_points_stricter_is_a_scorer_alert_and_no_quality_page(nights: Nights) -> None:
    """Six of sixty frozen logs are judged otherwise, and the traffic's adherence falls by as much."""
    first = nights.start()
    assert nights.night(first, 800, USUAL + 6) == ["scorer:scorer_shifted"]
    for number in range(first + 1, first + 5):
        assert nights.night(number, 800, USUAL + 6) == []
    (message,) = nights.channel.delivered
    assert message.severity == "info"
    assert "the scorer judge has changed: adherence of the frozen logs -10.0 points" in message.title
    assert "(95 % interval " in message.body and "a20, a21, a22, a23, a24 and 1 more" in message.body
    assert "Thing number" not in message.body
    assert rows(nights.engine, "select state from trace.incident") == []
    assert rows(
        nights.engine, "select distinct fingerprint from trace.drift_check where metric = 'adherence'"
    ) == [(nights.fingerprint,)]


def test_the_same_drop_of_quality_with_the_judge_as_before_is_a_page(nights: Nights) -> None:
    """The anchors are judged as always, so it is the answers."""
    first = nights.start()
    assert nights.night(first, 800) == ["adherence:opened"]
    (message,) = nights.channel.delivered
    assert message.severity == "page"


def test_a_page_waits_for_the_night_that_clears_a_suspect_judge(nights: Nights) -> None:
    """Two verdicts more are suspect; the next night they are gone, and the page is told one night late."""
    first = nights.start()
    assert nights.night(first, 800, USUAL + 2) == []
    assert rows(nights.engine, STATES)[-1][2] == "suspect"
    assert rows(nights.engine, "select state from trace.incident") == [("open",)]
    assert nights.night(first + 1, 800) == ["adherence:opened"]


def test_a_page_that_waited_is_swallowed_by_the_shift(nights: Nights) -> None:
    """Two verdicts more are seen again: the scorer, since the night that was suspect."""
    first = nights.start()
    assert nights.night(first, 800, USUAL + 2) == []
    assert nights.night(first + 1, 800, USUAL + 2) == ["scorer:scorer_shifted"]
    assert nights.night(first + 2, 800, USUAL + 2) == []
    assert rows(nights.engine, "select state from trace.incident") == [("withdrawn",)]
    (message,) = nights.channel.delivered
    assert f"Changed since {day(first).isoformat()}" in message.body


def test_a_page_waits_no_longer_than_a_night(nights: Nights) -> None:
    """The anchors cannot be judged on the night after: the page goes out all the same."""
    first = nights.start()
    assert nights.night(first, 800, USUAL + 2) == []
    assert nights.night(first + 1, 800, ask=False) == ["adherence:opened"]


def test_after_a_shift_the_watch_begins_anew_and_finds_the_next_drop(nights: Nights) -> None:
    """The nights from the onset on are those of another version; learned again, they are watched again."""
    first = nights.start()
    nights.night(first, 800, USUAL + 6)
    publish(nights.engine, range(first + 1, first + 40), nights.fingerprint, n=1000, kept=800, scorer="judge")
    with nights.engine.connect() as connection:
        names = [night.fingerprint for night in load_nights(connection, "judge", "adherence", 400)]
        shares = {night.fingerprint for night in load_nights(connection, "judge", "refusal_rate", 400)}
    assert names == [nights.fingerprint] * first + [f"{nights.fingerprint}~2"] * 40
    assert shares == {nights.fingerprint}
    assert nights.night(first + 40, 700, USUAL + 6) == ["adherence:opened"]


def test_verdicts_on_the_scorer_are_a_replay(nights: Nights) -> None:
    """Made anew from the stored verdicts they are the same, and the same are not written again."""
    first = nights.start()
    nights.night(first, 800, USUAL + 6)
    whole = "select *, xmin from trace.anchor_check order by night, metric"
    before = rows(nights.engine, whole)
    detect_drift(nights.make_pipeline(**nights.options))
    assert rows(nights.engine, whole) == before
    with nights.engine.begin() as connection:
        connection.exec_driver_sql("delete from trace.anchor_check")
    detect_drift(nights.make_pipeline(**nights.options))
    assert [row[:-1] for row in rows(nights.engine, whole)] == [row[:-1] for row in before]


def test_each_night_asks_afresh_and_the_same_night_once(
    engine: Engine, make_pipeline: MakePipeline, stub: Stub, options: dict[str, Any]
) -> None:
    """Nothing is taken from kept answers, none is kept, and judge and hybrid share what they ask alike."""
    pipeline = make_pipeline(**options | {"scorers": "lexical,judge,hybrid"})
    assert score_anchor(pipeline, DAY) == ["judge and hybrid: 60 of 60 anchors judged."]
    assert len(stub.asked) == COUNT
    assert score_anchor(pipeline, DAY) == ["judge and hybrid: 60 of 60 anchors judged, 60 of them before."]
    assert len(stub.asked) == COUNT
    score_anchor(pipeline, day(1))
    assert len(stub.asked) == 2 * COUNT
    assert rows(engine, "select count(*) from trace.annotation_cache") == [(0,)]
    assert rows(engine, "select night, calls, answered from trace.judge_budget order by 1") == [
        (DAY, COUNT, COUNT),
        (day(1), COUNT, COUNT),
    ]
    assert rows(engine, VERDICTS) == [(DAY, "scored", None, 2 * COUNT), (day(1), "scored", None, 2 * COUNT)]


def test_a_night_asks_about_the_anchors_first(
    engine: Engine, make_pipeline: MakePipeline, stub: Stub, options: dict[str, Any]
) -> None:
    """Traffic is asked about with what they leave of the budget."""
    insert(engine, *some(5))
    options["judge"] |= {"calls_per_night": COUNT + 2, "sampling_least": 0}
    run_window(make_pipeline(**options), Window(DAY, DAY), late_days=0, anchors=True)
    assert rows(engine, VERDICTS) == [(DAY, "scored", None, COUNT)]
    assert len(stub.asked) == COUNT + 2


def test_a_night_that_was_killed_asks_for_the_rest(
    engine: Engine, make_pipeline: MakePipeline, stub: Stub, options: dict[str, Any]
) -> None:
    """The verdicts that were there stay; until then the night is none, not a smaller set."""
    stub.behaviour = lambda asked: replace(strict(USUAL)(asked), delay=0.05)
    script = (
        "import json, sys\nfrom datetime import date\nfrom trace_pipeline.context import open_pipeline\n"
        "from trace_pipeline.settings import load_settings\nfrom trace_pipeline.steps.score_anchor import score_anchor\n"
        "score_anchor(open_pipeline(load_settings(**json.loads(sys.argv[1])), results_url=sys.argv[2]),"
        f" date.fromisoformat('{DAY}'))"
    )
    process = subprocess.Popen([sys.executable, "-c", script, json.dumps(options), url_of(engine)])
    done = "select count(*) from trace.anchor_verdict where status = 'scored'"
    try:
        while process.poll() is None and rows(engine, done)[0][0] < 10:
            stub.over.wait(0.02)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.wait(30)
    before = rows(engine, done)[0][0]
    assert 10 <= before < COUNT
    pipeline = make_pipeline(**options)
    detect_drift(pipeline)
    assert rows(engine, STATES) == [(DAY, "adherence", "no_data")]
    stub.behaviour = strict(USUAL)
    asked = len(stub.asked)
    assert score_anchor(pipeline, DAY) == [f"judge: 60 of 60 anchors judged, {before} of them before."]
    assert len(stub.asked) - asked == COUNT - before
    detect_drift(pipeline)
    assert rows(engine, STATES) == [(DAY, "adherence", "learning")]


@pytest.mark.parametrize(
    ("change", "behaviour", "reason"),
    [
        ({"calls_per_night": 10}, strict(USUAL), "budget"),
        ({"concurrency": 1}, FAULTS["overloaded"], "judge_unavailable"),
    ],
)
def test_a_night_without_answers_is_no_data(
    engine: Engine,
    make_pipeline: MakePipeline,
    stub: Stub,
    options: dict[str, Any],
    change: dict[str, Any],
    behaviour: Any,
    reason: str,
) -> None:
    """The budget is spent, or nobody answers: no verdict on the scorer, no error, and a reason each."""
    stub.behaviour = behaviour
    options["judge"] |= change
    pipeline = make_pipeline(**options)
    (sentence,) = score_anchor(pipeline, DAY)
    assert f"not ({reason})" in sentence
    detect_drift(pipeline)
    assert rows(engine, STATES) == [(DAY, "adherence", "no_data")]
    reasons = {
        row[0] for row in rows(engine, "select reason from trace.anchor_verdict where status <> 'scored'")
    }
    assert reasons == {reason}
    with engine.connect() as connection:
        assert scorer_states(connection, "judge").suspect is None


def test_a_changed_anchor_is_a_new_one(
    engine: Engine, make_pipeline: MakePipeline, tmp_path: Path, options: dict[str, Any]
) -> None:
    """It is judged, and compared with nothing; the old one is retired, and back when the file has it again."""
    for number in range(3):
        score_anchor(make_pipeline(**options), day(number))
    write_anchors(tmp_path / "anchors.jsonl", changed=[0, 1])
    pipeline = make_pipeline(**options)
    score_anchor(pipeline, day(3))
    detect_drift(pipeline)
    compared = (
        "select night, n, due from trace.anchor_check where metric = 'adherence' order by 1 desc limit 1"
    )
    assert rows(engine, compared) == [(day(3), COUNT - 2, COUNT)]
    retired = "select anchor_id from trace.anchor_log where retired_day = :day order by 1"
    assert rows(engine, retired, day=day(3)) == [("a00",), ("a01",)]
    write_anchors(tmp_path / "anchors.jsonl")
    score_anchor(pipeline, day(4))
    assert rows(engine, "select count(*) from trace.anchor_log where retired_day is null") == [(COUNT,)]


def test_a_file_that_cannot_be_read_is_named_with_its_line(
    engine: Engine, make_pipeline: MakePipeline, tmp_path: Path, stub: Stub, options: dict[str, Any]
) -> None:
    """Nothing is asked then: a set read in part would be another one."""
    path = tmp_path / "anchors.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + '{"anchor_id": "x"\n', encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=r"judge.anchor_file: .*anchors.jsonl, line 61: .*not valid JSON"
    ):
        score_anchor(make_pipeline(**options), DAY)
    assert stub.asked == [] and rows(engine, "select * from trace.anchor_log") == []


@pytest.mark.parametrize(
    "settings", [{"scorers": "lexical,heuristic"}, {"scorers": "judge", "judge": {"anchor": False}}]
)
def test_without_a_scorer_that_may_change_nothing_is_done(
    engine: Engine, make_pipeline: MakePipeline, settings: dict[str, Any]
) -> None:
    """Neither is anything asked nor stored, nor a judge set up; the night before may have had one."""
    pipeline = make_pipeline(**settings)
    assert score_anchor(pipeline, DAY) == []
    assert rows(engine, "select * from trace.anchor_log") == []
    assert rows(engine, "select * from trace.scorer") == []


def test_the_shipped_set_is_asked_without_a_file(
    engine: Engine, make_pipeline: MakePipeline, options: dict[str, Any]
) -> None:
    """Every anchor of it can be asked about."""
    options["judge"]["anchor_file"] = ""
    (sentence,) = score_anchor(make_pipeline(**options), date(2026, 3, 1))
    assert sentence == "judge: 58 of 58 anchors judged."


def test_the_page_and_the_command_show_what_changed(
    nights: Nights, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """State, sentence, and the texts of the changed anchors, escaped; of another scorer nothing."""
    path = Path(nights.options["judge"]["anchor_file"])
    path.write_text(
        path.read_text(encoding="utf-8").replace("Which colour has", "<b>Which"), encoding="utf-8"
    )
    first = nights.start()
    nights.night(first, 800, USUAL + 6)
    monkeypatch.setenv("TRACE_SCORERS", "judge")
    monkeypatch.setenv("TRACE_JUDGE__ANCHOR_FILE", str(path))
    with site(database) as client:
        page = client.get("/runs?scorer=judge&nights=7").text
        assert "judges the same logs otherwise: it has changed itself" in page
        assert "60 of 60 were judged" in page and "-10.0 points" in page
        assert "&lt;b&gt;Which thing 20?" in page and "<b>Which" not in page
        assert "Thing number 25 is blue." in page and "Thing number 26 is blue." not in page
    done = CliRunner().invoke(app, ["anchor", "--database-url", database])
    assert done.exit_code == 0, done.output
    assert "it judges the same logs otherwise" in done.output and "Thing number 25 is blue." in done.output


@pytest.mark.parametrize(
    ("unsupported", "told"), [(USUAL + 6, ["scorer:scorer_shifted"]), (USUAL, ["adherence:opened"])]
)
def test_a_whole_night_whose_judge_finds_more_unsupported(
    nights: Nights, unsupported: int, told: list[str]
) -> None:
    """Of 250 logs every fifth, no longer every tenth: with the frozen logs it is the judge, else the answers."""
    first = nights.start()
    publish(nights.engine, range(60), nights.fingerprint, n=250, kept=225, scorer="judge")
    traffic = [
        a_log(f"t{n}", noon(day(first), seconds=n), response=f"Traffic number {n} is late.", segments={})
        for n in range(250)
    ]
    insert(nights.engine, *traffic)

    def behaviour(asked: Asked) -> Reply:
        found = re.search(r"Traffic number (\d+) is", asked.prompt)
        if found is None:
            return strict(unsupported)(asked)
        return verdict(asked, unsupported=asked.response_keys if int(found[1]) % 5 == 0 else ())

    nights.stub.behaviour = behaviour
    nights.options["judge"] |= {"concurrency": 8}
    nights.options["segments"] = ()  # the published nights have none either
    pipeline = nights.make_pipeline(**nights.options)
    run_window(pipeline, Window(day(first), day(first)), late_days=0, anchors=True)
    night = (
        "select n, total from trace.daily_metric where day = :day and metric = 'adherence' and dimension = ''"
    )
    assert rows(nights.engine, night, day=day(first)) == [(250, 200)]
    detect_drift(pipeline)
    assert [":".join(key.split(":")[:2]) for key in send_alerts(pipeline, "fake")] == told
