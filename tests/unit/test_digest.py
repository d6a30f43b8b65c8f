"""The digest's days, estimates and words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from trace_core.aggregates import Sums
from trace_core.drift import Night
from trace_pipeline.digest import DigestFacts, Period, last_weeks, render_digest
from trace_pipeline.digest.estimate import Change, Level, change, level
from trace_pipeline.digest.facts import MetricWeek, OpenIncident, Rows, SegmentFall, _metric

WEEK = Period(date(2026, 11, 23), date(2026, 11, 29))
GOOD = MetricWeek(
    "adherence", "ok", Level(2_800, 0.912, 0.006), Level(2_750, 0.909, 0.006), Change(0.003, -0.013, 0.019)
)
FACTS = DigestFacts(
    scorer="heuristic",
    period=WEEK,
    metrics=(GOOD,),
    fall=None,
    segments_compared=12,
    opened=0,
    closed=0,
    open=(),
    empty_nights=(),
    rows=Rows(2_900, 100),
    rows_before=Rows(2_800, 50),
    quarantined=0,
    reasons=(),
    documents=0,
    unused_documents=0,
)


@pytest.mark.parametrize(
    ("moment", "zone", "last_sunday"),
    [
        (datetime(2026, 11, 30, 7, tzinfo=UTC), "UTC", date(2026, 11, 29)),  # a Monday
        (datetime(2026, 11, 29, 23, 59, tzinfo=UTC), "UTC", date(2026, 11, 22)),  # Sunday is not over
        (datetime(2026, 11, 29, 23, 59, tzinfo=UTC), "Asia/Tokyo", date(2026, 11, 29)),  # there it is Monday
        (datetime(2026, 11, 30, 4, tzinfo=UTC), "America/New_York", date(2026, 11, 22)),  # there it is Sunday
    ],
)
def test_a_digest_is_about_whole_weeks_that_are_over(moment: datetime, zone: str, last_sunday: date) -> None:
    """Monday to Sunday in day_time_zone, whenever it is asked for."""
    period = last_weeks(moment, zone)
    assert period.last_day == last_sunday
    assert (len(period.days), period.first_day.isoweekday()) == (7, 1)
    four = last_weeks(moment, zone, weeks=4)
    assert (four.last_day, len(four.days)) == (last_sunday, 28)


def test_the_days_before_end_where_the_week_begins() -> None:
    """The two halves touch, do not overlap and are of one length."""
    assert WEEK.before == Period(date(2026, 11, 16), date(2026, 11, 22))
    assert date(2026, 11, 23) in WEEK and date(2026, 11, 22) not in WEEK and None not in WEEK


def test_a_level_is_the_mean_of_all_answers_not_of_nights() -> None:
    """A night of nine answers weighs nine times one of one; nights without answers weigh nothing."""
    found = level([Sums.of([1.0] * 9), Sums.of([0.0]), Sums()])
    assert (found.n, found.mean) == (10, 0.9)


def test_few_equal_answers_are_not_beyond_doubt() -> None:
    """Five of five has an interval; five thousand of five thousand a narrow one."""
    low, high = level([Sums.of([1.0] * 5)]).interval
    assert low < 0.8 and high == 1.0
    assert level([Sums.of([1.0] * 5_000)]).interval[0] > 0.99


def test_what_nights_differ_by_widens_the_interval() -> None:
    """With a day-to-day deviation of 2 points a week's mean is known to 1.5 points at best."""
    nights = [Sums.of([1.0] * 900 + [0.0] * 100)] * 7
    low, high = level(nights, 0.02).interval
    assert high - low == pytest.approx(2 * 1.96 * (0.02**2 / 7 + 0.09 / 7_000) ** 0.5, rel=0.01)
    assert high - low > 1.5 * (level(nights).interval[1] - level(nights).interval[0])


def test_no_answers_have_no_level_and_no_change() -> None:
    """Undefined is not zero."""
    none = level([])
    assert none.mean is None and none.interval == (0.0, 1.0)
    assert change(none, Level(10, 0.5, 0.1)) is None and change(Level(10, 0.5, 0.1), none) is None


def test_the_largest_of_many_needs_more_to_be_certain() -> None:
    """What is certain alone may be chance when it is the largest of fifty."""
    now, before = Level(100, 0.8, 0.03), Level(100, 0.9, 0.03)
    alone, among = change(now, before), change(now, before, of_many=50)
    assert alone is not None and alone.is_certain
    assert among is not None and not among.is_certain and among.difference == alone.difference


def body(**facts: object) -> str:
    """Return the digest's text with other facts."""
    return render_digest(replace(FACTS, **facts)).body  # type: ignore[arg-type]


def test_a_quiet_week_is_a_short_message() -> None:
    """Numbers with interval and n, and that nothing happened; it pages nobody."""
    message = render_digest(FACTS, "https://airflow.example.org/")
    assert message.severity == "info" and message.incident_id is None
    assert message.title == "RAG quality, week to 2026-11-29: adherence 91.2 %; incidents: none open"
    assert message.body.splitlines() == [
        "2026-11-23 to 2026-11-29, beside 2026-11-16 to 2026-11-22. Scorer heuristic. "
        "In brackets the 95 % interval and the number of answers.",
        "Adherence: 91.2 % (90.0 to 92.4, n 2,800); +0.3 points (-1.3 to +1.9), within chance.",
        "Segments: none of 12 became worse by more than chance.",
        "Incidents: 0 opened, 0 closed, 0 open.",
        "Nights without data: none of 7.",
        "Not scored: 3.4 % of 2,900 rows (before: 1.8 % of 2,800 rows). None in quarantine.",
        "Open: https://airflow.example.org/rag-quality/",
    ]


def test_a_bad_week_says_what_and_where() -> None:
    """The worst segment with its interval, the open incidents, missing nights, reasons."""
    text = body(
        fall=SegmentFall(
            "adherence", "tenant", "acme", Level(310, 0.823, 0.02), Change(-0.081, -0.12, -0.04)
        ),
        opened=1,
        open=tuple(
            OpenIncident(n, "adherence", "tenant" if n else "", "acme" if n else "", date(2026, 11, 25))
            for n in range(5)
        ),
        empty_nights=(date(2026, 11, 24),),
        quarantined=14,
        reasons=(("missing_response", 9), ("documents_not_a_list", 3), ("text_too_large", 1), ("x", 1)),
        documents=240,
        unused_documents=12,
    )
    assert "Worst segment: tenant=acme, adherence 82.3 % (78.4 to 86.2, n 310); -8.1 points" in text
    assert "1 opened, 0 closed, 5 open. Open: adherence, since 2026-11-25; adherence, tenant=acme" in text
    assert "and 2 more." in text
    assert "Nights without data: 1 of 7 (2026-11-24)." in text
    assert (
        "In quarantine 14: missing_response 9, documents_not_a_list 3, text_too_large 1, and 1 more." in text
    )
    assert "of 240 documents that were retrieved, 12 were used by no answer." in text


@pytest.mark.parametrize(
    ("week", "said"),
    [
        (replace(GOOD, now=Level(0, None, 0.0), change=None), "Adherence: no data (before: 90.9 %)."),
        (replace(GOOD, before=Level(0, None, 0.0), change=None), "n 2,800); no data before."),
        (replace(GOOD, state="learning"), "within chance; still learning its level."),
        (replace(GOOD, change=None, scorer_changed=True), "not compared: the scorer's version changed"),
        (replace(GOOD, change=Change(-0.05, -0.07, -0.03)), "-5.0 points (-7.0 to -3.0)."),
    ],
)
def test_what_is_not_known_is_said_as_such(week: MetricWeek, said: str) -> None:
    """No data, learning and a changed scorer are words, not numbers."""
    assert said in body(metrics=(week,))


def test_a_week_without_any_row_is_told_too() -> None:
    """Silence would look like a quiet week."""
    nothing = Level(0, None, 0.0)
    message = render_digest(
        replace(
            FACTS,
            metrics=(MetricWeek("adherence", "", nothing, nothing, None),),
            segments_compared=0,
            rows=Rows(),
            rows_before=Rows(),
            empty_nights=tuple(WEEK.days),
        )
    )
    assert message.title.endswith(": no data")
    assert "Not scored: no data (before: no data)." in message.body
    assert "7 of 7 (2026-11-23, 2026-11-24, 2026-11-25, and 4 more)" in message.body
    assert "0.0" not in message.body


def test_foreign_text_stays_harmless() -> None:
    """A segment value may hold anything its users wrote: one line, no markup, no mention, no link."""
    value = "<b>@channel</b>\nhttps://evil.example\u202e" + "x" * 1_000_000
    text = body(open=(OpenIncident(1, "adherence", "tenant", value, date(2026, 11, 25)),))
    assert (
        "\u202e" not in text and "<b>" not in text and "@channel" not in text and "https://evil" not in text
    )
    assert len(text.splitlines()) == 6 and len(text) < 1_200


def test_one_week_and_one_scorer_are_one_message() -> None:
    """Restated numbers do not make it another one; another week, length or scorer does."""
    key = render_digest(FACTS).key
    assert key == "digest:heuristic:2026-11-23:2026-11-29"
    assert render_digest(replace(FACTS, opened=3, rows=Rows(1, 1))).key == key
    others = [replace(FACTS, scorer="lexical"), replace(FACTS, period=WEEK.before)]
    assert len({key, *(render_digest(facts).key for facts in others)}) == 3


def test_a_week_that_was_sampled_says_so() -> None:
    """What is left out on purpose is not unscored, and n is told for what it is."""
    said = body(rows=Rows(2_900, 100, 2_500), rows_before=Rows(2_800, 50, 0))
    assert (
        "Scored in part: 2,500 rows were left out by sampling (before: 0); n is the size of a plain" in said
    )
    assert "Not scored: 3.4 % of 2,900 rows" in said
    assert "sampling" not in body()


def test_a_week_pools_nights_by_the_answers_they_stand_for() -> None:
    """Of a night judged in part the little that is known counts for all its answers."""
    known, sampled = Sums.of([1.0] * 100), Sums.of([1.0] * 25 + [0.0] * 25)
    nights = [
        Night(date(2026, 11, 23), "f", known),
        Night(date(2026, 11, 24), "f", sampled, {}, {"": {"": 900.0}}),
    ]
    week = _metric("adherence", nights, WEEK, "ok", {})
    assert week.now.mean == pytest.approx((100 + 450) / 1_000, abs=0.01)
    assert 50 <= week.now.n < 100
