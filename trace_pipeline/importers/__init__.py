"""Logs of other tools, as rows of rag_log. `FileReader` reads a file; nothing here writes."""

from trace_pipeline.importers.known_names import FORMATS
from trace_pipeline.importers.mapping import Mapped, read_mapping
from trace_pipeline.importers.outcomes import NOTES, REMEDIES, Imported, Place, Raw, Refused
from trace_pipeline.importers.reading import FileReader, ImportOptions

__all__ = [
    "FORMATS",
    "NOTES",
    "REMEDIES",
    "FileReader",
    "ImportOptions",
    "Imported",
    "Mapped",
    "Place",
    "Raw",
    "Refused",
    "read_mapping",
]
