"""Telemetry: evaluation events and run metrics for an OTLP endpoint; nothing unless one is configured."""

from trace_pipeline.telemetry.batch import BatchTelemetry, batch_telemetry
from trace_pipeline.telemetry.night import tell_night

__all__ = ["BatchTelemetry", "batch_telemetry", "tell_night"]
