"""Retrieved documents in every shape that logs hold, as the native list of texts and objects with a text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from trace_core.errors import BadInput
from trace_pipeline.importers.literals import looks_written, printed_text, read_literal
from trace_pipeline.importers.values import at_path, cleaned

TEXTS: Final = (
    "text", "content", "page_content", "pageContent", "document.content", "document.text", "node.text",
    "payload.text", "payload.content", "payload.page_content", "_source.text", "_source.content",
    "chunk", "chunk_text", "chunkText", "chunk_content", "passage", "passage_text", "segment_text",
    "page_text", "body", "contents", "text_content", "raw_text",
    "kwargs.page_content", "metadata.text", "metadata.content",
    "document", "context", "Text", "Content",
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
    "retrieved_contexts",
    "retrieved_chunks",
    "retrievalResults",
    "retrieval_results",
    "passages",
    "sources",
    "items",
    "value",
    "data",
)
#: What an object of texts by id never has among its keys.
_FIELDS: Final = frozenset(
    "id title name source url uri link page score rank type metadata"
    " answer question query error message".split()
)


#: `[1] ...`, `[Source: a.pdf] ...`: prose that begins with a mark in brackets.
_CITED: Final = re.compile(r"\s*\[[^\]\[{}'\"\n]{1,80}\]\s*[^\s,\]]")


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
        if isinstance(value, str) and items == [value]:
            notes.add("documents_in_one_text")
        found = [self._document(item, place, notes) for place, item in enumerate(_opened(items))]
        if found and all(isinstance(item, dict) and "id" in item and not item["text"] for item in found):
            raise BadInput("documents_hold_no_text", "every text is empty")
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
            if items and all(isinstance(item, tuple) and len(item) == 2 for item in items):
                return self._of_object({str(name): item for name, item in items}, depth)  # a map of Parquet
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
        if not looks_written(value) and value.lstrip()[:1] != '"':
            if value.lstrip()[:1] in ("[", "{") and not _CITED.match(value):
                raise BadInput("documents_not_a_list", "the list is cut off before its end")
            return [value]
        try:
            found = read_literal(value)
        except ValueError as error:
            if str(error) == "too long":
                raise BadInput("text_too_large", "a Python list of over 8,000,000 characters") from None
            if not looks_written(value) or _CITED.match(value):
                return [value]
            elided = re.search(r"['\"]\s+\.\.\.\s+['\"]", value)
            what = "numpy has left items out (...)" if elided else "neither JSON nor a Python list"
            raise BadInput("documents_not_a_list", what) from None
        if isinstance(found, str) and looks_written(found):
            return self._items(found, depth + 1)
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
        return self._by_id(value) if value else []

    def _by_id(self, value: Mapping[str, Any]) -> list[Any]:
        """Return an object of texts, or of documents, by their ids as a list of documents; else itself."""
        if _FIELDS & set(value) or self._text(value, None, set()) is not None:
            return [value]
        found = []
        for name, item in value.items():
            text = (
                item
                if isinstance(item, str)
                else self._text(item, name, set())
                if isinstance(item, Mapping)
                else None
            )
            if text is None:
                return [value]
            found.append({"id": name, **item} if isinstance(item, Mapping) else {"id": name, "text": item})
        return found

    def _document(self, item: Any, place: int, notes: set[str]) -> Any:
        if isinstance(item, str):
            known = self._texts.find(item) if self._texts is not None and len(item) <= 500 else None
            return printed_text(item) if known is None else {"text": known, "id": item}
        if isinstance(item, list | tuple) and len(item) == 1:
            return self._document(item[0], place, notes)
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
            found = _words(at_path(item, path))
            if found is not None and (found or identifier is None or self._texts is None):
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


def listed(value: Any) -> list[Any] | None:
    """Return the documents in any shape that `Documents` reads, as they are; None when there are none."""
    try:
        return Documents()._items(value, 0)
    except BadInput:
        return [value]


def _words(value: Any) -> str | None:
    """Return a text, that of an object which wraps it, or those of its parts, a line each."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("text", "content", "page_content") if value.get(name)), None)
    if isinstance(value, list) and value:
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        return "\n".join(texts) if len(texts) == len(parts) else None
    return value if isinstance(value, str) else None


def _opened(items: list[Any]) -> list[Any]:
    """Open texts that are written objects with a text in them, when all items are."""
    found = []
    for item in items:
        if not isinstance(item, str) or item.lstrip()[:1] != "{" or not looks_written(item):
            return items
        try:
            value = read_literal(item)
        except ValueError:
            return items
        if not isinstance(value, Mapping) or not any(_words(value.get(name)) for name in TEXTS):
            return items
        found.append(value)
    return found


def _is_scored(item: Sequence[Any]) -> bool:
    """Is this a pair of document and score?"""
    numbers = [isinstance(part, int | float) for part in item]
    return len(item) == 2 and sum(numbers) == 1
