"""`python -m trace_pipeline.cli`."""

from trace_pipeline.cli.main import main

main()
