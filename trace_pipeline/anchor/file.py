"""Reads a file of anchors: JSON lines with anchor_id, question, documents and response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trace_core.digests import digest
from trace_core.errors import BadInput, ConfigurationError
from trace_core.reasons import describe
from trace_core.records import Document, Log, parse_log, parse_log_line
from trace_core.texts import check_text

#: The set that is used unless the setting `judge.anchor_file` names another.
SHIPPED: Final = Path(__file__).parent / "default.jsonl"
#: Each anchor is a question to the judge every night.
MOST: Final = 1_000
_LONGEST_ID: Final = 200
_LONGEST_LINE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Anchor:
    """A frozen log. content_hash: 16 hex digits of its texts; with another one it is another anchor."""

    anchor_id: str
    question: str
    documents: tuple[str, ...]
    response: str
    language: str | None = None

    @property
    def content_hash(self) -> str:
        return digest("anchor", self.question, self.documents, self.response)

    @property
    def key(self) -> tuple[str, str]:
        """Id and content hash: together an anchor's identity."""
        return self.anchor_id, self.content_hash

    def log(self) -> Log:
        """Return it as a log, as a scorer reads it."""
        segments = {"language": self.language} if self.language else {}
        return Log(
            self.anchor_id, self.question, tuple(map(Document, self.documents)), self.response, None, segments
        )


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is no anchor, and why; never with its text."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}"


def check_file(path: Path) -> tuple[list[Anchor], list[Refused]]:
    """Return a file's anchors, and the lines that are none. ConfigurationError if it cannot be read."""
    anchors: dict[str, Anchor] = {}
    lines: dict[str, int] = {}
    refused: list[Refused] = []
    for number, line in _lines(path):
        try:
            anchor = _anchor(line)
        except BadInput as error:
            refused.append(Refused(number, _sentence(error)))
            continue
        if anchor.anchor_id in anchors:
            refused.append(Refused(number, f"Line {lines[anchor.anchor_id]} has the same anchor_id."))
            continue
        anchors[anchor.anchor_id] = anchor
        lines[anchor.anchor_id] = number
    if len(anchors) > MOST:
        raise ConfigurationError(
            f"{path}: {len(anchors):,} anchors; at most {MOST:,} can be asked about a night."
        )
    if not anchors and not refused:
        raise ConfigurationError(f"{path}: the file holds no anchor.")
    return list(anchors.values()), refused


def read_anchors(setting: str) -> list[Anchor]:
    """Return the anchors of the setting `judge.anchor_file`; empty = the shipped set.

    Raises ConfigurationError that names the first line which is no anchor: a set that is read in part would
    be another set.
    """
    try:
        anchors, refused = check_file(Path(setting) if setting else SHIPPED)
    except ConfigurationError as error:
        raise ConfigurationError(f"Setting judge.anchor_file: {error}") from None
    if refused:
        more = f" {len(refused) - 1} more lines are none either." if len(refused) > 1 else ""
        raise ConfigurationError(f"Setting judge.anchor_file: {setting}, {refused[0]}{more}")
    return anchors


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank; one that is too long is cut, and so not read."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                while len(line) > _LONGEST_LINE and not line.endswith(b"\n"):
                    rest = file.readline(_LONGEST_LINE)
                    if not rest or rest.endswith(b"\n"):
                        break
                if number > 100 * MOST:
                    raise ConfigurationError(
                        f"{path}: more than {100 * MOST:,} lines; this is no anchor set."
                    )
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, text
    except OSError as error:
        raise ConfigurationError(f"{path}: the file cannot be read ({error.strerror or error}).") from None


def _anchor(line: bytes) -> Anchor:
    if len(line) > _LONGEST_LINE:
        raise BadInput("text_too_large", f"more than {_LONGEST_LINE:,} bytes")
    raw = parse_log_line(line)
    anchor_id = _identifier(raw)
    language = raw.get("language")
    fields = {name: raw.get(name) for name in ("question", "documents", "response")}
    log = parse_log({"log_id": anchor_id, **fields})
    if not log.response.strip():
        raise BadInput("missing_response", "blank")
    documents = tuple(document.text for document in log.documents)
    if not any(text.strip() for text in documents):
        raise BadInput("documents_missing", "an anchor needs a document with text")
    return Anchor(
        anchor_id, log.question, documents, log.response, language if isinstance(language, str) else None
    )


def _identifier(raw: Mapping[str, object]) -> str:
    found = raw.get("anchor_id")
    if not isinstance(found, str) or not found.strip():
        raise BadInput("missing_log_id", "anchor_id must be a text")
    if len(found) > _LONGEST_ID:
        raise BadInput("missing_log_id", f"anchor_id is longer than {_LONGEST_ID} characters")
    check_text(found, "anchor_id")
    return found


def _sentence(error: BadInput) -> str:
    detail = f" ({error.detail})" if error.detail else ""
    return describe(error.code).removesuffix(".") + f"{detail}."
