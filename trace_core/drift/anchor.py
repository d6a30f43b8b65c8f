"""Has the scorer itself changed: the same frozen logs judged each night, each compared with itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from trace_core.drift.anchor_comparison import Comparison, compare

AnchorState = Literal["learning", "ok", "suspect", "shifted", "no_data"]
ANCHOR_METRICS: Final = ("adherence", "completeness", "relevance", "utilization")

BASELINE_NIGHTS: Final = 28
"""Nights back that tell what is usual. More: surer of the noise, slower to forget an older level."""
MIN_NIGHTS: Final = 5
"""With fewer the noise is mostly the prior's, so that only a large shift is told; nothing is suspected."""
MIN_JUDGED: Final = 0.8
"""Share of the anchors that must have been judged; fewer are no data, never a shift."""
SUSPECT_Z: Final = 2.0
SHIFTED_Z: Final = 3.9
FLOOR: Final = 0.03
"""A smaller change of the mean, in score units, is nobody's concern."""
CHANGED_FLOOR: Final = 0.06
"""Share of anchors, beyond the usual one, that must have changed both ways to be a concern."""


@dataclass(frozen=True, slots=True)
class AnchorNight:
    """What one version of a scorer said of the anchors on one night.

    due, judged: anchors that were to be judged, and those that were.
    values: of each metric, by anchor, in [0, 1]; what is undefined is left out.
    """

    day: date
    fingerprint: str
    due: int
    judged: int
    values: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """One metric of one night; means and differences in score units, None where nothing is compared.

    n: anchors compared. nights: of their baseline, on average. changed: those whose verdict is another,
    the largest change first. low, high: 95 % interval of the difference for logs like the anchors.
    """

    metric: str
    day: date
    fingerprint: str
    state: AnchorState
    text: str
    n: int = 0
    nights: int = 0
    observed: float | None = None
    expected: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    z: float | None = None
    changed: tuple[str, ...] = ()


def check_anchors(nights: Iterable[AnchorNight]) -> list[tuple[AnchorCheck, ...]]:
    """Judge nights in the order of their days; returns the checks of all metrics for each.

    Idea: an anchor's text never changes, so whatever changes is the scorer. Each anchor is compared with its
    own mean over earlier nights; anchors that are new or retired drop out of the comparison.

    Formula: S = sum over the m common anchors of (tonight - own mean), the difference is S / m. A verdict's
    variance v is pooled within anchors, with a prior of 60 anchor-nights at a flip rate of 5 %; under no
    change S has variance V = f v sum(1 + 1/k), k an anchor's nights, f >= 1 what whole nights vary beyond
    their anchors. Z = sign(S) sqrt(2 V h(|S| / V)) with h(u) = (1 + u) ln(1 + u) - u: the exponent of
    Bennett's inequality. A scorer that gives the same verdicts in 98 of 100 nights makes no normal noise: two
    flips of sixty would be many deviations, and are not rare.
    The number of changed anchors is held against its usual rate in the same way, for verdicts that move in
    both directions and leave the mean where it was.

    shifted: |Z| >= 3.9 and 3 points, or suspect for two judged nights running, the same way. suspect:
    |Z| >= 2 and 3 points. After a shift, or under a new fingerprint, the baseline starts anew; a
    suspect night joins it only once the next one has cleared it.

    False alarms and power as measured: docs/drift.md. A scorer that drifts by less than a point a night is
    found late, for its baseline drifts along.

    Source of the bound: G. Bennett, "Probability inequalities for the sum of independent random variables",
    Journal of the American Statistical Association 57 (1962).

    >>> from datetime import timedelta
    >>> def night(number, unsupported):
    ...     verdicts = {f"a{i}": float(i >= unsupported) for i in range(60)}
    ...     return AnchorNight(date(2026, 3, 1) + timedelta(number), "v1", 60, 60, {"adherence": verdicts})
    >>> checks = check_anchors([*(night(n, 20) for n in range(10)), night(10, 26)])
    >>> [check[0].state for check in checks][3:]
    ['learning', 'learning', 'ok', 'ok', 'ok', 'ok', 'ok', 'shifted']
    >>> round(checks[-1][0].difference, 3), len(checks[-1][0].changed)
    (-0.1, 6)
    """
    watch = _Watch()
    return [watch.observe(night) for night in nights]


def shift_onsets(states: Sequence[tuple[date, str, Mapping[str, str]]]) -> list[tuple[date, date]]:
    """Return (onset, night) of each shift among checked nights: (day, fingerprint, states by metric).

    A shift begins on the suspect night before it, if there was one under the same fingerprint, else on the
    night that found it.

    >>> a, b = date(2026, 3, 1), date(2026, 3, 2)
    >>> shift_onsets([(a, "v1", {"adherence": "suspect"}), (b, "v1", {"adherence": "shifted"})])
    [(datetime.date(2026, 3, 1), datetime.date(2026, 3, 2))]
    """
    found: list[tuple[date, date]] = []
    suspect: tuple[date, str] | None = None
    for day, fingerprint, metrics in states:
        said = set(metrics.values())
        if said <= {"no_data"}:
            continue
        if "shifted" in said:
            found.append((suspect[0] if suspect is not None and suspect[1] == fingerprint else day, day))
        suspect = (day, fingerprint) if "suspect" in said and "shifted" not in said else None
    return found


def shifted_fingerprint(fingerprint: str, shifts: int) -> str:
    """Name a scorer version that has shifted so many times, so that the watch takes it for another one.

    >>> shifted_fingerprint("3f2a", 0), shifted_fingerprint("3f2a", 2)
    ('3f2a', '3f2a~3')
    """
    return f"{fingerprint}~{shifts + 1}" if shifts else fingerprint


def unshifted_fingerprint(name: str) -> str:
    """Return the fingerprint in a name of `shifted_fingerprint`.

    >>> unshifted_fingerprint("3f2a~3"), unshifted_fingerprint("3f2a")
    ('3f2a', '3f2a')
    """
    return name.partition("~")[0]


class _Watch:
    """The nights of the scorer's present version, and the suspect night that waits for the next one."""

    def __init__(self) -> None:
        self._fingerprint: str | None = None
        self._baseline: list[AnchorNight] = []
        self._suspect: tuple[AnchorNight, Mapping[str, int]] | None = None

    def observe(self, night: AnchorNight) -> tuple[AnchorCheck, ...]:
        """Judge the next night."""
        if night.judged < max(1.0, MIN_JUDGED * night.due):
            text = f"{night.judged} of {night.due} anchors were judged: no verdict on the scorer."
            return tuple(
                AnchorCheck(metric, night.day, night.fingerprint, "no_data", text)
                for metric in ANCHOR_METRICS
            )
        if night.fingerprint != self._fingerprint:
            self._fingerprint, self._baseline, self._suspect = night.fingerprint, [], None
        before = self._suspect[1] if self._suspect else {}
        recent = self._baseline[-BASELINE_NIGHTS:]
        ways: dict[str, int] = {}
        checks = []
        for metric in ANCHOR_METRICS:
            found = compare([n.values.get(metric, {}) for n in recent], night.values.get(metric, {}))
            state, way = _state(found, before.get(metric))
            if state == "suspect":
                ways[metric] = way
            checks.append(_check(metric, night, found, state, way))
        self._remember(night, any(check.state == "shifted" for check in checks), ways)
        return tuple(checks)

    def _remember(self, night: AnchorNight, shifted: bool, ways: Mapping[str, int]) -> None:
        earlier = [] if self._suspect is None else [self._suspect[0]]
        self._suspect = None
        if shifted:
            self._baseline = [*earlier, night]
        elif ways:
            self._baseline += earlier
            self._suspect = night, ways
        else:
            self._baseline += [*earlier, night]


_BOTH_WAYS: Final = 0


def _state(found: Comparison | None, before: int | None) -> tuple[AnchorState, int]:
    """Return the state and the way of the change; `before` is the way in which last night was suspect."""
    if found is None:
        return "learning", _BOTH_WAYS
    moved = abs(found.z) if abs(found.difference) >= FLOOR else 0.0
    turned = found.changed_z if found.excess >= CHANGED_FLOOR else 0.0
    by_mean = moved >= SUSPECT_Z or moved >= turned
    way = (1 if found.difference > 0 else -1) if by_mean else _BOTH_WAYS
    strength = moved if by_mean else turned
    if strength >= SHIFTED_Z:
        return "shifted", way
    if found.nights < MIN_NIGHTS:
        return "learning", way
    if strength < SUSPECT_Z:
        return "ok", way
    return "shifted" if before == way else "suspect", way


def _check(
    metric: str, night: AnchorNight, found: Comparison | None, state: AnchorState, way: int
) -> AnchorCheck:
    if found is None:
        text = f"The first night of these anchors under this scorer: nothing to compare {metric} with."
        return AnchorCheck(metric, night.day, night.fingerprint, state, text)
    low, high = found.difference - found.half, found.difference + found.half
    return AnchorCheck(
        metric=metric,
        day=night.day,
        fingerprint=night.fingerprint,
        state=state,
        text=_text(metric, found, low, high, state, way),
        n=found.n,
        nights=int(found.nights),
        observed=found.observed,
        expected=found.expected,
        difference=found.difference,
        low=low,
        high=high,
        z=found.z,
        changed=found.changed,
    )


def _text(metric: str, found: Comparison, low: float, high: float, state: AnchorState, way: int) -> str:
    count = len(found.changed)
    said = (
        f"{metric} of {found.n} frozen logs {found.observed:.1%}, usually {found.expected:.1%}: "
        f"{100 * found.difference:+.1f} points (95 % interval {100 * low:+.1f} to {100 * high:+.1f}), "
        f"{count} {'verdict' if count == 1 else 'verdicts'} changed"
    )
    both = " in both directions" if way == _BOTH_WAYS else ""
    ends = {
        "shifted": f"the scorer judges the same logs otherwise{both}",
        "suspect": f"hardly by chance{both}; the next night decides",
        "learning": f"{int(found.nights)} of the {MIN_NIGHTS} nights that tell how much it varies by itself",
    }
    return f"{said}; {ends.get(state, 'as before')}."
