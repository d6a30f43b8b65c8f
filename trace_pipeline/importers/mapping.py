"""The mapping file: where foreign rows keep a log's fields. Its paths come before a format's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from trace_core.errors import ConfigurationError
from trace_pipeline.importers.values import at_path, first_of


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Paths = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], BeforeValidator(_listed)]


class PromptPart(BaseModel):
    """Documents that stand inside a text, such as the prompt: cut out, then parted."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    path: Paths
    pattern: str | None = Field(
        None, description="regular expression; its first group, or all of it, is one document"
    )
    after: str | None = Field(None, description="the documents begin behind this text")
    before: str | None = Field(None, description="and end before this one")
    split: str | None = Field(None, description="what stands between two documents")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"is no regular expression ({error})") from None
        return value

    def cut(self, row: Any) -> list[str] | None:
        """Return the documents in a row's text; None when the row has no such text or part."""
        text = first_of(row, self.path)
        if not isinstance(text, str):
            return None
        if self.after is not None:
            _, found, text = text.partition(self.after)
            if not found:
                return None
        if self.before is not None:
            text = text.partition(self.before)[0]
        if self.pattern is not None:
            made = [
                match[1] if match.re.groups else match[0]
                for match in re.finditer(self.pattern, text, re.DOTALL)
            ]
        else:
            made = text.split(self.split) if self.split else [text]
        parts = [part.strip() for part in made if part and part.strip()]
        return parts or None


class Texts(BaseModel):
    """A file that holds the texts of documents of which a log holds the ids only."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    file: str
    id: str = "id"
    text: str = "text"


class Mapped(BaseModel):
    """What a mapping file may say."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    log_id: Paths = ()
    logged_at: Paths = ()
    question: Paths = ()
    documents: Paths | PromptPart = ()
    document_text: Paths = ()
    response: Paths = ()
    ground_truth: Paths = ()
    segments: Mapping[str, Paths] = Field(default_factory=dict)
    texts: Texts | None = None
    folder: str = "."

    def documents_in(self, row: Any) -> Any:
        """Return the documents of a row; None where the mapping names none or leads nowhere."""
        if isinstance(self.documents, PromptPart):
            return self.documents.cut(row)
        several = [found for path in self.documents if (found := at_path(row, path)) is not None]
        if len(several) > 1 and all(
            isinstance(found, str) and found.strip()[:1] not in ("[", "{") for found in several
        ):
            return several  # context_1, context_2, ...: a document each
        return several[0] if several else None


def read_mapping(path: Path | None) -> Mapped:
    """Read a mapping file (TOML). Raises ConfigurationError with a sentence that names what is wrong."""
    if path is None:
        return Mapped()
    try:
        return parse_mapping(path.read_text(encoding="utf-8"), f"--mapping {path}", str(path.parent))
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"--mapping {path} is not a TOML file: {error}.") from None
    except OSError as error:
        raise ConfigurationError(f"--mapping {path} cannot be read: {error.strerror}.") from None


def parse_mapping(text: str, named: str, folder: str = ".") -> Mapped:
    """Read the text of a mapping file; `named` says in the messages of ConfigurationError where it is."""
    try:
        return Mapped.model_validate({**tomllib.loads(text), "folder": folder})
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{named} is not a TOML file: {error}.") from None
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in found["loc"])
        message = found["msg"].removeprefix("Value error, ")
        raise ConfigurationError(f"{named}: {name}: {message}.") from None
