"""Rows of Parquet files, a small batch at a time. Needs pyarrow, the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, Final

from trace_core.errors import BadInput, ConfigurationError
from trace_pipeline.importers.outcomes import Place, Raw, Refused

_BATCH_ROWS: Final = 256
_UNREADABLE: Final = "\udcff"  # no time, and no text that can be encoded: the row is refused if it needs it


def parquet_rows(file: IO[bytes], path: str) -> Iterator[Raw | Refused]:
    """Yield each row as an object of its columns.

    Raises ConfigurationError without pyarrow, BadInput `damaged_file` when the file cannot be read on.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ConfigurationError(
            f"{path} is a Parquet file, which needs pyarrow: pip install 'trace-nightly[pipeline,parquet]'."
        ) from None
    row = 0
    try:
        # Not `pre_buffer`: it holds a whole row group of all columns.
        opened: Any = parquet.ParquetFile(file, pre_buffer=False, coerce_int96_timestamp_unit="us")
        binary = "binary" in str(opened.schema_arrow)
        for batch in opened.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            for value in _values(_in_microseconds(batch)):
                row += 1
                yield Raw(Place(path, row), _decoded(value) if binary else value)
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise BadInput("damaged_file", f"Parquet, after row {row}: {type(error).__name__}") from None


def _in_microseconds(batch: Any) -> Any:
    """Cut times to microseconds, which is all that Python's datetime holds."""
    import pyarrow

    for place, field in enumerate(batch.schema):
        if pyarrow.types.is_timestamp(field.type) and field.type.unit == "ns":
            cut = batch.column(place).cast(pyarrow.timestamp("us", tz=field.type.tz), safe=False)
            batch = batch.set_column(place, field.name, cut)
    return batch


def _values(batch: Any) -> list[dict[str, Any]]:
    """Return a batch's rows; where a value is beyond what Python holds, that value alone is lost."""
    try:
        found: list[dict[str, Any]] = batch.to_pylist()
    except (ValueError, OverflowError):
        columns = {name: [_value(cell) for cell in batch.column(name)] for name in batch.schema.names}
        return [{name: cells[row] for name, cells in columns.items()} for row in range(batch.num_rows)]
    return found


def _value(cell: Any) -> Any:
    try:
        return cell.as_py()
    except (ValueError, OverflowError):
        return _UNREADABLE


def _decoded(value: Any) -> Any:
    """Return bytes as text: some writers do not mark their texts as UTF-8."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, dict):
        return {name: _decoded(item) for name, item in value.items()}
    return [_decoded(item) for item in value] if isinstance(value, list) else value
