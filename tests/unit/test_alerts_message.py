"""Wording of alerts."""

from __future__ import annotations

import dataclasses
import json
from datetime import date

import pytest

from trace_pipeline.alerts import AlertFacts, Contribution, EvidenceLog, facts_from_mapping, render_message
from trace_pipeline.alerts.facts import EVENTS, Event
from trace_pipeline.alerts.message import points

FACTS = AlertFacts(
    metric="adherence",
    event="opened",
    day=date(2026, 11, 29),
    scorer="heuristic",
    fingerprint="0123456789abcdef",
    opened_day=date(2026, 11, 29),
    since=date(2026, 11, 27),
    value=0.752,
    expected=0.9,
    difference=-0.148,
    low=-0.169,
    high=-0.127,
    dimension="tenant",
    segment_value="acme",
    contributors=(Contribution("tenant", "acme", -0.141), Contribution("model", "m2", -0.009)),
    within=-0.145,
    mix=-0.003,
    release="2.4.0",
    text="Last 3 nights adherence 75.2 %, expected 90.0 +- 1.2.",
    logs=(EvidenceLog("log-1", ("b", "c")), EvidenceLog("log-2", ("a",)), EvidenceLog("log-3")),
    link_base_url="https://airflow.example/",
    incident_id=7,
)
HOSTILE = "acme\n@channel <!here> [click](http://evil.example) \u202eevil\x00" + "x" * 10_000


def test_an_opened_incident_says_what_how_much_since_when_where_and_what_to_read() -> None:
    """The whole message of a typical page, word for word."""
    message = render_message(FACTS)
    assert message.severity == "page"
    assert message.incident_id == 7
    assert message.title == "RAG quality: adherence down 14.8 points, tenant=acme, since 2026-11-27"
    assert message.body.splitlines() == [
        "Adherence, night of 2026-11-29: observed 75.2 %, expected 90.0 %, "
        "difference -14.8 points (95 % interval -16.9 to -12.7).",
        "Changed since 2026-11-27; incident opened on 2026-11-29.",
        "Where: tenant=acme.",
        "Largest contributors: tenant=acme -14.1 points; model=m2 -0.9 points.",
        "The change of all traffic: -14.5 points within segments, -0.3 points from changed traffic.",
        "Release that began at that time: 2.4.0.",
        "Why: Last 3 nights adherence 75.2 %, expected 90.0 +- 1.2.",
        "Scorer: heuristic, fingerprint 0123456789abcdef.",
        "Logs to read: log-1 (sentences b, c); log-2 (sentence a); log-3.",
        "Open: https://airflow.example/rag-quality/incidents/7",
    ]


@pytest.mark.parametrize(
    ("event", "severity", "words"),
    [
        ("opened", "page", "down 14.8 points"),
        ("worsened", "page", "moved further"),
        ("recovered", "info", "back to its expected level"),
        ("rebaselined", "info", "baseline from now on"),
        ("scorer_changed", "info", "learning its level again"),
    ],
)
def test_each_event_has_words_and_a_severity(event: Event, severity: str, words: str) -> None:
    """Only opened and worsened incidents wake somebody."""
    message = render_message(dataclasses.replace(FACTS, event=event))
    assert message.severity == severity
    assert words in message.title


def test_a_verdict_may_overrule_who_is_woken() -> None:
    """`page` of the facts wins over the event's rule, both ways."""
    assert render_message(dataclasses.replace(FACTS, page=False)).severity == "info"
    assert render_message(dataclasses.replace(FACTS, event="recovered", page=True)).severity == "page"


def test_what_is_not_known_is_left_out() -> None:
    """No line shows None, NaN or a zero that was never measured."""
    bare = AlertFacts(
        "adherence", "scorer_changed", date(2026, 11, 29), "heuristic", "ab", value=float("nan")
    )
    message = render_message(bare)
    assert message.body == "Scorer: heuristic, fingerprint ab."
    assert "None" not in message.title


def test_hostile_text_from_logs_stays_in_its_place() -> None:
    """Segment values, log ids, sentence keys, release and reason text cannot break or stretch a message."""
    facts = dataclasses.replace(
        FACTS,
        segment_value=HOSTILE,
        contributors=(Contribution("tenant", HOSTILE, -0.1),) * 50,
        release=HOSTILE,
        text=HOSTILE,
        logs=(EvidenceLog(HOSTILE, (HOSTILE,) * 500),) * 500,
    )
    message = render_message(facts)
    assert len(message.title) <= 160 and "\n" not in message.title
    assert len(message.body) < 2_500
    assert len(message.body.splitlines()) == len(render_message(FACTS).body.splitlines())
    for bad in ("@", "<", "[", "\u202e", "\x00", "http://"):
        assert bad not in message.title + message.body


@pytest.mark.parametrize(
    "base", ["", "javascript:alert(1)", "airflow.example", "https://", "https://a b", "https://a\n"]
)
def test_a_link_base_that_is_no_web_address_gives_no_link(base: str) -> None:
    """A broken link is worse than none."""
    assert "Open:" not in render_message(dataclasses.replace(FACTS, link_base_url=base)).body


def test_a_message_without_incident_opens_the_overview() -> None:
    """Missing traffic belongs to no incident; its message leads to the overview, a given path goes first."""
    lost = dataclasses.replace(FACTS, event="no_data", incident_id=None)
    assert render_message(lost).body.splitlines()[-1] == "Open: https://airflow.example/rag-quality/"
    elsewhere = dataclasses.replace(FACTS, link_path="/rag-quality/runs")
    assert render_message(elsewhere).body.splitlines()[-1] == "Open: https://airflow.example/rag-quality/runs"


def test_the_key_names_the_event_and_nothing_that_late_logs_could_change() -> None:
    """Another segment or size is the same event; another night, event, metric or fingerprint is not."""
    key = render_message(FACTS).key
    assert (
        render_message(dataclasses.replace(FACTS, segment_value="other", difference=-0.2, incident_id=9)).key
        == key
    )
    others = [
        dataclasses.replace(FACTS, event="worsened"),
        dataclasses.replace(FACTS, day=date(2026, 11, 30)),
        dataclasses.replace(FACTS, metric="completeness"),
        dataclasses.replace(FACTS, fingerprint="ff"),
        dataclasses.replace(FACTS, scorer="lexical"),
    ]
    assert len({key, *(render_message(facts).key for facts in others)}) == len(others) + 1


def test_points_carry_their_sign_and_no_negative_zero() -> None:
    """Rounding to zero shows neither plus nor minus."""
    assert points(-0.149) == "-14.9 points"
    assert points(0.05, unit=False) == "+5.0"
    assert points(-0.0001) == "0.0 points"


def test_facts_survive_json() -> None:
    """A mapping with the same field names, days as ISO text, gives the same facts."""
    as_json = json.loads(json.dumps(dataclasses.asdict(FACTS), default=str))
    assert facts_from_mapping(as_json) == FACTS
    assert facts_from_mapping(dataclasses.asdict(FACTS)) == FACTS


def test_numbers_that_are_not_finite_count_as_unknown() -> None:
    """NaN of a night without answers never reaches a message."""
    raw = dataclasses.asdict(FACTS) | {"value": float("nan"), "low": float("inf")}
    assert facts_from_mapping(raw).value is None
    assert facts_from_mapping(raw).low is None


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("metric", None),
        ("event", "exploded"),
        ("day", None),
        ("day", "yesterday"),
        ("value", "high"),
        ("contributors", "acme"),
        ("logs", [1]),
        ("scorer", 3),
    ],
)
def test_a_wrong_field_is_refused_by_name(field: str, wrong: object) -> None:
    """A mapping that lacks what a message needs is a fault of the caller."""
    with pytest.raises(ValueError, match=field):
        facts_from_mapping(dataclasses.asdict(FACTS) | {field: wrong})


def test_all_events_are_worded() -> None:
    """The list of events and the list of headlines do not drift apart."""
    titles = {render_message(dataclasses.replace(FACTS, event=event)).title for event in EVENTS}
    assert len(titles) == len(EVENTS)
