"""Reports for a terminal: tables and a chart, rendered from frames that somebody else queried."""

from trace_pipeline.report.chart import render_chart
from trace_pipeline.report.csv_export import to_csv
from trace_pipeline.report.ledger_table import render_ledger_table
from trace_pipeline.report.nights_table import render_nights_table

__all__ = ["render_chart", "render_ledger_table", "render_nights_table", "to_csv"]
