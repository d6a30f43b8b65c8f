"""`trace-pipeline`: entry, and the one place where errors become sentences and exit codes."""

from __future__ import annotations

import logging
import os
import sys

import psycopg2
import typer
from rich.logging import RichHandler
from sqlalchemy.exc import DBAPIError, OperationalError

from trace_core.errors import TraceError
from trace_pipeline.cli.agreement import agreement
from trace_pipeline.cli.anchor import anchor
from trace_pipeline.cli.common import errors
from trace_pipeline.cli.digest import digest
from trace_pipeline.cli.doctor import doctor
from trace_pipeline.cli.erase import erase
from trace_pipeline.cli.estimate import estimate
from trace_pipeline.cli.explain import explain
from trace_pipeline.cli.import_logs import import_logs
from trace_pipeline.cli.label import label
from trace_pipeline.cli.nights import migrate, run, watch
from trace_pipeline.cli.report import report
from trace_pipeline.cli.sample import sample
from trace_pipeline.cli.score import score

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Watch the quality of a production RAG system: the steps of the DAGs, without Airflow. "
    "Settings come from trace.toml (TRACE_CONFIG) and TRACE_* variables.",
)
for command in (
    migrate,
    sample,
    estimate,
    run,
    watch,
    digest,
    report,
    score,
    explain,
    label,
    agreement,
    anchor,
    doctor,
    erase,
):
    app.command()(command)
app.command("import")(import_logs)


def main() -> None:
    """Run a command. An expected error is one sentence on standard error and exit code 1."""
    logging.basicConfig(
        level=logging.INFO,
        format="%(message)s",
        handlers=[RichHandler(console=errors, show_time=False, show_path=False, markup=False)],
    )
    # Its lines name internals; `migrate` itself says what it did.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # Batches have a progress bar here.
    logging.getLogger("trace_pipeline.steps.score_batch").setLevel(logging.WARNING)
    try:
        app()
    except TraceError as error:
        _fail(str(error))
    except OperationalError as error:
        _fail(
            f"The database did not answer as expected: {_first_line(error)} "
            "Check the URL, then run the command again."
        )
    except (DBAPIError, psycopg2.Error) as error:  # the latter from whole files, which run on a plain cursor
        _fail(
            f"The database refused: {_first_line(error)} "
            "Has `trace-pipeline migrate` been run, and may this login do this?"
        )
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone; so do we
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename or ''}")


def _first_line(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    line = lines[0] if lines else type(cause).__name__
    return line if line.endswith(".") else line + "."


def _fail(sentence: str) -> None:
    errors.print(f"Error: {sentence}", style="red", markup=False, highlight=False, soft_wrap=True)
    sys.exit(1)
