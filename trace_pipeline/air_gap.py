"""The air gap: with the setting `air_gap` no host is reached that `allowed_hosts` does not name.

What is refused is refused when it is made, by its address alone: no name is looked up and no socket opened.
The databases are no part of it: they are where the texts are, and nothing runs without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies, proxy_bypass

from trace_core.errors import ConfigurationError
from trace_pipeline.hosts import host_of

if TYPE_CHECKING:
    from trace_pipeline.settings import Settings


def refuse_outside(settings: Settings, target: str, what: str, *, by_proxy: bool = False) -> None:
    """Refuse an address whose host is not on the list; does nothing where `air_gap` is off.

    target: an address, `host:port` or a host. what: who wants it, such as "the judge". by_proxy: the client
    would take a proxy from the environment, whose host must be on the list as well.

    Raises ConfigurationError, a sentence with the settings, the host and who wanted it; nothing else of the
    address, which may hold a secret.
    """
    if not settings.air_gap:
        return
    host = _read(target, what)
    _refuse_unlisted(settings, host, what)
    if by_proxy and not proxy_bypass(host):
        for name, address in getproxies().items():
            if name in ("http", "https", "all"):
                through = f"{what}, by the proxy of {name}_proxy,"
                _refuse_unlisted(settings, _read(address, through, credentials=True), through)


def refuse_unknown(settings: Settings, what: str, why: str) -> None:
    """Refuse what would reach a host that cannot be told beforehand; does nothing where `air_gap` is off."""
    if settings.air_gap:
        raise ConfigurationError(f"Setting air_gap is on: {what} is refused, because {why}.")


def refuse_storage(settings: Settings, folder: str, extra: Mapping[str, Any]) -> None:
    """Refuse object storage (`folder` is an address) whose host is unknown or not on the list.

    extra: the extra fields of the Airflow connection that the address names. The host is that of their
    `endpoint_url`, or of an address over HTTP; a provider's own default is in neither.
    """
    what = "import_folder"
    scheme = folder.partition("://")[0].lower()
    if not settings.air_gap or scheme == "file":
        return
    endpoint = folder if scheme in ("http", "https") else extra.get("endpoint_url")
    if isinstance(endpoint, str) and endpoint:
        refuse_outside(settings, endpoint, what, by_proxy=True)
    else:
        why = "its connection names no endpoint_url, so the host of the storage is not known"
        refuse_unknown(settings, what, why)


def _refuse_unlisted(settings: Settings, host: str, what: str) -> None:
    if host not in settings.allowed_hosts:  # in the form of host_of already
        raise ConfigurationError(
            f"Setting air_gap is on, and {what} would reach {host!r}, which the setting allowed_hosts does "
            "not name."
        )


def _read(target: str, what: str, *, credentials: bool = False) -> str:
    try:
        return host_of(target, credentials=credentials)
    except ValueError as error:
        raise ConfigurationError(
            f"Setting air_gap is on, and the address of {what} cannot be read for certain: {error}."
        ) from None
