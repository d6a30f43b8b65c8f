"""One real stack for the tests of this folder: Airflow and Postgres, in a folder that goes with them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.stack import Local
from trace_pipeline.local.stack import destroy_stack


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder that the server's uid can enter; nothing of it is left."""
    made = Path(tempfile.mkdtemp(prefix="trace-e2e-"))
    made.chmod(0o755)
    yield made
    destroy_stack(made)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def local(folder: Path) -> Iterator[Local]:
    """The running stack, without settings of the developer's own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("TRACE_", "AIRFLOW"))]:
            patch.delenv(name)
        started = Local.start(folder)
        yield started
        started.close()
