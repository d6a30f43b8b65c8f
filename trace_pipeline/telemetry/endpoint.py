"""Where telemetry goes: the setting, else OpenTelemetry's own variable, else nowhere."""

from __future__ import annotations

import os

from trace_pipeline.message_settings import TelemetrySettings


def endpoint_of(settings: TelemetrySettings) -> str | None:
    """Return the base address, without /v1/logs and the like; None when telemetry is off."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    address = settings.otlp_endpoint or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    return address.rstrip("/") or None
