"""Which host an address names, read so strictly that no client can read another one."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_AUTHORITY: Final = re.compile(r"[^/?#]*")
_BRACKETED: Final = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(\d{0,5}))?")


def host_of(target: str, *, credentials: bool = False) -> str:
    """Return the host of an address, or of a bare `host` or `host:port`, in the one form for comparison.

    That form is lower case, without port and final dot, IP addresses as `ipaddress` writes them. Raises
    ValueError, whose text holds nothing of the address, where two readers might see two hosts: user names
    (unless `credentials`), percent signs, backslashes, blanks, letters outside of ASCII.

    >>> host_of("https://Judge.Example.org.:8443/v1")
    'judge.example.org'
    >>> host_of("[0:0::1]:80")
    '::1'
    >>> host_of("http://allowed.example@other.example")
    Traceback (most recent call last):
    ValueError: a user name stands before the host
    """
    scheme = _SCHEME.match(target)
    rest = target[scheme.end() :] if scheme else target
    if "\\" in target or any(character <= " " or character == "\x7f" for character in target):
        raise ValueError("it holds a blank, a backslash or a control character")
    authority = _AUTHORITY.match(rest)
    place = authority[0] if authority else ""
    if "@" in place:
        user, _, place = place.rpartition("@")
        if not credentials:
            raise ValueError("a user name stands before the host")
        if "@" in user:
            raise ValueError("it holds more than one @")
    if not place.isascii():
        raise ValueError("its host has letters outside of ASCII; write it in its xn-- form")
    return _bracketed(place) if place.startswith("[") else _named(place)


def _bracketed(place: str) -> str:
    match = _BRACKETED.fullmatch(place)
    if match is None:
        raise ValueError("what stands in brackets is no IPv6 address")
    try:
        return str(ipaddress.IPv6Address(match[1]))
    except ValueError:
        raise ValueError("what stands in brackets is no IPv6 address") from None


def _named(place: str) -> str:
    try:
        return str(ipaddress.IPv6Address(place))  # bare, as a list of hosts has it
    except ValueError:
        pass
    name, colon, port = place.partition(":")
    if colon and not re.fullmatch(r"\d{0,5}", port):
        raise ValueError("its port is no number")
    name = name.lower().removesuffix(".")
    if not _NAME.fullmatch(name) or len(name) > 253:
        raise ValueError("it has no host that can be read for certain")
    if re.fullmatch(r"\d+|0x[0-9a-f]*", name.rpartition(".")[2]):
        try:  # 010.0.0.1, 127.1 and 0x7f000001 are addresses to some readers, and others to other ones
            return str(ipaddress.IPv4Address(name))
        except ValueError:
            raise ValueError("its IP address is not written as four numbers") from None
    return name
