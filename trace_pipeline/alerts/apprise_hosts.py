"""Which hosts an Apprise URL leads to, for the air gap: known for some services, refused for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from apprise import Apprise

from trace_core.errors import ConfigurationError
from trace_pipeline.air_gap import refuse_outside, refuse_unknown
from trace_pipeline.settings import Settings

_SLACK: Final = {
    "hook": "hooks.slack.com",
    "workflow": "hooks.slack.com",
    "trigger": "hooks.slack.com",
    "gov-hook": "hooks.slack-gov.com",
    "bot": "slack.com",
}


def _own(service: Any) -> Iterable[str]:
    return (str(service.host),)


def _slack(service: Any) -> Iterable[str]:
    return (_SLACK[service.mode],)


#: By the name of Apprise's class. Of most services a URL's first part is a token that only looks like a host.
_HOSTS: Final[Mapping[str, Callable[[Any], Iterable[str]]]] = {
    "NotifyAppriseAPI": _own,
    "NotifyDiscord": lambda _: ("discord.com",),
    "NotifyEmail": lambda service: (str(service.smtp_host),),
    "NotifyForm": _own,
    "NotifyGoogleChat": lambda _: ("chat.googleapis.com",),
    "NotifyGotify": _own,
    "NotifyJSON": _own,
    "NotifyMattermost": _own,
    "NotifyNtfy": lambda service: _own(service) if service.mode == "private" else ("ntfy.sh",),
    "NotifyOpsgenie": lambda service: (
        "api.eu.opsgenie.com" if service.region_name == "eu" else "api.opsgenie.com",
    ),
    "NotifyPagerDuty": lambda service: (
        "events.eu.pagerduty.com" if service.region_name == "eu" else "events.pagerduty.com",
    ),
    "NotifyRSyslog": _own,
    "NotifyRocketChat": _own,
    "NotifySignalAPI": _own,
    "NotifySlack": _slack,
    "NotifySyslog": lambda _: (),  # this machine's own
    "NotifyTelegram": lambda _: ("api.telegram.org",),
    "NotifyWorkflows": _own,
    "NotifyXML": _own,
}


def refuse_service(settings: Settings, url: str) -> None:
    """Refuse an accepted Apprise URL that leads out of the air gap, or of which that is not known.

    Raises ConfigurationError, which names the service and its host, nothing else of the URL.
    """
    if not settings.air_gap:
        return
    service = Apprise.instantiate(url)
    if service is None:
        raise ConfigurationError("Setting alerts.channels: Apprise does not accept the URL of a channel.")
    what = f"the alert channel {url.partition('://')[0].lower()[:20]}://"
    if "://" in _decoded(url.partition("://")[2]):
        refuse_unknown(settings, what, "its URL holds a second address, which may be fetched")
    hosts = _HOSTS.get(type(service).__name__)
    if hosts is None:
        refuse_unknown(settings, what, "which hosts this service of Apprise reaches is not known")
        return
    for host in hosts(service):
        refuse_outside(settings, host, what, by_proxy=True)


def _decoded(text: str) -> str:
    while (plainer := unquote_plus(text)) != text:
        text = plainer
    return text
