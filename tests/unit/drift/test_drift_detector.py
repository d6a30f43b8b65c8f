"""What the drift watch says of whole histories."""

from __future__ import annotations

import copy
import dataclasses
import json
from datetime import timedelta

import numpy as np
import pytest
from made_nights import FIRST, add_up, events, make_nights, pages, passed, watch

from trace_core.aggregates import Sums
from trace_core.drift import DriftSettings, Night, make_detector

TENANTS = {"acme": 100.0, "bolt": 180.0, "core": 120.0}


def steady(_night: int, _value: str) -> float:
    return 0.9


def test_a_drop_pages_once_on_its_second_night_at_the_latest() -> None:
    """Ten points at 400 logs a night: one page, on night 80 or 81, and onset and size are right."""
    verdicts = watch(make_nights(100, lambda t, _: 0.8 if t >= 80 else 0.9, TENANTS))
    assert pages(verdicts) == [80]
    incident = verdicts[80].incident
    assert incident is not None
    assert incident.onset == FIRST + timedelta(80)
    assert incident.difference == pytest.approx(-0.1, abs=0.04)
    assert (incident.dimension, incident.value) == ("", "")
    assert verdicts[90].state == "incident"


def test_nothing_wrong_pages_never() -> None:
    """A year of steady nights has no event at all."""
    verdicts = watch(make_nights(365, steady, TENANTS, seed=2))
    assert events(verdicts) == []
    assert [v.state for v in verdicts[:20]] == ["learning"] * 20
    assert {v.state for v in verdicts[20:]} == {"ok"}


def test_a_shift_of_traffic_to_a_weaker_tenant_does_not_page() -> None:
    """The total falls by six points through mix alone: no page, and the check tells the mix."""

    def level(_night: int, value: str) -> float:
        return 0.8 if value == "acme" else 0.95

    def volumes(night: int) -> dict[str, float]:
        return {"acme": 600.0, "bolt": 200.0} if night >= 70 else {"acme": 280.0, "bolt": 520.0}

    verdicts = watch(make_nights(110, level, volumes))
    assert pages(verdicts) == []
    total = verdicts[75].checks[0]
    assert float(str(total.evidence["mix"])) == pytest.approx(-0.06, abs=0.01)


def test_a_weekday_rhythm_does_not_page() -> None:
    """Weekends six points lower, on fewer logs: learnt, expected, no page."""

    def level(night: int, _value: str) -> float:
        return 0.84 if night % 7 >= 5 else 0.9

    def volumes(night: int) -> dict[str, float]:
        return {"acme": 400.0, "bolt": 600.0} if night % 7 >= 5 else {"acme": 900.0, "bolt": 1500.0}

    verdicts = watch(make_nights(200, level, volumes, seed=3))
    assert pages(verdicts) == []
    saturdays = [v.checks[0] for v in verdicts[150:] if v.day.weekday() == 5]
    alone = [check for check in saturdays if check.window_nights == 1]
    assert alone[0].expected == pytest.approx(0.84, abs=0.015)


def test_a_drop_of_one_tenant_names_it() -> None:
    """A tenant with a quarter of the traffic loses 25 points: it comes first among the contributors."""

    def level(night: int, value: str) -> float:
        return 0.65 if night >= 60 and value == "acme" else 0.9

    verdicts = watch(make_nights(75, level, TENANTS))
    assert pages(verdicts) == [60]
    incident = verdicts[60].incident
    assert incident is not None
    named = incident.value or incident.contributors[0].value
    assert named == "acme"
    assert "tenant=acme" in verdicts[60].text


def test_a_drop_of_a_small_segment_is_found_although_the_total_hardly_moves() -> None:
    """A tenant with 4 % of the traffic falls by 20 points: its segment pages within three nights."""
    volumes = {"small": 120.0, "large": 2880.0}
    nights = make_nights(90, lambda t, s: 0.7 if t >= 80 and s == "small" else 0.9, volumes)
    verdicts = watch(nights)
    assert pages(verdicts)[0] in {80, 81, 82}
    incident = verdicts[pages(verdicts)[0]].incident
    assert incident is not None
    assert (incident.dimension, incident.value) == ("tenant", "small")


def test_recovery_is_told_and_the_bad_nights_are_not_found_again() -> None:
    """Five bad nights: one page, one recovery, and quiet afterwards."""
    verdicts = watch(make_nights(160, lambda t, _: 0.75 if 80 <= t < 85 else 0.9, TENANTS))
    assert [event for _, event in events(verdicts)] == ["opened", "recovered"]
    night, _ = events(verdicts)[1]
    assert 86 <= night <= 90
    assert verdicts[night].incident is not None
    assert not verdicts[night].page


def test_a_lasting_change_becomes_the_new_baseline() -> None:
    """After 28 open nights the new level is normal, with one message, and can be judged at once."""
    verdicts = watch(make_nights(160, lambda t, _: 0.75 if t >= 80 else 0.9, TENANTS))
    assert events(verdicts) == [(80, "opened"), (108, "rebaselined")]
    assert verdicts[108].incident is not None
    assert verdicts[109].state == "ok"
    assert verdicts[109].checks[0].expected == pytest.approx(0.75, abs=0.03)


def test_a_change_that_gets_much_worse_pages_again() -> None:
    """Five points, then twenty: opened and worsened, two pages."""

    def level(night: int, _value: str) -> float:
        return 0.9 if night < 80 else 0.85 if night < 90 else 0.7

    verdicts = watch(make_nights(100, level, {"acme": 1000.0, "bolt": 1000.0}, seed=2))
    assert [event for _, event in events(verdicts)] == ["opened", "worsened"]
    assert len(pages(verdicts)) == 2


def test_a_new_fingerprint_resets_and_says_so() -> None:
    """A new scorer moves the level by ten points: no page, a message, learning, then verdicts again."""
    nights = make_nights(
        130, lambda t, _: 0.8 if t >= 80 else 0.9, TENANTS, fingerprint=lambda t: "f2" if t >= 80 else "f1"
    )
    verdicts = watch(nights)
    assert events(verdicts) == [(80, "scorer_changed")]
    assert "f2" in verdicts[80].text
    assert [v.state for v in verdicts[80:100]] == ["learning"] * 20
    assert verdicts[100].state == "ok"


def test_nights_without_data_are_no_verdict() -> None:
    """Ten empty nights, also while an incident is open, change nothing and page nobody."""
    nights = make_nights(120, lambda t, _: 0.75 if t >= 85 else 0.9, TENANTS)
    for t in [*range(60, 70), 87]:
        nights[t] = Night(nights[t].day, "f1", Sums(), {})
    verdicts = watch(nights)
    assert {verdicts[t].state for t in range(60, 70)} == {"no_data"}
    assert verdicts[87].state == "no_data"
    assert verdicts[87].incident is not None
    assert pages(verdicts) == [85]


def test_a_day_that_is_absent_is_no_error() -> None:
    """Days may be missing altogether."""
    nights = make_nights(120, steady, TENANTS)
    verdicts = watch(night for t, night in enumerate(nights) if t % 5)
    assert pages(verdicts) == []


def test_days_out_of_order_are_refused() -> None:
    """The same day twice is a mistake of the caller."""
    night = make_nights(1, steady, TENANTS)[0]
    detector = make_detector("adherence")
    detector.observe(night)
    with pytest.raises(ValueError, match="order"):
        detector.observe(night)


@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("metric", ["adherence", "completeness"])
def test_a_constant_metric_divides_by_nothing(metric: str, constant: float) -> None:
    """A metric that is always 1.0 or 0.0 is quiet, and a real drop of it is found."""
    nights = make_nights(80, lambda t, _: constant if t < 75 else 0.5, TENANTS)
    verdicts = watch(nights, metric)
    assert pages(verdicts) == [75]


def test_one_log_a_night_is_judged_without_a_page() -> None:
    """Tiny nights are never sure of anything."""
    verdicts = watch(make_nights(120, lambda *_: 0.8, {"acme": 1.5}))
    assert pages(verdicts) == []


def test_segments_may_come_and_go() -> None:
    """An app version a week, each gone after two: no crash, no page, and memory does not grow."""

    def volumes(night: int) -> dict[str, float]:
        week = night // 7
        return {f"v{week - 1}": 150.0, f"v{week}": 250.0}

    nights = make_nights(700, steady, volumes, seed=9, dimension="app_version")
    detector = make_detector("adherence")
    verdicts = [detector.observe(night) for night in nights]
    assert pages(verdicts) == []
    assert len(detector._history.series) < 100  # type: ignore[attr-defined]


def test_several_dimensions_are_scanned_and_one_adjusts_the_mix() -> None:
    """A drop in one language is found and named although the tenants see it too."""
    rng = np.random.default_rng(4)
    nights = []
    for t in range(75):
        by: dict[str, dict[str, Sums]] = {"tenant": {}, "language": {}}
        for language, volume in (("en", 500), ("ja", 60)):
            for tenant in ("acme", "bolt"):
                n = int(rng.poisson(volume))
                cell = passed(n, int(rng.binomial(n, 0.6 if language == "ja" and t >= 70 else 0.9)))
                by["tenant"][tenant] = by["tenant"].get(tenant, Sums()).merge(cell)
                by["language"][language] = by["language"].get(language, Sums()).merge(cell)
        nights.append(Night(FIRST + timedelta(t), "f1", add_up(by["tenant"].values()), by))
    verdicts = watch(nights)
    assert pages(verdicts) == [70]
    assert "language=ja" in verdicts[70].text
    assert {c.dimension for c in verdicts[70].checks} == {"", "tenant", "language"}


def test_a_release_that_coincides_is_named() -> None:
    """A version that appears with the drop is in the incident and in the sentence."""

    def volumes(night: int) -> dict[str, float]:
        return {"1.0": 200.0, "1.1": 200.0} if night >= 70 else {"1.0": 400.0}

    nights = make_nights(75, lambda t, _: 0.75 if t >= 70 else 0.9, volumes, dimension="app_version")
    verdicts = watch(nights)
    assert pages(verdicts) == [70]
    incident = verdicts[70].incident
    assert incident is not None
    assert [release.value for release in incident.releases] == ["1.1"]
    assert "release 1.1" in verdicts[70].text


def test_the_same_nights_give_the_same_verdicts() -> None:
    """In one go, or stopped and restored at every night: equal to the last digit."""
    nights = make_nights(130, lambda t, _: 0.75 if 80 <= t < 86 else 0.9, TENANTS)
    once = watch(nights)
    detector = make_detector("adherence")
    again = []
    for night in nights:
        detector = copy.deepcopy(detector)
        again.append(detector.observe(night))
    assert again == once


def test_evidence_is_json_and_does_not_change_the_verdict() -> None:
    """Every check serialises without NaN; without evidence only the checks and the sentence differ."""
    nights = make_nights(100, lambda t, _: 0.75 if t >= 90 else 0.9, TENANTS)
    full = watch(nights, "completeness")
    for verdict in full:
        for check in verdict.checks:
            json.dumps(dataclasses.asdict(check), allow_nan=False)
            assert check.observed - check.expected == pytest.approx(check.difference)
            assert check.low <= check.difference <= check.high
    bare = make_detector("completeness", evidence=False)
    for night, verdict in zip(nights, full, strict=True):
        other = bare.observe(night)
        assert (other.state, other.page, other.event) == (verdict.state, verdict.page, verdict.event)


def test_an_override_holds_for_its_metric_only() -> None:
    """A floor of 30 points silences completeness and leaves adherence alone."""
    settings = DriftSettings(
        overrides={"completeness": {"floor": 0.3, "segment_floor": 0.3, "shape_floor": 0.3}}
    )
    nights = make_nights(85, lambda t, _: 0.75 if t >= 80 else 0.9, TENANTS)
    assert pages(watch(nights, "completeness", settings)) == []
    assert pages(watch(nights, "adherence", settings)) == [80]


def test_values_from_logs_are_shortened_in_sentences() -> None:
    """A segment value of 10,000 characters does not flood the message."""
    name = "x" * 10_000
    nights = make_nights(65, lambda t, s: 0.5 if t >= 60 and s == name else 0.9, {name: 100.0, "b": 300.0})
    verdict = watch(nights)[60]
    assert verdict.page
    assert len(verdict.text) < 400


def test_bad_news_is_told_before_good_news_of_the_same_size() -> None:
    """Four points down page, four points up do not yet; for a refusal rate it is the other way round."""
    down = make_nights(81, lambda t, _: 0.74 if t >= 80 else 0.8, {"acme": 1000.0}, seed=2)
    mirrored = [Night(n.day, "f1", passed(n.total.n, n.total.n - round(n.total.total)), {}) for n in down]
    scores = [abs(watch(nights)[80].checks[0].z) for nights in (down, mirrored)]
    limit = sum(scores) / 2 - 0.3
    settings = DriftSettings(threshold=limit, better_threshold=limit + 2.0, young_threshold=limit)
    assert pages(watch(down, "adherence", settings))[-1:] == [80]
    assert 80 not in pages(watch(mirrored, "adherence", settings))
    assert 80 not in pages(watch(down, "refusal_rate", settings))
    assert pages(watch(mirrored, "refusal_rate", settings))[-1:] == [80]
    assert pages(watch(mirrored, "utilization", settings))[-1:] == [80]
