"""The finders by the names that the setting `judge.redact` has for them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from trace_core.digests import digest
from trace_pipeline.redaction.found import Finder

_MODULES: Final = {
    "email": "emails",
    "phone": "phones",
    "card": "cards",
    "iban": "ibans",
    "key": "keys",
}


class Kinds(NamedTuple):
    """Finders, and a digest of the patterns they use."""

    finders: tuple[Finder, ...]
    version: str


def load_kinds(names: Sequence[str]) -> Kinds:
    """Import the finders of some kinds. ConfigurationError where one needs a package that is not there."""
    # Imported when asked for: phone numbers need a package of the extra `judge`.
    modules: list[Any] = [import_module(f"{__package__}.{_MODULES[name]}") for name in sorted(names)]
    return Kinds(tuple([module.find for module in modules]), digest([module.PATTERNS for module in modules]))
