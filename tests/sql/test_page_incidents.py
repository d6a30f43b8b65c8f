"""What the pages about incidents read: the planted release as list, page, trend, change report and messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine

from tests.conftest import cloned
from tests.sql.pages import site
from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, night, rows, url_of
from trace_pipeline.context import Pipeline, open_pipeline
from trace_pipeline.load import load_logs
from trace_pipeline.local.postgres import Server
from trace_pipeline.nightly import run_window
from trace_pipeline.pages.evidence import EvidenceLog, evidence_logs, scope_of
from trace_pipeline.pages.evidence_text import with_text
from trace_pipeline.pages.incidents import (
    IncidentFilter,
    IncidentPage,
    IncidentRow,
    SegmentRow,
    incident_trend,
    list_incidents,
    read_incident,
)
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.steps.send_alerts import send_alerts
from trace_pipeline.window import Window

TRAFFIC = SampleSettings(first_day=date(2026, 10, 1), nights=32, logs_per_night=160, release_night=29)
ANY = IncidentFilter("lexical")


@pytest.fixture(scope="module")
def watched(server: Server, admin: Engine, template: str) -> Iterator[Pipeline]:
    """The planted release, scored, judged and told to the channel `log`; no test changes it."""
    for url in cloned(server, admin, template):
        pipeline = open_pipeline(load_settings(), results_url=url)
        for _ in load_logs(pipeline.results, generate(TRAFFIC)):
            pass
        run_window(pipeline, Window(TRAFFIC.first_day, TRAFFIC.day(TRAFFIC.nights - 1)), late_days=0)
        detect_drift(pipeline)
        send_alerts(pipeline, "log")
        yield pipeline
        pipeline.close()


@pytest.fixture(scope="module")
def page(watched: Pipeline) -> IncidentPage:
    """The incident of the release."""
    with watched.results.connect() as connection:
        (row,) = list_incidents(connection, ANY)
        found = read_incident(connection, row.incident_id)
    assert found is not None
    return found


def test_an_incident_has_its_size_with_interval_and_n(page: IncidentPage) -> None:
    """The list says how much, how sure, on how many logs, since when, and that it was told."""
    row = page.row
    assert (row.metric, row.state, row.onset_day) == ("adherence", "open", TRAFFIC.day(29))
    assert row.low is not None and row.high is not None and row.low < row.size < row.high < 0
    assert row.n is not None and row.n > 30
    assert row.messages_sent == 1


def test_filters_narrow_the_list(watched: Pipeline, page: IncidentPage) -> None:
    """Each filter keeps the incident or leaves it out; the next page begins behind the last row."""
    row = page.row
    kept = [
        IncidentFilter("lexical", metric="adherence"),
        IncidentFilter("lexical", states=("open",)),
        IncidentFilter("lexical", before=(row.opened_day + timedelta(days=1), 0)),
    ]
    left_out = [
        IncidentFilter("heuristic"),
        IncidentFilter("lexical", metric="completeness"),
        IncidentFilter("lexical", states=("withdrawn",)),
        IncidentFilter("lexical", dimension="nothing"),
        IncidentFilter("lexical", before=(row.opened_day, row.incident_id)),
    ]
    with watched.results.connect() as connection:
        assert all(list_incidents(connection, wanted) == [row] for wanted in kept)
        assert not any(list_incidents(connection, wanted) for wanted in left_out)


def test_the_change_report_adds_up_as_shown(page: IncidentPage) -> None:
    """Rows sum to their totals, columns to theirs, all to the change of the total, in the figures shown."""
    table = page.change
    assert table is not None
    for part in ("mix", "within", "scorer", "noise", "total"):
        assert round(sum(getattr(row, part) for row in table.rows), 2) == getattr(table.sum, part), part
    assert table.sum.total < -3


def test_contributing_segments_have_an_interval_and_n(page: IncidentPage) -> None:
    """The hurt tenant, which fired, comes first, with its own test."""
    acme = page.segments[0]
    assert (acme.dimension, acme.value, acme.fired) == ("tenant", "acme", True)
    assert acme.low is not None and acme.high is not None and acme.difference is not None
    assert acme.low < acme.difference < acme.high
    assert acme.n


def test_the_release_and_the_message_are_named(page: IncidentPage) -> None:
    """The release that began at the onset; the one message to the channel log."""
    assert [release.value for release in page.releases] == ["2.4.0"]
    assert page.releases[0].first_day == TRAFFIC.day(29)
    (told,) = page.deliveries
    assert (told.event, told.channel, told.state) == ("opened", "log", "sent")
    assert told.sent_at is not None


def test_the_trend_has_one_row_a_night_with_the_expected_band(watched: Pipeline, page: IncidentPage) -> None:
    """Nights with a verdict have a band around the expected value; learning nights have none."""
    with watched.results.connect() as connection:
        trend = incident_trend(connection, page.row)
    assert list(trend["day"]) == [TRAFFIC.day(night) for night in range(TRAFFIC.nights)]
    assert trend["expected_low"].isna().iloc[0]
    judged = trend[trend["expected"].notna()]
    assert len(judged) > 5
    assert (judged["expected_low"] < judged["expected"]).all()
    assert (judged["expected"] < judged["expected_high"]).all()


def test_a_withdrawn_incident_is_read_and_says_so(engine: Engine) -> None:
    """An incident that restated nights no longer show is left out of the list and still has its page."""
    evidence = json.dumps({"contributors": [{"dimension": "tenant", "value": "acme", "difference": -0.1}]})
    execute(
        engine,
        "insert into trace.incident (scorer, metric, opened_day, onset_day, state, dimension, value, size, evidence, text)"
        " values ('lexical', 'adherence', '2026-10-30', '2026-10-29', 'withdrawn', '', '', -0.1, cast(:evidence as jsonb), 'x')",
        evidence=evidence,
    )
    with engine.connect() as connection:
        assert list_incidents(connection, ANY) == []
        (row,) = list_incidents(connection, IncidentFilter("lexical", states=("withdrawn",)))
        page = read_incident(connection, row.incident_id)
    assert page is not None and page.row.state == "withdrawn"
    assert page.change is None and page.deliveries == () and page.row.n is None
    assert [part.contribution for part in page.segments] == [-0.1]
    assert page.evidence_nights == (date(2026, 10, 29), date(2026, 10, 30))


def test_an_unknown_number_has_no_page(engine: Engine) -> None:
    """Nobody made it up: there is none."""
    with engine.connect() as connection:
        assert read_incident(connection, 999) is None


def shown(watched: Pipeline, page: IncidentPage, most: int = 5) -> list[EvidenceLog]:
    """Return the evidence of a page with its texts."""
    scorer = watched.scorers[0]
    with watched.results.connect() as connection, watched.read_source() as (reading, source):
        logs = evidence_logs(connection, page, scope_of(page), "UTC", most)
        return [with_text(reading, source, watched.limits, scorer, page.row.metric, log) for log in logs]


def test_the_worst_answers_are_shown_with_their_unsupported_sentences(
    watched: Pipeline, page: IncidentPage
) -> None:
    """Logs of the hurt tenant and the incident's nights, each with sentences of its own response and why."""
    logs = shown(watched, page)
    assert len(logs) == 5
    for log in logs:
        assert log.segments["tenant"] == "acme"
        assert page.row.onset_day <= log.logged_at.date() <= page.row.opened_day
        assert (log.score, log.kind, log.missing) == (0.0, "unsupported", "")
        response = rows(
            watched.results, "select response from trace.rag_log where log_id = :id", id=log.log_id
        )[0][0]
        assert log.sentences and all(sentence.text in response for sentence in log.sentences)
        assert all(sentence.reason for sentence in log.sentences)


def test_a_completeness_incident_shows_what_was_left_out(watched: Pipeline, page: IncidentPage) -> None:
    """For completeness the sentences are the relevant ones that the answer did not use."""
    incomplete = replace(page, row=replace(page.row, metric="completeness"))
    kinds = {log.kind for log in shown(watched, incomplete, most=20)}
    assert "left_out" in kinds


def test_logs_that_changed_went_or_are_large_say_so(
    engine: Engine, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sentence is shown of a text that is not the one that was scored."""
    names = ("gone", "changed", "large", "same")
    insert(engine, *[a_log(name, response="The moon is a cheese of remarkable size.") for name in names])
    pipeline = make_pipeline()
    night(pipeline)
    execute(engine, "delete from trace.rag_log where log_id = 'gone'")
    execute(engine, "update trace.rag_log set question = 'Another?' where log_id = 'changed'")
    fingerprint = pipeline.scorers[0].fingerprint
    row = IncidentRow(1, "lexical", "adherence", "open", DAY, DAY, None, "", "", -0.5, *(None,) * 6, 0, "")  # type: ignore[arg-type]
    page = IncidentPage(row, "mean", fingerprint, DAY, None, (), (), ())
    assert {log.log_id: log.missing for log in shown(pipeline, page)} == {
        "gone": "It is no longer in the source.",
        "changed": "Its content has changed since it was scored.",
        "large": "",
        "same": "",
    }
    monkeypatch.setattr("trace_pipeline.pages.evidence_text.MOST_BYTES", 10)
    assert shown(pipeline, page)[-1].missing == "It is too large to be shown here; open it."


def test_a_segment_that_carries_the_change_narrows_the_logs(page: IncidentPage) -> None:
    """Of a change of all traffic the logs are those of the segment that carries half of it; else of all."""
    total = replace(page, row=replace(page.row, dimension="", value="", size=-0.1))
    carried = replace(total, segments=(SegmentRow("tenant", "acme", -0.06),))
    spread = replace(total, segments=(SegmentRow("tenant", "acme", -0.04),))
    assert (scope_of(carried).dimension, scope_of(carried).value) == ("tenant", "acme")
    assert scope_of(spread).dimension == "" == scope_of(replace(total, segments=())).dimension
    early = replace(page, row=replace(page.row, onset_day=page.row.opened_day - timedelta(days=20)))
    assert (scope_of(early).last - scope_of(early).first).days == 6


def test_the_page_says_what_to_read_within_one_address(watched: Pipeline, page: IncidentPage) -> None:
    """Headline, unsupported sentences with links to their logs, change report and messages are on one page."""
    number = page.row.incident_id
    with site(url_of(watched.results)) as client:
        listed = client.get("/incidents").text
        shown = client.get(f"/incidents/{number}").text
    assert f"Incident {number}" in listed and "n " in listed
    assert "Adherence down" in shown and "since 2026-10-" in shown
    assert shown.count('class="unsupported"') >= 3
    assert "/log?log=" in shown and "/logs?" in shown
    for heading in ("The trend around the onset", "What the change is made of", "Segments", "Messages"):
        assert heading in shown


def test_both_tables_come_as_csv(watched: Pipeline, page: IncidentPage) -> None:
    """The list and the change report are downloads with their own names."""
    with site(url_of(watched.results)) as client:
        listed = client.get("/incidents?format=csv")
        change = client.get(f"/incidents/{page.row.incident_id}?format=csv")
    assert listed.text.lstrip("\ufeff").startswith("incident_id,scorer,metric,state")
    assert change.text.strip().splitlines()[-1].startswith("all traffic,")


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("incidents/999", 404, "There is no incident 999."),
        ("incidents/x", 404, "An incident has a number"),
        ("incidents/" + "9" * 40, 404, "An incident has a number"),
        ("incidents?state=lost", 400, "state must be one of"),
        ("incidents?about=mood", 400, "about must be one of"),
        ("incidents?before=yesterday", 400, "before must be a day"),
    ],
)
def test_an_address_that_leads_nowhere_says_so(engine: Engine, address: str, status: int, words: str) -> None:
    """In words, with the right status."""
    with site(url_of(engine)) as client:
        answer = client.get(f"/{address}")
    assert answer.status_code == status
    assert words in answer.text


def test_no_nights_are_not_told_as_no_change(database: str) -> None:
    """Without a scored night there is no verdict; the download still names its columns."""
    with site(database) as client:
        page = client.get("/incidents").text
        assert "yet: no data." in page and "No incident fits" not in page
        assert client.get("/incidents?format=csv").text.lstrip("\ufeff").startswith("incident_id,")


def test_a_withdrawn_incident_says_so_on_its_page(engine: Engine) -> None:
    """Whoever follows an old link learns that the nights no longer show it; hostile values stay text."""
    hostile = "<img src=x onerror=alert(1)>"
    execute(
        engine,
        "insert into trace.incident (scorer, metric, opened_day, onset_day, state, dimension, value, size, evidence, text)"
        " values (:scorer, 'adherence', '2026-10-30', '2026-10-29', 'withdrawn', 'tenant', :hostile, -0.1, '{}', :hostile)",
        scorer=load_settings().scorers[0],
        hostile=hostile,
    )
    with site(url_of(engine)) as client:
        listed = client.get("/incidents?state=withdrawn").text
        (number,) = rows(engine, "select incident_id from trace.incident")[0]
        shown = client.get(f"/incidents/{number}").text
    assert "This incident was withdrawn." in shown
    assert "There is no change report" in shown and "No message about it has been sent." in shown
    for text in (listed, shown):
        assert "<img" not in text and "&lt;img" in text
