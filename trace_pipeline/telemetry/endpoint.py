"""Where telemetry goes: the setting, else OpenTelemetry's own variable, else nowhere."""

from __future__ import annotations

import os

from trace_pipeline.air_gap import refuse_outside
from trace_pipeline.settings import Settings


def endpoint_of(settings: Settings) -> str | None:
    """Return the base address, without /v1/logs and the like; None when telemetry is off.

    Raises ConfigurationError when it is outside of the air gap.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    variable = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    address = (settings.telemetry.otlp_endpoint or variable).rstrip("/")
    if address:
        refuse_outside(settings, address, "telemetry", by_proxy=True)
    return address or None
