"""The command line: the same steps without Airflow."""

from trace_pipeline.cli.main import main

__all__ = ["main"]
