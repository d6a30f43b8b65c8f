"""The drift page documents what there is."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from trace_core.drift import DriftSettings

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "drift.md").read_text(encoding="utf-8")


def test_every_setting_is_documented_with_its_default() -> None:
    """A row of the settings table per field."""
    for setting in fields(DriftSettings):
        default = getattr(DriftSettings(), setting.name)
        shown = default if default != {} else "none"
        row = next((line for line in PAGE.splitlines() if line.startswith(f"| `{setting.name}` |")), "")
        assert row, f"docs/drift.md has no row for {setting.name}"
        value = row.split("|")[2].strip()
        same = float(value) == shown if isinstance(shown, float) else value in (str(shown), repr(shown))
        assert same, f"{setting.name}: {value} is documented, {shown} is true"


def test_every_file_has_its_place() -> None:
    """Each module of the package but its types is in the table of steps."""
    types = {"__init__.py", "arrays.py", "baseline.py", "night.py", "verdict.py", "settings.py"}
    for path in (ROOT / "trace_core" / "drift").glob("*.py"):
        assert path.name in types or f"`{path.name}`" in PAGE, path.name
