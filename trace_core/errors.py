"""Errors, named by what the caller should do about them."""


class TraceError(Exception):
    """The root of every error this project raises on purpose."""


class BadInput(TraceError):
    """Put the record aside with its reason and go on: retrying cannot help.

    `code` is one of `trace_core.reasons.QUARANTINE_REASONS`; `detail` names the place and never
    quotes log text.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail

    def __reduce__(self) -> tuple[type["BadInput"], tuple[str, str]]:
        # The default rebuilds from `args`, which holds the joined message: code and detail would be lost.
        return type(self), (self.code, self.detail)


class ConfigurationError(TraceError):
    """Stop now: a setting is wrong. The message names the setting and what it may be."""


class TemporaryFault(TraceError):
    """Try again later: something outside (a server, a network) is not answering."""
