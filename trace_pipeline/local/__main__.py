"""`python -m trace_pipeline.local demo | up | down`: what `make` calls."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from rich.console import Console

from trace_core.errors import ConfigurationError, TraceError
from trace_pipeline.local import stack
from trace_pipeline.local.demo import run_demo

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The local stack of this checkout.")
console = Console()


@app.command()
def demo(
    nights: Annotated[int, typer.Option(min=40, help="Nights of sample traffic.")] = 60,
    logs_per_night: Annotated[int, typer.Option(min=1, help="Logs a night, about.")] = 400,
    seed: Annotated[int, typer.Option(help="Another seed, other logs.")] = 1,
) -> None:
    """Start the stack and run the DAGs over made-up nights. The demo's earlier data is replaced."""
    run_demo(stack.default_folder(), console, nights=nights, logs_per_night=logs_per_night, seed=seed)


@app.command()
def up() -> None:
    """Start Airflow against your own Postgres: TRACE_RESULTS_URL, and TRACE_SOURCE_URL for logs elsewhere."""
    results = os.environ.get("TRACE_RESULTS_URL")
    if not results:
        raise ConfigurationError(
            "Set TRACE_RESULTS_URL to your results database (postgresql://user:password@host/name), "
            "and TRACE_SOURCE_URL if the logs are in another one. For a look without a database: make demo."
        )
    source = os.environ.get("TRACE_SOURCE_URL") or results
    # Not the demo's Airflow: that one remembers its runs and which DAGs were on.
    running = stack.start_stack(stack.own_folder(), say=console.print, databases=(results, source))
    console.print(
        f"The Airflow UI is up at {running.ui_url} (user admin, password {running.password}).",
        highlight=False,
        soft_wrap=True,
    )
    console.print(
        "The DAGs are paused: unpause trace_watch_drift first, then trace_score_nightly. Stop: make down"
    )


@app.command()
def down() -> None:
    """Stop everything that demo or up started."""
    stopped = [*stack.stop_stack(stack.default_folder()), *stack.stop_stack(stack.own_folder())]
    console.print(f"Stopped: {', '.join(stopped)}." if stopped else "Nothing was running.")


def main() -> None:
    """Run a command; an expected error is a sentence, not a traceback."""
    try:
        app()
    except (TraceError, RuntimeError, TimeoutError) as error:
        console.print(f"[red]Error:[/red] {error}", highlight=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
