"""What a page cannot do, for the person who opened its address."""

from __future__ import annotations

from trace_core.errors import TraceError


class BadRequest(TraceError):
    """The address holds a value that cannot be; the message names it."""


class NotFound(TraceError):
    """There is no such log, incident or night; the message says so."""
