"""Where messages go. One file a kind of channel; this one names what they share and picks by setting."""

from __future__ import annotations

from typing import Protocol

from trace_core.errors import ConfigurationError
from trace_pipeline.alerts.message import AlertMessage
from trace_pipeline.settings import Settings


class Channel(Protocol):
    """A place that takes messages.

    `name` is stable over runs and holds no secret: deliveries are recorded under it.
    """

    @property
    def name(self) -> str: ...

    def deliver(self, message: AlertMessage) -> None:
        """Hand the message over, once; returning means that it was accepted.

        Raises TemporaryFault when it may work later, ConfigurationError when it never will. Neither text, nor
        anything logged, holds an address or a secret of the channel.
        """
        ...


def make_channel(target: str, settings: Settings) -> Channel:
    """Return the channel a setting names: `log`, `console`, or an Apprise URL, optionally as `label=URL`.

    A label keeps the channel's name when its URL is renewed. Raises ConfigurationError for anything else, and
    for a channel that is outside of the air gap.
    """
    from trace_pipeline.alerts.console_channel import ConsoleChannel
    from trace_pipeline.alerts.log_channel import LogChannel

    if target == "log":
        return LogChannel()
    if target == "console":
        return ConsoleChannel()
    if "://" not in target:
        raise ConfigurationError(
            "Setting alerts.channels: a channel is neither log nor console nor an Apprise URL such as json://host/path."
        )
    from trace_pipeline.alerts.apprise_channel import AppriseChannel  # slow to import
    from trace_pipeline.alerts.apprise_hosts import refuse_service

    before, _, _ = target.partition("://")
    label, separator, _ = before.rpartition("=")
    url = target.removeprefix(label + separator) if separator else target
    channel = AppriseChannel(url, label=label or None)
    refuse_service(settings, url)
    return channel
