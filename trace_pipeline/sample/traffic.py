"""Who asks when: tenants, languages, versions, the week's rhythm and the day's curve."""

import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from trace_pipeline.sample.settings import SampleSettings

HURT_TENANT = "acme"
BAD_RELEASE = "2.4.0"
_NIGHTS_PER_VERSION = 11
# Monday to Sunday, mean 1: support questions come on working days.
WEEKDAY_FACTORS = (1.24, 1.20, 1.16, 1.14, 1.06, 0.64, 0.56)
# Hour 0 to 23 UTC: a European morning peak, an American afternoon, a quiet night with some Asian traffic.
_HOUR_WEIGHTS = (
    12,
    14,
    16,
    15,
    14,
    18,
    30,
    52,
    78,
    92,
    90,
    80,
    72,
    82,
    94,
    90,
    78,
    64,
    52,
    42,
    32,
    24,
    18,
    14,
)


@dataclass(frozen=True, slots=True)
class Tenant:
    """A customer whose users ask: share of all traffic and of its languages (en, de, ja), how it logs."""

    name: str
    share: float
    languages: tuple[float, float, float]
    plain_documents: bool = False


TENANTS = (
    Tenant("borealis", 0.30, (0.60, 0.30, 0.10)),
    Tenant(HURT_TENANT, 0.25, (0.62, 0.28, 0.10)),
    Tenant("cobalt", 0.20, (0.75, 0.15, 0.10)),
    Tenant("dunmore", 0.15, (0.40, 0.20, 0.40)),
    # An older client: its documents are bare strings.
    Tenant("elara", 0.10, (0.50, 0.45, 0.05), plain_documents=True),
)
MODELS = (("orca-large", 0.7), ("orca-small", 0.3))


class Choice:
    """Weighted choice by one uniform draw."""

    def __init__(self, weights: tuple[float, ...]) -> None:
        self._bounds = list(accumulate(weights))[:-1]

    def __call__(self, uniform: float) -> int:
        return bisect_right(self._bounds, uniform)


def logs_in_night(settings: SampleSettings, night: int, chance: random.Random) -> int:
    """Number of logs of a night: the mean, times the weekday's factor, give or take a few percent."""
    factor = WEEKDAY_FACTORS[settings.day(night).weekday()]
    return max(1, round(settings.logs_per_night * factor * (0.94 + 0.12 * chance.random())))


def app_version(settings: SampleSettings, night: int) -> str:
    """The version that answers on a night: harmless releases every eleven nights, and the bad one."""
    if settings.release_is_live(night):
        return BAD_RELEASE
    return f"2.3.{night // _NIGHTS_PER_VERSION}"


def seconds_of_day(count: int, chance: random.Random) -> Iterator[float]:
    """``count`` times of day in order, in seconds, along the day's curve.

    The next of the remaining sorted uniforms is drawn from its own distribution, so that a night of any size
    needs no list to sort.
    """
    total = float(sum(_HOUR_WEIGHTS))
    bounds = [0.0, *(part / total for part in accumulate(_HOUR_WEIGHTS))]
    uniform = 0.0
    hour = 0
    for left in range(count, 0, -1):
        uniform = 1.0 - (1.0 - uniform) * (1.0 - chance.random()) ** (1.0 / left)
        while hour < 23 and uniform >= bounds[hour + 1]:
            hour += 1
        within = (uniform - bounds[hour]) / (bounds[hour + 1] - bounds[hour])
        yield min(3600.0 * (hour + within), 86_399.999)
