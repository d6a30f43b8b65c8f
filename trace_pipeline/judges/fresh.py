"""Asking about logs one by one, outside of any batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from datetime import datetime

from trace_core.records import Log
from trace_pipeline.judges.contracts import Judged
from trace_pipeline.judges.desk import OpenDesk


def ask_each(
    desk: OpenDesk, logs: Sequence[Log], logged_at: datetime, concurrency: int
) -> Iterator[tuple[Log, Judged]]:
    """Ask about each log in threads; yields what was said as it comes."""
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="anchor")
    try:
        asked = {pool.submit(copy_context().run, desk.ask, log, logged_at): log for log in logs}
        for answer in as_completed(asked):
            yield asked[answer], answer.result()
    except BaseException:
        desk.close()  # the task is ending: what is under way is not repeated
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
