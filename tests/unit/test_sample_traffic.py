"""How much sample traffic there is, when, from whom, and that it never changes."""

import json
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any

import pytest

from trace_core.errors import ConfigurationError
from trace_pipeline.sample import SampleSettings, describe, generate, generate_jsonl
from trace_pipeline.sample.traffic import TENANTS, WEEKDAY_FACTORS

MONDAY = date(2026, 9, 28)
FOUR_WEEKS = SampleSettings(MONDAY, nights=28, logs_per_night=300, release_night=None)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return list(generate(FOUR_WEEKS))


def readable(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (row for row in rows if "malformed" not in row["metadata"]["sample"])


def test_the_number_of_logs_is_the_asked_one_on_average(rows: list[dict[str, Any]]) -> None:
    """Over whole weeks the mean number of logs a night is logs_per_night."""
    assert len(rows) == pytest.approx(28 * 300, rel=0.03)


def test_logs_are_in_order_and_within_their_days(rows: list[dict[str, Any]]) -> None:
    """Times are aware, ascending, and every night is a UTC day of its own."""
    times = [row["logged_at"] for row in rows]
    assert times == sorted(times)
    assert all(time.tzinfo is UTC for time in times)
    assert {time.date() for time in times} == {FOUR_WEEKS.day(night) for night in range(28)}


def test_weekends_are_quieter(rows: list[dict[str, Any]]) -> None:
    """Traffic follows the working week."""
    of_weekday = Counter(row["logged_at"].weekday() for row in rows)
    for weekday, factor in enumerate(WEEKDAY_FACTORS):
        assert of_weekday[weekday] / len(rows) * 7 == pytest.approx(factor, rel=0.08)
    assert max(of_weekday[5], of_weekday[6]) < 0.7 * min(of_weekday[day] for day in range(5))


def test_a_day_has_a_curve(rows: list[dict[str, Any]]) -> None:
    """Every hour has traffic, and the morning has several times that of the night."""
    of_hour = Counter(row["logged_at"].hour for row in rows)
    assert len(of_hour) == 24
    assert sum(of_hour[hour] for hour in (8, 9, 10)) > 4 * sum(of_hour[hour] for hour in (1, 2, 3))


def test_log_ids_are_unique(rows: list[dict[str, Any]]) -> None:
    """The id is a primary key."""
    assert len({row["log_id"] for row in rows}) == len(rows)


def test_tenants_have_their_shares(rows: list[dict[str, Any]]) -> None:
    """Each tenant has about its share of the traffic, acme a quarter."""
    of_tenant = Counter(row["segments"]["tenant"] for row in readable(rows))
    for tenant in TENANTS:
        assert of_tenant[tenant.name] / of_tenant.total() == pytest.approx(tenant.share, abs=0.02)
    assert {tenant.name: tenant.share for tenant in TENANTS}["acme"] == 0.25


def test_kinds_have_their_shares(rows: list[dict[str, Any]]) -> None:
    """Answers, refusals, mistakes and empty responses occur as often as the settings say."""
    kinds = Counter(row["metadata"]["sample"]["kind"] for row in readable(rows))
    for kind in ("half", "invented", "refusal", "empty"):
        assert kinds[kind] / kinds.total() == pytest.approx(getattr(FOUR_WEEKS, f"{kind}_share"), abs=0.01)
    assert all(
        row["response"] == "" for row in readable(rows) if row["metadata"]["sample"]["kind"] == "empty"
    )


def test_some_logs_have_a_ground_truth(rows: list[dict[str, Any]]) -> None:
    """A fifth of the logs say what the answer should have been."""
    share = sum(row["ground_truth"] is not None for row in rows) / len(rows)
    assert share == pytest.approx(0.2, abs=0.02)


def test_documents_come_in_both_forms(rows: list[dict[str, Any]]) -> None:
    """Most logs hold objects with id and text; one tenant's client logs bare strings."""
    kinds = Counter(type(row["documents"][0]).__name__ for row in readable(rows) if row["documents"])
    assert kinds["dict"] > 5 * kinds["str"] > 0


def test_segments_are_complete_but_for_some_languages(rows: list[dict[str, Any]]) -> None:
    """Version, model and tenant are always there; about one log in a hundred lacks its language."""
    lacking = Counter()
    for row in readable(rows):
        lacking.update({"app_version", "model", "tenant", "language"} - set(row["segments"]))
    assert set(lacking) == {"language"}
    assert lacking["language"] / len(rows) == pytest.approx(0.01, abs=0.005)


def test_versions_move_on(rows: list[dict[str, Any]]) -> None:
    """Harmless releases follow each other also without a planted one."""
    versions = list(dict.fromkeys(row["segments"]["app_version"] for row in readable(rows)))
    assert versions == ["2.3.0", "2.3.1", "2.3.2"]


def test_the_same_settings_give_the_same_rows(rows: list[dict[str, Any]]) -> None:
    """A second run repeats the first; another seed does not."""
    assert list(generate(FOUR_WEEKS)) == rows
    other = SampleSettings(MONDAY, nights=28, logs_per_night=300, release_night=None, seed=2)
    assert not {row["log_id"] for row in generate(other)} & {row["log_id"] for row in rows}


def test_rows_are_the_same_in_every_version_of_the_program() -> None:
    """The first row of seed 1 is pinned: a change of the draws changes every sample and must be meant."""
    row = next(generate(SampleSettings(MONDAY)))
    assert row["log_id"] == "s1-0000-000000"
    assert row["logged_at"] == datetime(2026, 9, 28, 0, 8, 31, 343_000, UTC)
    assert row["metadata"] == {"sample": {"kind": "grounded", "question_id": "en/sync-setup/1"}}


@pytest.mark.parametrize("nights", [range(5, 9), range(27, 28), range(0)])
def test_a_night_does_not_depend_on_the_others(rows: list[dict[str, Any]], nights: range) -> None:
    """Nights generated alone are those of the whole."""
    days = {FOUR_WEEKS.day(night) for night in nights}
    assert list(generate(FOUR_WEEKS, nights)) == [row for row in rows if row["logged_at"].date() in days]


def test_the_number_of_nights_does_not_change_a_night() -> None:
    """The sample can be continued: more nights leave the earlier ones as they were."""
    short = SampleSettings(MONDAY, nights=3, logs_per_night=50)
    long = SampleSettings(MONDAY, nights=90, logs_per_night=50)
    assert list(generate(short)) == list(generate(long, range(3)))
    assert list(generate_jsonl(short)) == list(generate_jsonl(long, range(3)))


@pytest.mark.parametrize("nights", [range(20, 29), range(-1, 2)])
def test_nights_outside_are_refused(nights: range) -> None:
    """Asking for a night that the settings do not have is a mistake."""
    with pytest.raises(ConfigurationError, match="only_nights"):
        generate(FOUR_WEEKS, nights)


def test_rows_are_json(rows: list[dict[str, Any]]) -> None:
    """Apart from the time, a row is what a JSON column or line can hold."""
    for row in rows[:500]:
        plain = {**row, "logged_at": row["logged_at"].isoformat()}
        assert json.loads(json.dumps(plain)) == plain


def test_lines_hold_the_same_logs(rows: list[dict[str, Any]]) -> None:
    """The JSONL form has every row, in order, besides the lines that only a file can have."""
    own = {row["log_id"]: row for row in rows}
    seen = []
    for line in generate_jsonl(FOUR_WEEKS):
        assert line.endswith(b"\n") and line.count(b"\n") == 1
        try:
            log = json.loads(line)
        except ValueError:
            continue
        if isinstance(log, dict) and log.get("log_id") in own and "duplicate" not in str(log["metadata"]):
            assert log == {**own[log["log_id"]], "logged_at": own[log["log_id"]]["logged_at"].isoformat()}
            seen.append(log["log_id"])
    assert seen == [row["log_id"] for row in rows]


def test_a_night_of_any_size_streams() -> None:
    """The first rows of a night of a billion logs come at once and need no memory for the rest."""
    huge = SampleSettings(MONDAY, nights=1, logs_per_night=10**9, malformed_share=0.0)
    next(generate(huge))  # loads the texts
    tracemalloc.start()
    times = [row["logged_at"] for row in islice(generate(huge), 2_000)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert times == sorted(times)
    assert peak < 8_000_000


def test_the_description_says_what_was_planted() -> None:
    """The demo can tell what to expect: day, tenant and size."""
    told = describe(SampleSettings(MONDAY, rollback_night=52))
    for part in ("2026-11-12", "acme", "25%", "2.4.0", "26 of", "2026-11-19"):
        assert part.replace("26 of", "26 that") in told
    assert "Nothing was planted" in describe(FOUR_WEEKS)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("nights", 0),
        ("nights", 10**9),
        ("logs_per_night", 0),
        ("release_night", -1),
        ("rollback_night", 45),
        ("malformed_share", 1.5),
        ("ground_truth_share", -0.1),
        ("refusal_share", float("nan")),
        ("adherence_drop", 0.95),
    ],
)
def test_impossible_settings_are_refused_by_name(setting: str, value: Any) -> None:
    """A setting that cannot be generated is refused with its name."""
    with pytest.raises(ConfigurationError, match=setting):
        SampleSettings(**{"first_day": MONDAY, setting: value})
