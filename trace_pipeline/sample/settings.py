"""What to generate: how many nights, how much traffic, what goes wrong and when."""

from dataclasses import dataclass
from datetime import date, timedelta

from trace_core.errors import ConfigurationError

_SHARES = (
    "malformed_share",
    "ground_truth_share",
    "refusal_share",
    "half_share",
    "invented_share",
    "empty_share",
    "adherence_drop",
)


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """Settings of the sample traffic; every share is a fraction of the logs, 0 to 1.

    ``release_night`` is the 0-based index of the first night with the bad release (None: no release) and
    ``rollback_night`` the first night on which it is gone again. ``adherence_drop`` is the share of the hurt
    tenant's logs that the release turns from grounded into half-supported or invented.

    Raises ConfigurationError, naming the setting, for a value that cannot be generated.
    """

    first_day: date
    nights: int = 60
    logs_per_night: int = 400
    seed: int = 1
    release_night: int | None = 45
    rollback_night: int | None = None
    malformed_share: float = 0.005
    ground_truth_share: float = 0.2
    refusal_share: float = 0.05
    half_share: float = 0.045
    invented_share: float = 0.035
    empty_share: float = 0.003
    adherence_drop: float = 0.26

    def __post_init__(self) -> None:
        for name in ("nights", "logs_per_night"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in _SHARES:
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigurationError(f"{name} must be between 0 and 1, not {getattr(self, name)}")
        try:
            self.day(self.nights - 1)
        except OverflowError:
            raise ConfigurationError(f"nights: {self.nights} nights do not fit in the calendar") from None
        self._check_release()
        if self.grounded_share < self.adherence_drop:
            raise ConfigurationError(
                "adherence_drop: refusal_share, half_share, invented_share, empty_share and adherence_drop"
                " must not exceed 1 together"
            )

    def _check_release(self) -> None:
        if self.release_night is not None and self.release_night < 0:
            raise ConfigurationError(f"release_night must be 0 or later, not {self.release_night}")
        if self.rollback_night is None:
            return
        if self.release_night is None:
            raise ConfigurationError("rollback_night needs a release_night")
        if self.rollback_night <= self.release_night:
            raise ConfigurationError(f"rollback_night must be after release_night ({self.release_night})")

    @property
    def grounded_share(self) -> float:
        """Share of answers that are grounded in their documents while all is well."""
        return 1.0 - self.refusal_share - self.half_share - self.invented_share - self.empty_share

    def day(self, night: int) -> date:
        """UTC day of a night."""
        return self.first_day + timedelta(days=night)

    def release_is_live(self, night: int) -> bool:
        """Whether the bad release answers on this night."""
        if self.release_night is None or night < self.release_night:
            return False
        return self.rollback_night is None or night < self.rollback_night
