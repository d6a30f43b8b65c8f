"""The user's own finder: a function that names what must go as well."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from trace_core.errors import ConfigurationError, TraceError

#: What a hook returns for the texts of one log: strings that must go, alone or with a kind.
Hook = Callable[[Sequence[str]], Iterable[str | tuple[str, str]]]
_KIND: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}")
_UNNAMED: Final = "private"


class RedactionFailed(TraceError):
    """Do not send this log: its texts could not be redacted. The message holds nothing of them."""


def load_hook(name: str) -> Hook:
    """Return the function of `package.module:function`, once its `check()`, if it has one, has passed.

    Raises ConfigurationError when there is none, or as its `check` does.
    """
    module_name, _, function_name = name.partition(":")
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:  # whatever the module does when it is imported
        raise ConfigurationError(
            f"setting 'judge.redaction_hook': {name} cannot be imported ({type(error).__name__}); it must be "
            "importable by the Airflow workers and by the command"
        ) from error
    if not callable(function):
        raise ConfigurationError(f"setting 'judge.redaction_hook': {name} is not a function")
    check = getattr(function, "check", None)
    if callable(check):
        check()
    return function  # type: ignore[no-any-return]  # what it returns is checked at each call


def ask_hook(hook: Hook, name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return (kind, string) for all that the hook finds. RedactionFailed when it raises or returns else."""
    try:
        return [_pair(item) for item in hook(tuple(texts)) if item]
    except Exception as error:
        # Without a cause: its message may quote the log.
        raise RedactionFailed(
            f"The redaction hook {name} failed with {type(error).__name__}, so the log is not sent."
        ) from None


def _pair(item: object) -> tuple[str, str]:
    pair: Any = (_UNNAMED, item) if isinstance(item, str) else item
    kind, value = pair
    if not isinstance(kind, str) or not isinstance(value, str) or not _KIND.fullmatch(kind):
        raise TypeError
    return kind.lower(), value
