"""Settings of what leaves the pipeline: alerts, telemetry and the names of its assets."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from trace_pipeline.setting_types import Addresses, DatabaseAddress, OptionalDays, QuietHours, WebAddress


class AlertSettings(BaseModel):
    """Who is told, and with which link."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    channels: Addresses = Field(
        ("log",),
        description="`log`; for commands also Apprise URLs; in DAGs `trace_alerts` adds its own",
    )
    quiet_hours: QuietHours = Field(
        None,
        description="such as 22:00-07:00 in day_time_zone: pages go out, other messages wait; unset = none",
    )
    remind_days: OptionalDays = Field(
        None, ge=1, le=90, description="an open incident is told of again after so many days; unset = once"
    )
    deadline_minutes: OptionalDays = Field(
        240, ge=1, le=700, description="a nightly run that takes longer is told of; unset = not"
    )
    weekly_digest: bool = Field(False, description="let trace_digest tell the channels of each week")
    link_base_url: str = Field(
        "", description="address of the Airflow UI, put into messages; empty = no link"
    )


class TelemetrySettings(BaseModel):
    """What is told to an OTLP endpoint; nothing without one."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    otlp_endpoint: WebAddress = Field(
        "",
        description="base address for OTLP over HTTP; empty = OTEL_EXPORTER_OTLP_ENDPOINT, else nothing",
    )
    events: Literal["findings", "all", "none"] = Field(
        "findings", description="results sent as events: those that need a look, all, or none"
    )
    max_events: int = Field(1_000, ge=0, le=100_000, description="events sent of a batch at most")


class LineageSettings(BaseModel):
    """How the databases are named in asset URIs: the connections' own addresses are unknown to a DAG file."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    results: DatabaseAddress = Field(
        "", description="host:port/database of the results in asset URIs; empty = assets have a name only"
    )
    source: DatabaseAddress = Field(
        "", description="host:port/database of the logs in asset URIs; empty = that of the results"
    )
