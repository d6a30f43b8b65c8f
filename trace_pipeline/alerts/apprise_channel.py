"""Slack, Teams, mail, PagerDuty, webhooks and many more, by one Apprise URL each."""

from __future__ import annotations

import hashlib
import logging
import re
import threading

from apprise import Apprise, AppriseAsset, NotifyFormat, NotifyType

from trace_core.errors import ConfigurationError, TemporaryFault
from trace_pipeline.alerts.message import AlertMessage
from trace_pipeline.alerts.plain_text import one_line

DELIVERY_TIMEOUT_SECONDS = 30.0
_NOTIFY_TYPES = {"page": NotifyType.FAILURE, "info": NotifyType.INFO}


class AppriseChannel:
    """Delivers through one Apprise URL, to the service it names and nowhere else.

    Raising `timeout_seconds` waits longer for a slow service. It bounds a whole delivery; the limits for
    connecting and for each read are the URL's own (`cto`, `rto`; Apprise's default is 4 s each).
    """

    def __init__(
        self, url: str, label: str | None = None, timeout_seconds: float = DELIVERY_TIMEOUT_SECONDS
    ) -> None:
        _keep_library_logs_quiet()
        scheme = one_line(url.partition("://")[0].lower(), 20)
        self._timeout_seconds = timeout_seconds
        self._apprise = Apprise(asset=_asset())
        if not self._apprise.add(url):
            raise ConfigurationError(
                f"Setting alerts.channels: Apprise does not accept the {scheme}:// URL of a channel; "
                "check it against the service's page in Apprise's documentation."
            )
        self.name = f"apprise:{scheme}:{one_line(label, 40) if label else _url_hash(url)}"

    def deliver(self, message: AlertMessage) -> None:
        """Send the message as plain text. Raises TemporaryFault unless the service accepted it in time."""
        outcome: list[str] = []
        # A daemon thread: a service that dribbles bytes for ever must not keep the process from ending.
        sender = threading.Thread(target=self._send, args=(message, outcome), daemon=True)
        sender.start()
        sender.join(self._timeout_seconds)
        problem = outcome[0] if outcome else f"no answer within {self._timeout_seconds:g} s"
        if problem:
            raise TemporaryFault(f"Channel {self.name} did not accept the message: {problem}.")

    def _send(self, message: AlertMessage, outcome: list[str]) -> None:
        _library_logs.status = ""
        try:
            accepted = self._apprise.notify(
                body=message.body,
                title=message.title,
                notify_type=_NOTIFY_TYPES[message.severity],
                body_format=NotifyFormat.TEXT,
            )
        except Exception as error:  # of any of the services; its text may hold the URL, its type does not
            outcome.append(f"Apprise failed with {type(error).__name__}")
            return
        if accepted:
            outcome.append("")
        else:
            status = _library_logs.status
            outcome.append(f"HTTP status {status}" if status else "not reachable, or refused without status")


def _asset() -> AppriseAsset:
    """Return Apprise's settings without what reaches beyond the configured address."""
    return AppriseAsset(
        app_id="TRACe nightly",
        app_desc="RAG quality watch",
        app_url="",
        image_url_mask="",  # the default puts pictures of a public site into messages
        image_url_logo="",
        http_redirects=False,  # an answer must not send the message to another host
        async_mode=False,
        interpret_escapes=False,
        interpret_emojis=False,
        storage_mode="memory",
        service_timeout=0,  # bounded by deliver(); the library's own threads would outlive it
        allow_templates=False,
        secure_logging=True,
    )


def _url_hash(url: str) -> str:
    """Return a short name for a URL; slow on purpose, since a hash must not confirm guesses of a password."""
    return hashlib.pbkdf2_hmac("sha256", url.encode(), b"trace alert channel", 200_000).hex()[:8]


class _LibraryLogs(logging.Filter, threading.local):
    """Drops every record of Apprise, whose texts quote URLs; keeps the HTTP status it tells, by thread."""

    status = ""
    _pattern = re.compile(r"\berror=([1-5]\d\d)\b")

    def filter(self, record: logging.LogRecord) -> bool:
        told = self._pattern.search(record.getMessage())
        if told:
            self.status = told[1]
        return False


_library_logs = _LibraryLogs()


def _keep_library_logs_quiet() -> None:
    logging.getLogger("apprise").addFilter(_library_logs)  # adding it again changes nothing
    # They log paths and tokens at DEBUG, urllib3 at WARNING too; the path of a webhook is its secret.
    for name in ("urllib3", "requests_oauthlib", "oauthlib"):
        logging.getLogger(name).setLevel(logging.ERROR)
