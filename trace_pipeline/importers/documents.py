"""Retrieved documents in every shape that logs hold, as the native list of texts and objects with a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from trace_core.errors import BadInput
from trace_pipeline.importers.literals import looks_written, read_literal
from trace_pipeline.importers.values import at_path, cleaned

TEXTS: Final = (
    "text", "content", "page_content", "pageContent", "document.content", "document.text", "node.text",
    "payload.text", "payload.content", "payload.page_content", "_source.text", "_source.content",
    "chunk", "chunk_text", "passage",
    "body", "kwargs.page_content", "metadata.text", "metadata.content",
    "document", "context",
)  # fmt: skip
PREVIEWS: Final = ("preview", "content_preview", "text_preview", "snippet", "document.preview")
IDENTIFIERS: Final = (
    "id", "doc_id", "document_id", "chunk_id", "document.id", "node.id_", "node.id", "_id", "metadata.id",
    "metadata.doc_id", "metadata.chunk_id",
)  # fmt: skip
_LISTS: Final = (
    "documents",
    "docs",
    "contexts",
    "context",
    "chunks",
    "nodes",
    "results",
    "source_documents",
    "retrieved_documents",
    "matches",
    "hits",
    "output",
    "outputs",
)


class Documents:
    """Reads documents; `text_paths` come before the usual ones, `texts` finds a text by a document's id."""

    def __init__(self, text_paths: Sequence[str] = (), texts: Any = None) -> None:
        self._paths = (*text_paths, *TEXTS)
        self._texts = texts

    def read(self, value: Any, ids: Any = None) -> tuple[list[Any] | None, tuple[str, ...]]:
        """Return the native documents, None when there are none, and notes about them.

        Raises BadInput `documents_not_a_list`, `document_without_text` or `documents_hold_no_text`.
        """
        items = self._items(value, 0)
        if items is None and ids:
            items = [{"id": item} for item in self._items(ids, 0) or []]
            ids = None
        if items is None:
            return None, ()
        names = self._items(ids, 0) if ids else None
        notes: set[str] = set()
        found = [self._document(item, place, notes) for place, item in enumerate(items)]
        if names and len(names) == len(found):
            found = [
                {"text": item, "id": str(name)} if isinstance(item, str) else item
                for item, name in zip(found, names, strict=True)
            ]
        return found, tuple(sorted(notes))

    def _items(self, value: Any, depth: int) -> list[Any] | None:
        if value is None or depth > 6:
            return None
        if isinstance(value, str):
            return self._of_text(value, depth)
        if isinstance(value, Mapping):
            return self._of_object(value, depth)
        if isinstance(value, list | tuple):
            items = list(value)
            if len(items) == 1 and isinstance(items[0], list | tuple) and not _is_scored(items[0]):
                return list(items[0])  # one query's list among several
            if (
                len(items) == 1
                and isinstance(items[0], str)
                and looks_written(items[0])
                and items[0].lstrip()[0] == "["
            ):
                return self._items(items[0], depth + 1)
            return items
        raise BadInput("documents_not_a_list", type(value).__name__)

    def _of_text(self, value: str, depth: int) -> list[Any] | None:
        if not value.strip() or value.strip() in ("None", "null", "nan", "NaN"):
            return None
        if not looks_written(value) and value.lstrip()[:1] not in ("[", "{"):
            return [value]
        try:
            found = read_literal(value)
        except ValueError:
            raise BadInput("documents_not_a_list", "neither JSON nor a Python list") from None
        return [value] if isinstance(found, str | int | float) else self._items(found, depth + 1)

    def _of_object(self, value: Mapping[str, Any], depth: int) -> list[Any] | None:
        if value and all(str(key).isdecimal() for key in value):
            return [value[key] for key in sorted(value, key=lambda key: int(str(key)))]
        columns = {key: item for key, item in value.items() if isinstance(item, list)}
        for name in ("text", "texts", "content", "contents", "page_content", "documents", "document"):
            texts = columns.get(name)
            if texts and all(isinstance(text, str) for text in texts):
                if len(columns) == 1 or any(len(other) != len(texts) for other in columns.values()):
                    return list(texts)
                return [
                    {
                        ("text" if key == name else key.removesuffix("s")): item[place]
                        for key, item in columns.items()
                    }
                    for place in range(len(texts))
                ]
        for name in _LISTS:
            if isinstance(value.get(name), list | Mapping):
                return self._items(value[name], depth + 1)
        return [value] if value else []

    def _document(self, item: Any, place: int, notes: set[str]) -> Any:
        if isinstance(item, str):
            return item
        if isinstance(item, list | tuple) and _is_scored(item):
            return self._document(item[0] if not isinstance(item[0], int | float) else item[1], place, notes)
        if not isinstance(item, Mapping):
            raise BadInput("document_without_text", f"documents[{place}] is {type(item).__name__}")
        identifier = next(
            (found for path in IDENTIFIERS if isinstance(found := at_path(item, path), str | int)), None
        )
        text = self._text(item, identifier, notes)
        if text is None:
            raise BadInput(
                "documents_hold_no_text"
                if identifier is not None or "score" in item
                else "document_without_text",
                f"documents[{place}]",
            )
        made: dict[str, Any] = {"text": text}
        if identifier is not None:
            made["id"] = str(identifier)
        score = next(
            (
                found
                for path in ("score", "document.score", "similarity")
                if isinstance(found := at_path(item, path), int | float)
            ),
            None,
        )
        if score is not None and not isinstance(score, bool):
            made["score"] = cleaned(score)
        return made

    def _text(self, item: Mapping[str, Any], identifier: Any, notes: set[str]) -> str | None:
        for path in self._paths:
            found = at_path(item, path)
            if isinstance(found, Mapping):
                found = found.get("text")
            if isinstance(found, str):
                return found
        joined: str | None = (
            self._texts.find(str(identifier)) if self._texts is not None and identifier is not None else None
        )
        if joined is not None:
            return joined
        preview = next((found for path in PREVIEWS if isinstance(found := at_path(item, path), str)), None)
        if preview is not None:
            notes.add("documents_are_previews")
        return preview


def _is_scored(item: Sequence[Any]) -> bool:
    """Is this a pair of document and score?"""
    numbers = [isinstance(part, int | float) for part in item]
    return len(item) == 2 and sum(numbers) == 1
