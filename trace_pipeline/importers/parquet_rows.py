"""Rows of Parquet files, a small batch at a time. Needs pyarrow, the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, Final

from trace_core.errors import BadInput, ConfigurationError
from trace_pipeline.importers.outcomes import Place, Raw, Refused

_BATCH_ROWS: Final = 256


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
        opened: Any = parquet.ParquetFile(file, pre_buffer=False)
        for batch in opened.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            for value in batch.to_pylist():
                row += 1
                yield Raw(Place(path, row), value)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise BadInput("damaged_file", f"Parquet, after row {row}: {type(error).__name__}") from None
