"""Which logs are scored together."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from trace_core.records import Log

if TYPE_CHECKING:
    from trace_core.scorers.lexical.scorer import Task

_LOGS: Final = 48
_CHARACTERS: Final = 400_000  # of all texts of a batch: bounds its memory
_CELLS_ALONE: Final = 20_000  # document by response sentences; a larger log would widen everybody's table


def batches(logs: Iterable[Log]) -> Iterator[list[Log]]:
    """Some logs at a time, in order, of a bounded number and size."""
    batch: list[Log] = []
    size = 0
    for log in logs:
        batch.append(log)
        size += _size(log)
        if len(batch) >= _LOGS or size >= _CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _size(log: Log) -> int:
    try:
        return len(log.response) + sum(len(document.text) for document in log.documents)
    except (AttributeError, TypeError):  # a broken record is somebody else's to report
        return 0


def by_vocabulary(tasks: "Mapping[int, Task]") -> list[list[int]]:
    """The numbers of tasks that can be scored together: one vocabulary, similar sizes."""
    groups: dict[tuple[int, int], list[int]] = {}
    for number, task in tasks.items():
        cells = len(task.draft.response) * sum(task.draft.document_sizes)
        alone = number if cells > _CELLS_ALONE else -1
        groups.setdefault((id(task.vocabulary), alone), []).append(number)
    return list(groups.values())
