"""report: the trend and the ledger in a terminal, or the trend as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_core.errors import ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, console, opened


def report(
    nights: Annotated[int, typer.Option(min=1, max=4000, help="Nights shown in the chart.")] = 60,
    table_nights: Annotated[int, typer.Option(min=1, max=4000, help="Nights shown in the tables.")] = 14,
    segment: Annotated[
        str | None, typer.Option(help="One segment, such as tenant=acme; default: all traffic.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the trend to this CSV file instead.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML file instead.")] = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Show the primary scorer's trend as table and chart, the ledger and the messages on open incidents."""
    from trace_pipeline.report import to_csv
    from trace_pipeline.show import html_report, show_alerts, show_ledger, show_trend, trend_frame

    dimension, value = _segment(segment)
    with opened(database_url) as pipeline:
        if csv is not None:
            frame = trend_frame(pipeline, nights=nights, dimension=dimension, value=value)
            to_csv(frame, csv)
            console.print(f"{len(frame):,} rows written to {csv}.", highlight=False)
            return
        if html is not None:
            content = html_report(pipeline, nights=nights, dimension=dimension, value=value)
            html.write_text(content, encoding="utf-8")
            console.print(f"Report written to {html}.", highlight=False)
            return
        show_trend(
            pipeline, console, nights=nights, table_nights=table_nights, dimension=dimension, value=value
        )
        show_ledger(pipeline, console, nights=table_nights)
        show_alerts(pipeline, console)


def _segment(segment: str | None) -> tuple[str, str]:
    if segment is None:
        return "", ""
    dimension, separator, value = segment.partition("=")
    if not separator or not dimension or not value:
        raise ConfigurationError(f"--segment must be name=value, such as tenant=acme, not {segment!r}.")
    return dimension, value
