"""Whether LocalExecutor has lost a worker that was waiting for a task.

Its idle workers take turns at one queue, under a lock. The one that waits there holds the lock, and when it
is killed the lock stays: the others wait for ever, tasks stay queued, and the scheduler looks healthy
(Airflow 3.3). A worker that is killed while it runs a task holds nothing, and the scheduler replaces it.
"""

from __future__ import annotations

from contextlib import suppress

import psutil

_IDLE = "<idle>"  # the end of the title under which such a worker is seen
_WORKER = "LocalExecutor"


class IdleWorkers:
    """Looks at the workers of a scheduler again and again."""

    def __init__(self, scheduler: int) -> None:
        self._scheduler = scheduler
        self._idle: set[int] = set()

    def lost_one(self) -> bool:
        """Look; return whether a worker that was idle at the last look has died since, its parent not."""
        titles = _titles(self._scheduler)
        if titles is None:
            return False
        lost = self._idle - titles.keys()
        self._idle = {pid for pid, title in titles.items() if _WORKER in title and title.endswith(_IDLE)}
        return bool(lost)


def _titles(parent: int) -> dict[int, str] | None:
    """Return the titles of a process's living children; None when it does not live itself."""
    titles = {}
    try:
        process = psutil.Process(parent)
        children = process.children()
        for child in children:
            with suppress(psutil.Error):
                if child.status() != psutil.STATUS_ZOMBIE:
                    titles[child.pid] = " ".join(child.cmdline()).rstrip()
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
    except psutil.Error:
        return None
    return titles
