"""A file's rows as logs: container, format, joining of spans, mapping, and each row's outcome."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, islice
from typing import IO, Any, Final
from zoneinfo import ZoneInfo

from trace_core.errors import BadInput
from trace_core.records import Limits
from trace_pipeline.importers.containers import rows_of
from trace_pipeline.importers.documents import Documents
from trace_pipeline.importers.guess import guess_format
from trace_pipeline.importers.known_names import FORMATS
from trace_pipeline.importers.langfuse import langfuse_spans
from trace_pipeline.importers.langsmith import langsmith_spans
from trace_pipeline.importers.mapping import Mapped
from trace_pipeline.importers.openinference import openinference_spans
from trace_pipeline.importers.otel import otel_genai_spans
from trace_pipeline.importers.outcomes import Imported, Raw, Refused
from trace_pipeline.importers.rows import RowReader
from trace_pipeline.importers.spans import Joiner, Span
from trace_pipeline.importers.texts import joined_texts
from trace_pipeline.importers.trulens import are_trulens_spans, trulens_spans

_GUESSED_FROM: Final = 20
_REMEMBERED: Final = 200_000
_SPANS: Final[Mapping[str, Callable[[Any], list[Span]]]] = {
    "openinference": openinference_spans,
    "otel": otel_genai_spans,
    "langfuse": langfuse_spans,
    "langsmith": langsmith_spans,
    "trulens": trulens_spans,
}


@dataclass(frozen=True)
class ImportOptions:
    """How files are read. `trace_window`: traces whose spans are held at a time while they are joined."""

    format: str = "auto"
    mapped: Mapped = field(default_factory=Mapped)
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    logged_at: datetime | None = None
    encoding: str | None = None
    limits: Limits = field(default_factory=Limits)
    trace_window: int = 2_000

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"the format must be one of {', '.join(FORMATS)}")
        if self.logged_at is not None and self.logged_at.tzinfo is None:
            object.__setattr__(self, "logged_at", self.logged_at.replace(tzinfo=self.zone).astimezone(UTC))


class FileReader:
    """Reads one file; `format` is the one that was given or, once rows are read, the guessed one."""

    def __init__(
        self, path: str, options: ImportOptions, file: IO[bytes] | None = None, name: str | None = None
    ) -> None:
        self.path, self.options = path, options
        self.format: str | None = None if options.format == "auto" else options.format
        self._file, self._name = file, name

    def __iter__(self) -> Iterator[Imported | Refused]:
        """Yield each row's outcome, in order (traces: in the order of their end)."""
        with ExitStack() as opened:
            texts = opened.enter_context(joined_texts(self.options.mapped))
            rows = rows_of(self.path, encoding=self.options.encoding, file=self._file)
            head = list(islice(rows, _GUESSED_FROM))
            values = [raw.value for raw in head if isinstance(raw, Raw)]
            if self.format is None:
                self.format = guess_format(values) or (self._fallback() if values else None)
            if self.format is None:
                yield from self._unknown(chain(head, rows))
                return
            yield from self._outcomes(self._joined(chain(head, rows), values), texts)

    def _fallback(self) -> str | None:
        """With the fields named in a mapping file no format is needed."""
        mapped = self.options.mapped
        return "ragas" if mapped.question and mapped.response else None

    def _unknown(self, rows: Iterator[Raw | Refused]) -> Iterator[Refused]:
        for raw in rows:
            yield (
                raw if isinstance(raw, Refused) else Refused(raw.place, "unknown_format", _fields(raw.value))
            )

    def _joined(self, rows: Iterator[Raw | Refused], head: list[Any]) -> Iterator[Raw | Refused]:
        flat = self.format == "trulens" and not any(are_trulens_spans(value) for value in head)
        if flat or self.format not in _SPANS:
            return rows
        return Joiner(_SPANS[str(self.format)], self.options.trace_window).join(rows)

    def _outcomes(self, rows: Iterator[Raw | Refused], texts: Any) -> Iterator[Imported | Refused]:
        options = self.options
        documents = Documents((*options.mapped.document_text, *options.limits.document_text_fields), texts)
        reader = RowReader(
            str(self.format), options.mapped, documents, options.zone, options.logged_at, options.limits
        )
        seen = _Seen()
        for raw in rows:
            if isinstance(raw, Refused):
                yield raw
                continue
            try:
                row, notes = reader.read(raw.value)
                seen.check(row)
            except BadInput as refusal:
                yield Refused(raw.place, refusal.code, refusal.detail)
            else:
                yield Imported(raw.place, row, notes)


def _fields(value: Any) -> str:
    """Name a row's fields, so that somebody can map them."""
    if not isinstance(value, Mapping):
        return type(value).__name__
    names = [str(name)[:40] for name in value]
    return "its fields: " + ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")


class _Seen:
    """The ids of the last rows of a file: an id that comes again with another content is refused."""

    def __init__(self) -> None:
        self._contents: OrderedDict[int, int] = OrderedDict()

    def check(self, row: Mapping[str, Any]) -> None:
        identifier = hash(row["log_id"])
        content = int.from_bytes(
            hashlib.blake2b(
                json.dumps(row, default=str, sort_keys=True).encode("utf-8", "replace"), digest_size=7
            ).digest()
        )
        known = self._contents.setdefault(identifier, content)
        if known != content:
            raise BadInput("duplicate_log_id", "with another content than the row before")
        if len(self._contents) > _REMEMBERED:
            self._contents.popitem(last=False)
