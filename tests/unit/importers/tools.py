"""What the tests of the importers share: a file's outcome in one call."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from trace_pipeline.importers import FileReader, Imported, ImportOptions, Mapped, Refused

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
TEXT = "A refund takes five working days."


def read(content: bytes | str | Any, name: str = "logs", **options: Any) -> list[Imported | Refused]:
    """Return the outcome of each row of a file with this content (other values: as JSON)."""
    if not isinstance(content, bytes | str):
        content = json.dumps(content, ensure_ascii=False)
    data = content.encode("utf-8") if isinstance(content, str) else content
    options.setdefault("logged_at", AT)
    if "mapped" in options:
        options["mapped"] = Mapped.model_validate(options["mapped"])
    if "zone" in options:
        options["zone"] = ZoneInfo(options["zone"])
    return list(FileReader(name, ImportOptions(**options), io.BytesIO(data)))


def imported(content: Any, name: str = "logs", **options: Any) -> list[dict[str, Any]]:
    """Return the rows of a file of which none is refused."""
    outcomes = read(content, name, **options)
    assert [str(outcome) for outcome in outcomes if isinstance(outcome, Refused)] == []
    return [dict(outcome.row) for outcome in outcomes if isinstance(outcome, Imported)]


def refused(content: Any, name: str = "logs", **options: Any) -> list[tuple[int, str]]:
    """Return row number and reason of each refused row; each has a meaning and a remedy."""
    found = [outcome for outcome in read(content, name, **options) if isinstance(outcome, Refused)]
    assert all(refusal.remedy and refusal.to_json()["meaning"] != refusal.code for refusal in found)
    return [(refusal.place.row, refusal.code) for refusal in found]
