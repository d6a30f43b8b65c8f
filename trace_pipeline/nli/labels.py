"""Which output of a model is entailment: read from its config.json, never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trace_core.errors import ConfigurationError

_ENTAILMENT: Final = frozenset(("entailment", "entail", "entails", "entailed"))
_CONTRADICTION: Final = frozenset(("contradiction", "contradict", "contradicts", "contradicted"))
_REMEDY: Final = (
    'write there which output is which, such as "id2label": {"0": "contradiction", "1": "neutral", '
    '"2": "entailment"}, or {"0": "not_entailment", "1": "entailment"}'
)


@dataclass(frozen=True, slots=True)
class Labels:
    """The names of a model's outputs in their order, and the places of those that count.

    One label alone is a model of one output, whose logistic function is the entailment.
    """

    names: tuple[str, ...]
    entailment: int
    contradiction: int | None


def read_labels(config: Mapping[str, Any], path: Path) -> Labels:
    """Read `id2label`, or else `label2id`. ConfigurationError, naming the file, where they do not tell."""
    by_id = _entries(config.get("id2label"), path, "id2label", turned=False)
    by_label = _entries(config.get("label2id"), path, "label2id", turned=True)
    if by_id and by_label and by_id != by_label:
        raise ConfigurationError(f"{path}: id2label and label2id say different things; {_REMEDY}")
    found = by_id or by_label
    if not found:
        raise ConfigurationError(f"{path}: neither id2label nor label2id names the labels; {_REMEDY}")
    if sorted(found) != list(range(len(found))):
        raise ConfigurationError(f"{path}: the labels are not numbered 0, 1, 2 ...; {_REMEDY}")
    names = tuple(found[i] for i in range(len(found)))
    entailment = [i for i, name in enumerate(names) if _plain(name) in _ENTAILMENT]
    contradiction = [i for i, name in enumerate(names) if _plain(name) in _CONTRADICTION]
    if len(entailment) != 1 or len(contradiction) > 1:
        shown = ", ".join(name[:40] for name in names[:10])
        said = "none" if not entailment else "several" if len(entailment) > 1 else "one"
        raise ConfigurationError(
            f"{path}: one label has to be entailment, and one at most contradiction; "
            f"of {shown} {said} is entailment; {_REMEDY}"
        )
    return Labels(names, entailment[0], contradiction[0] if contradiction else None)


def _plain(name: str) -> str:
    return name.strip().casefold()


def _entries(value: object, path: Path, name: str, *, turned: bool) -> dict[int, str]:
    """Read a mapping of numbers to names, or the turned one."""
    if value is None:
        return {}
    try:
        if not isinstance(value, Mapping):
            raise TypeError(name)
        pairs = [pair[::-1] if turned else pair for pair in value.items()]
        entries = {int(number): label for number, label in pairs}
        if len(entries) != len(pairs) or not all(isinstance(label, str) for label in entries.values()):
            raise ValueError(name)
    except (TypeError, ValueError):
        raise ConfigurationError(f"{path}: {name} does not map numbers and names; {_REMEDY}") from None
    return entries
