"""Which release coincides with a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from trace_core.drift.verdict import Release


def coinciding_releases(
    days: Sequence[date],
    totals: Sequence[float],
    counts: Mapping[str, Sequence[float]],
    onset: date,
    slack_nights: int,
    min_share: float,
) -> tuple[Release, ...]:
    """Values of a release dimension that first got a sizeable share of the traffic close to `onset`.

    `days` rise; `totals` and each of `counts` give the logs of those nights. A value is new on its first
    night with at least `min_share` of the logs, if it had less on all nights before; values of the very
    first night are not new. The nearest to the onset comes first, then the larger share.

    >>> days = [date(2026, 5, d) for d in range(1, 6)]
    >>> counts = {"1.0": [9, 9, 9, 5, 2], "1.1": [0, 0, 0, 4, 7]}
    >>> [r.value for r in coinciding_releases(days, [9] * 5, counts, date(2026, 5, 4), 1, 0.05)]
    ['1.1']
    """
    at = next((i for i, day in enumerate(days) if day >= onset), len(days) - 1)
    found = []
    for value, logs in counts.items():
        shares = [count / total if total else 0.0 for count, total in zip(logs, totals, strict=True)]
        first = next((i for i, share in enumerate(shares) if share >= min_share), None)
        if first is not None and first > 0 and abs(first - at) <= slack_nights:
            found.append((abs(first - at), -shares[first], Release(value, days[first], shares[first])))
    return tuple(release for _, _, release in sorted(found, key=lambda item: item[:2]))
